/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_FRAME_H
#define KT_CMD_TOP_FRAME_H

#include <stddef.h>
#include <stdio.h>

struct top_view;

/* A terminal's size, in characters. */
struct top_size {
	int rows;
	int columns;
};

/* Writes one picture of the screen: the lines of @head, then those of @text
 * from @view->first_line on, which is put back if there are not as many.
 * Lines are cut at the edge, no line is cleared before it is drawn, and bytes
 * that a terminal would obey are shown as '?'.
 */
void top_frame_draw(struct top_view *view, const char *head, const char *text,
		    struct top_size size, FILE *out);

#endif
