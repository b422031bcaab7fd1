/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_FLAME_SCRIPT_H
#define KT_REPORT_FLAME_SCRIPT_H

/* The script in every flame graph: click zooms, Escape or "reset" undoes it,
 * Ctrl-F or "search" marks what matches a pattern and adds up its time; the graph
 * is as wide as the window.
 *
 * It expects rect and text pairs in <g class="f"> with data-x and data-w (in
 * nanoseconds), data-n (name), and data-d (depth) in an svg whose viewBox is
 * as wide as data-width and whose data-all is the whole time.
 */
extern const char flame_script[];

#endif
