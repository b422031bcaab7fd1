/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_WRITTEN_TEXT_H
#define KT_SQL_WRITTEN_TEXT_H

#include <stdio.h>

struct row_out;

/* Returns the output of @write as a text that lives as long as the current row
 * of @out; NULL when out of memory.
 */
const char *written_text(struct row_out *out,
			 void (*write)(FILE *file, const void *ctx),
			 const void *ctx);

#endif
