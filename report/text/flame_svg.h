/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TEXT_FLAME_SVG_H
#define KT_REPORT_TEXT_FLAME_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A flame graph as an SVG file with zoom and search: the roots are on top, as
 * in the page, so that they are in view when the file is opened; the script
 * makes the rows of deep stacks lower, so that they fit the window. A second
 * graph is drawn below if it has a width.
 *
 * A file has at most FLAME_SVG_BYTES, whatever the number of paths: the
 * narrowest frames are left out (flame_svg_least()).
 */
enum { FLAME_SVG_BYTES = 1900000 };

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

/* The frames of a graph, by index. */
struct flame_frames {
	const uint64_t *width;
	const uint32_t *depth;
	uint32_t count;
	uint64_t all; /* the graph's width */
	/* Returns the length of a frame's name. */
	size_t (*name_length)(const void *ctx, uint32_t index);
	const void *ctx;
};

/* Returns the least width of frames that are drawn: those narrower than
 * 1/50000 of the graph are not, nor the narrowest ones of a graph that would
 * have more than @most_bytes.
 */
uint64_t flame_svg_least(const struct flame_frames *frames,
			 uint64_t most_bytes);

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
