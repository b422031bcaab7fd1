/* SPDX-License-Identifier: MIT */
#include "sql/tables/written_text.h"

#include "sql/rows/row_out.h"

#include <stdlib.h>

const char *written_text(struct row_out *out,
			 void (*write)(FILE *file, const void *ctx),
			 const void *ctx)
{
	const char *kept = NULL;
	char *made = NULL;
	size_t size;
	FILE *file = open_memstream(&made, &size);

	if (!file)
		return NULL;
	write(file, ctx);
	if (fclose(file) != EOF)
		kept = row_out_text(out, made);
	free(made);
	return kept;
}
