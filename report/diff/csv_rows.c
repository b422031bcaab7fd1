/* SPDX-License-Identifier: MIT */
#include "report/diff/csv_rows.h"

#include "common/error.h"

#include <stdlib.h>
#include <string.h>

/* Terminates the field at *@text, quoted or not, and removes the quotes.
 *
 * Returns the character that ended the field: ',', '\n' or 0. *@text then
 * points to it.
 */
static char end_field(char **text)
{
	char *from = *text;
	char *to = from;
	char end;

	if (*from == '"') {
		for (from++; *from && (*from != '"' || from[1] == '"');
		     from++) {
			from += *from == '"';
			*to++ = *from;
		}
		from += *from == '"';
	} else {
		from += strcspn(from, ",\n");
		to = from;
	}
	end = *from;
	*to = '\0';
	*text = from + (end != '\0');
	return end;
}

int csv_rows_read(struct csv_rows *rows, char *text)
{
	*rows = (struct csv_rows){
		.text = text,
		.fields = ARRAY_OF(char *),
	};
	while (*text) {
		if (array_append(&rows->fields, &text) < 0)
			return -ERROR_MEMORY;
		if (end_field(&text) != ',' && !rows->columns)
			rows->columns = rows->fields.count;
	}
	return 0;
}

void csv_rows_free(struct csv_rows *rows)
{
	array_free(&rows->fields);
	free(rows->text);
	rows->text = NULL;
}

size_t csv_rows_count(const struct csv_rows *rows)
{
	return rows->columns ? rows->fields.count / rows->columns - 1 : 0;
}

const char *csv_rows_text(const struct csv_rows *rows, size_t index,
			  const char *column)
{
	char *const *fields = rows->fields.items;

	for (size_t i = 0; i < rows->columns; i++)
		if (!strcmp(fields[i], column))
			return fields[(index + 1) * rows->columns + i];
	return "";
}

double csv_rows_number(const struct csv_rows *rows, size_t index,
		       const char *column)
{
	return strtod(csv_rows_text(rows, index, column), NULL);
}
