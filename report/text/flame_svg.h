/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TEXT_FLAME_SVG_H
#define KT_REPORT_TEXT_FLAME_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A flame graph as an SVG file with zoom and search. A second
 * graph is drawn below if it has a width.
 */
struct flame_svg {
	FILE *out;
	uint64_t all; /* total width, in unit */
	uint32_t max_depth;
	uint64_t second_all; /* total width of the second graph; 0: none */
	uint32_t second_max_depth;
	const char *unit; /* the unit's name: "ns" */
};

struct flame_frame {
	const char *name; /* any bytes */
	uint64_t start;
	uint64_t width;
	uint32_t depth;
	uint32_t below;	   /* levels below it */
	bool is_interrupt; /* interrupt work */
	bool is_second;	   /* of the second graph */
};

/* Writes the head. The caller then writes the title as texts and rectangles
 * above y = 60.
 */
void flame_svg_begin(const struct flame_svg *svg);

/* Starts the line above the second graph, which the caller ends with "</text>".
 */
void flame_svg_second(const struct flame_svg *svg);

/* Writes @frame, filled with @colour. The tooltip has the name followed by
 * @details.
 */
void flame_svg_frame(const struct flame_svg *svg,
		     const struct flame_frame *frame, const char *colour,
		     const char *details);

/* Returns whether a frame of @width is wide enough to be drawn in a graph of
 * width @all.
 */
bool flame_svg_draws(uint64_t all, uint64_t width);

/* Returns whether frames of @depth are drawn: deeper ones are part of the frame
 * of the last level that they belong to, whose label has their number of
 * levels.
 */
bool flame_svg_has_level(uint32_t depth);

/* Starts the line below the graph. flame_svg_end() ends the line and the file.
 */
void flame_svg_notes(const struct flame_svg *svg);
void flame_svg_end(const struct flame_svg *svg);

#endif
