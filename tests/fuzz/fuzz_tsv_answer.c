/* SPDX-License-Identifier: MIT */
#include "store/answer/answer.h"
#include "store/clickhouse/clickhouse_query_internal.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Reads each cell as the readers of answers do: as a value of its type or none.
 */
static void read_all(const struct answer *answer)
{
	for (size_t row = 0; row < answer_rows(answer); row++)
		for (size_t i = 0; i < answer->columns.count; i++) {
			const struct answer_cell *cell =
				answer_at(answer, row, i);

			if (!cell->is_null && cell->type == COLUMN_TEXT)
				assert(answer_text(answer, row, i) ==
				       cell->value.text);
			else
				assert(!*answer_text(answer, row, i));
			answer_number(answer, row, i);
		}
}

/* A server's answer: any text, which ends with a NUL. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = malloc(size + 1);
	struct answer answer;

	if (!text)
		return 0;
	if (size)
		memcpy(text, bytes, size);
	text[size] = '\0';
	if (!answer_open(&answer) && !tsv_answer_read(&answer, text)) {
		assert(!answer.columns.count ||
		       answer.cells.count % answer.columns.count == 0);
		read_all(&answer);
	}
	answer_free(&answer);
	free(text);
	return 0;
}
