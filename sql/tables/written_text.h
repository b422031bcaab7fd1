/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_WRITTEN_TEXT_H
#define KT_SQL_WRITTEN_TEXT_H

#include <stdio.h>

struct row_out;

/* Returns what @write writes, kept with the row of @out that was begun; NULL
 * when out of memory.
 */
const char *written_text(struct row_out *out,
			 void (*write)(FILE *file, const void *ctx),
			 const void *ctx);

#endif
