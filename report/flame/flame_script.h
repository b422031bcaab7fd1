/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_FLAME_SCRIPT_H
#define KT_REPORT_FLAME_SCRIPT_H

/* The script in every flame graph. A click zooms, Escape or "reset" zooms out,
 * Ctrl-F or "search" marks matches of a pattern and adds up their time. The
 * graph fills the window's width.
 *
 * It expects pairs of rect and text in <g class="f"> with data-x and data-w
 * (ns), data-n (name) and data-d (depth), in an svg whose viewBox has the width
 * data-width and whose data-all is the total time.
 */
extern const char flame_script[];

#endif
