/* SPDX-License-Identifier: MIT */
#include "cmd/top/top_result.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT_BYTES = 1 << 30 };

int top_result_write(const struct top_result *result, FILE *out)
{
	fwrite(&result->facts, sizeof(result->facts), 1, out);
	if (result->facts.stage == TOP_REPORTED)
		for (int i = 0; i < TOP_TABLES; i++) {
			uint64_t size = strlen(result->tables[i]);

			fwrite(&size, sizeof(size), 1, out);
			fwrite(result->tables[i], 1, size, out);
		}
	return fflush(out) == EOF || ferror(out) ? -1 : 0;
}

static char *read_text(FILE *in)
{
	uint64_t size;
	char *text;

	if (fread(&size, sizeof(size), 1, in) != 1 || size > MOST_TEXT_BYTES)
		return NULL;
	text = malloc(size + 1);
	if (text && fread(text, 1, size, in) == size) {
		text[size] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

int top_result_read(struct top_result *result, FILE *in)
{
	struct top_facts *facts = &result->facts;
	bool is_whole = fread(facts, sizeof(*facts), 1, in) == 1;

	if (is_whole && facts->stage != TOP_REPORTED)
		return 0;
	for (int i = 0; i < TOP_TABLES && is_whole; i++) {
		result->tables[i] = read_text(in);
		is_whole = result->tables[i] != NULL;
	}
	if (is_whole)
		return 0;
	top_result_clear(result);
	return -1;
}

void top_result_clear(struct top_result *result)
{
	for (int i = 0; i < TOP_TABLES; i++)
		free(result->tables[i]);
	free(result->said);
	*result = (struct top_result){ 0 };
}
