/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_KEPT_FILE_H
#define KT_SQL_KEPT_FILE_H

#include "common/chunk_file.h"
#include "sql/rows/sql_table.h"

#include <stdbool.h>
#include <stdint.h>

struct recording;

/* The begin of a file of kept rows (docs/formats.md, "rows_TABLE"). */
struct kept_head {
	uint64_t key;	     /* what the rows depend on */
	struct chunk chunks; /* where the list of struct kept_chunk lies */
};

enum { KEPT_HEAD_BYTES = 40 };

/* Returns the path of @table's file, to be freed; NULL when out of memory. */
char *kept_file_path(const struct recording *recording,
		     const struct sql_table *table);

/* Writes the head.  Returns whether it could. */
bool kept_head_write(const struct kept_head *head, int fd);

/* Reads it.  Returns whether it is one, with @key. */
bool kept_head_read(struct kept_head *head, int fd, uint64_t key);

#endif
