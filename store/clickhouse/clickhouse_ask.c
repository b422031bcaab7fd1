/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/clickhouse_ask.h"

#include "common/error.h"
#include "common/log.h"
#include "store/answer/answer.h"
#include "store/clickhouse/clickhouse_http.h"
#include "store/clickhouse/tsv_answer.h"

#include <sqlite3.h>

#include <stdlib.h>
#include <string.h>

/* Appends the format on a line of its own, because the query may end with a
 * comment.
 */
static char *with_format(const char *query)
{
	size_t length = strlen(query);

	while (length && strchr("; \t\n", query[length - 1]))
		length--;
	return sqlite3_mprintf("%.*s\nFORMAT TabSeparatedWithNamesAndTypes",
			       (int)length, query);
}

int clickhouse_ask(struct clickhouse_http *http, const struct log *log,
		   const char *query, struct answer *answer)
{
	char *whole = with_format(query);
	char *text = NULL;
	int error = whole ? clickhouse_http_send(http, whole, NULL, &text) :
			    -ERROR_MEMORY;

	sqlite3_free(whole);
	if (!error)
		error = tsv_answer_read(answer, text);
	if (error == -ERROR_FORMAT)
		log_message(log, LOG_ERROR, clickhouse_http_name(http),
			    LOG_NO_OFFSET,
			    "the answer cannot be read: is this ClickHouse's "
			    "HTTP interface?");
	free(text);
	return error;
}

int clickhouse_ask_number(struct clickhouse_http *http, const struct log *log,
			  char *query, int64_t *number)
{
	struct answer answer;
	int error = answer_open(&answer);

	*number = 0;
	if (!error)
		error = query ? clickhouse_ask(http, log, query, &answer) :
				-ERROR_MEMORY;
	if (!error && answer_rows(&answer))
		*number = answer_number(&answer, 0, 0);
	answer_free(&answer);
	sqlite3_free(query);
	return error;
}

int clickhouse_do(struct clickhouse_http *http, char *statement)
{
	int error = statement ?
			    clickhouse_http_send(http, statement, NULL, NULL) :
			    -ERROR_MEMORY;

	sqlite3_free(statement);
	return error;
}
