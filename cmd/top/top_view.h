/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_VIEW_H
#define KT_CMD_TOP_VIEW_H

#include "cmd/top/top_tables.h"

#include <stdbool.h>
#include <stddef.h>

/* This is what of a round is looked at.  A zeroed one is the begin of the
 * first table.
 */
struct top_view {
	enum top_table table;
	size_t first_line; /* of the table's text */
	size_t page_lines; /* of it that are seen */
	bool is_paused;
	bool has_quit;
};

/* Takes the @count bytes that a terminal sent for keys: whole sequences. */
void top_view_keys(struct top_view *view, const char *bytes, size_t count);

#endif
