/* SPDX-License-Identifier: MIT */
#include "tables/lanes/lane_text.h"

#include "common/error.h"

#include <stdlib.h>

int lane_text_open(struct lane_text *text)
{
	text->out = open_memstream(&text->bytes, &text->size);
	return text->out ? 0 : -ERROR_MEMORY;
}

void lane_text_free(struct lane_text *text)
{
	if (text->out)
		fclose(text->out);
	free(text->bytes);
}

FILE *lane_text_begin(struct lane_text *text)
{
	rewind(text->out);
	return text->out;
}

const char *lane_text_end(struct lane_text *text)
{
	fputc('\0', text->out);
	return fflush(text->out) ? "" : text->bytes;
}
