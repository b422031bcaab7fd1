/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_FRAME_H
#define KT_CMD_TOP_FRAME_H

#include <stddef.h>
#include <stdio.h>

struct top_view;

/* A terminal's size in characters. */
struct top_size {
	int rows;
	int columns;
};

/* Draws one frame: the lines of @head, then those of @text from
 * @view->first_line on, which is reduced if @text is shorter. Lines are cut at
 * the edge, lines are not cleared before they are drawn (to avoid flicker), and
 * control characters are shown as '?'.
 */
void top_frame_draw(struct top_view *view, const char *head, const char *text,
		    struct top_size size, FILE *out);

#endif
