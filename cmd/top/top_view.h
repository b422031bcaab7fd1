/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_VIEW_H
#define KT_CMD_TOP_VIEW_H

#include "cmd/top/top_tables.h"

#include <stdbool.h>
#include <stddef.h>

/* The visible part of a round. A zeroed one is the start of the first table. */
struct top_view {
	enum top_table table;
	size_t first_line; /* of the table's text */
	size_t page_lines; /* visible lines of it */
	bool is_paused;
	bool has_quit;
};

/* Applies the @count bytes of key input that a terminal sent; they must be
 * whole escape sequences.
 */
void top_view_keys(struct top_view *view, const char *bytes, size_t count);

#endif
