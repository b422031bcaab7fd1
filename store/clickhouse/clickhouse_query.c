/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/clickhouse_query_internal.h"

#include "common/array.h"
#include "common/error.h"
#include "store/answer/answer.h"

#include <ctype.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct tsv {
	char *at;	    /* the unread rest */
	struct array types; /* enum column_type */
};

/* Returns the next field, ended by a NUL, and sets *@is_last if it is the last
 * one of its line. Returns NULL at the end of the text.
 */
static char *next_field(struct tsv *tsv, bool *is_last)
{
	char *field = tsv->at;
	char *end;

	if (!field || !*field)
		return NULL;
	end = field + strcspn(field, "\t\n");
	*is_last = *end != '\t';
	tsv->at = *end ? end + 1 : end;
	*end = '\0';
	return field;
}

static char unescaped(char letter)
{
	static const char letters[] = "bfnrt0";
	static const char meant[] = "\b\f\n\r\t";
	const char *found = strchr(letters, letter);

	return found && letter ? meant[found - letters] : letter;
}

/* Removes the escapes of a text. If it has an escaped NUL, it ends there for
 * all readers.
 */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '\\' && text[1])
			*to++ = unescaped(*++text);
		else
			*to++ = *text;
	}
	*to = '\0';
}

static enum column_type type_of(const char *name)
{
	static const char nullable[] = "Nullable(";

	if (!strncmp(name, nullable, strlen(nullable)))
		name += strlen(nullable);
	if (!strncmp(name, "Int", 3) || !strncmp(name, "UInt", 4))
		return COLUMN_INTEGER;
	return strncmp(name, "Float", 5) ? COLUMN_TEXT : COLUMN_REAL;
}

static int read_names(struct tsv *tsv, struct answer *answer)
{
	bool is_last = false;
	int error = 0;

	while (!error && !is_last) {
		char *name = next_field(tsv, &is_last);

		if (!name)
			return -ERROR_FORMAT;
		unescape(name);
		error = answer_add_column(answer, name);
	}
	return error;
}

static int read_types(struct tsv *tsv, const struct answer *answer)
{
	bool is_last = false;

	while (!is_last) {
		const char *name = next_field(tsv, &is_last);
		enum column_type *type = name ? array_add(&tsv->types) : NULL;

		if (!type)
			return name ? -ERROR_MEMORY : -ERROR_FORMAT;
		*type = type_of(name);
	}
	return tsv->types.count == answer->columns.count ? 0 : -ERROR_FORMAT;
}

/* Numbers outside int64_t, for example UInt64, become reals. */
static int add_integer(struct answer *answer, const char *field)
{
	char *end;
	int64_t number;

	errno = 0;
	number = strtoll(field, &end, 10);
	if (*end || end == field)
		return -ERROR_FORMAT;
	return errno ? answer_add_real(answer, strtod(field, NULL)) :
		       answer_add_number(answer, number);
}

static int add_real(struct answer *answer, const char *field)
{
	char *end;
	double real = strtod(field, &end);

	return *end || end == field ? -ERROR_FORMAT :
				      answer_add_real(answer, real);
}

static int add_field(struct answer *answer, enum column_type type, char *field)
{
	if (!strcmp(field, "\\N"))
		return answer_add_null(answer);
	switch (type) {
	case COLUMN_INTEGER:
		return add_integer(answer, field);
	case COLUMN_REAL:
		return add_real(answer, field);
	case COLUMN_TEXT:
		break;
	}
	unescape(field);
	return answer_add_text(answer, field);
}

static int read_row(struct tsv *tsv, struct answer *answer)
{
	size_t count = tsv->types.count;
	bool is_last = false;
	int error = 0;

	for (size_t i = 0; !error && i < count; i++) {
		char *field = next_field(tsv, &is_last);

		if (!field || is_last != (i + 1 == count))
			return -ERROR_FORMAT;
		error = add_field(answer,
				  *(enum column_type *)array_at(&tsv->types, i),
				  field);
	}
	return error;
}

int tsv_answer_read(struct answer *answer, char *text)
{
	struct tsv tsv = { text, ARRAY_OF(enum column_type) };
	int error = 0;

	if (!*text)
		return 0;
	error = read_names(&tsv, answer);
	if (!error)
		error = read_types(&tsv, answer);
	while (!error && *tsv.at)
		error = read_row(&tsv, answer);
	array_free(&tsv.types);
	return error;
}

/* quantileExact(L) of n values is the value at index floor(L * n)
 * (AggregateFunctionQuantile, QuantileExact.h). The nearest rank has index
 * ceil(P * n / 100) - 1, which is the same if L is slightly less than P / 100.
 */
static const double NEXT_TO_NOTHING = 1e-12;

static bool is_name(char letter)
{
	return isalnum((unsigned char)letter) || letter == '_';
}

/* Returns the text after "percentile(P," at @text, and P in *@percent; NULL if
 * @text is something else.
 */
static const char *read_percentile(const char *text, double *percent)
{
	static const char name[] = "percentile";
	char *end;

	if (strncasecmp(text, name, strlen(name)) != 0)
		return NULL;
	text += strlen(name);
	text += strspn(text, " \t\n");
	if (*text++ != '(')
		return NULL;
	*percent = strtod(text, &end);
	if (end == text || !(*percent > 0 && *percent <= 100))
		return NULL;
	end += strspn(end, " \t\n");
	return *end == ',' ? end + 1 : NULL;
}

/* Returns the text after the quoted text that starts at @text. */
static const char *skip_quoted(const char *text)
{
	char quote = *text++;

	while (*text && *text != quote)
		text += *text == '\\' && text[1] ? 2 : 1;
	return *text ? text + 1 : text;
}

char *clickhouse_query_of(const char *query)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	const char *at = query;

	while (*at) {
		bool is_begin = at == query || !is_name(at[-1]);
		double percent;
		const char *next = is_begin ? read_percentile(at, &percent) :
					      NULL;

		if (next) {
			sqlite3_str_appendf(text, "quantileExact(%.15f)(",
					    percent / 100 - NEXT_TO_NOTHING);
		} else {
			next = strchr("'\"`", *at) ? skip_quoted(at) : at + 1;
			sqlite3_str_append(text, at, (int)(next - at));
		}
		at = next;
	}
	return sqlite3_str_finish(text);
}
