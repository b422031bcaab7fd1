/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/clickhouse_query.h"

#include <sqlite3.h>

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
	if (end == text || *percent <= 0 || *percent > 100)
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
