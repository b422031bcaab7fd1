/* SPDX-License-Identifier: MIT */
#include "cmd/sql/sql_shell.h"

#include "cmd/console/console.h"
#include "common/array.h"
#include "common/closest_word.h"
#include "common/error.h"
#include "sql/rows/sql_table.h"
#include "sql/scan/table_scan.h"
#include "sql/sqlite/query_rows.h"
#include "sql/sqlite/sqlite_reason.h"
#include "sql/tables/sql_tables.h"
#include "tables/text/recorded.h"

#include <editline/readline.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Finds the table or column that the query probably meant, if SQLite's @message
 * is about an unknown one. Writes it to @text, as closest_word_text() does.
 */
static const char *similar_name(const char *message,
				char text[CLOSEST_WORD_TEXT])
{
	bool is_table = !strncmp(message, "no such table: ", 15);
	bool is_column = !strncmp(message, "no such column: ", 16);
	const char *dot = strrchr(message, '.');
	const char *name = strchr(message, ':');
	struct closest_word closest = closest_word_to(
		is_table || is_column ? (dot ? dot + 1 : name + 2) : "");

	for (int i = 0; i < SQL_TABLES; i++) {
		const struct sql_table *table =
			sql_table_at((enum sql_table_id)i);

		if (is_table)
			closest_word_offer(&closest, table->name);
		for (uint32_t j = 0; is_column && j < table->column_count; j++)
			closest_word_offer(&closest, table->columns[j].name);
	}
	return closest_word_text(&closest, "", text);
}

void sql_failure_report(struct sqlite3 *db)
{
	char similar[CLOSEST_WORD_TEXT];

	if (sqlite_failed_in_file(db))
		say_of("sql", "%s: cannot write a temporary file: %s",
		       sqlite_temporary_place(), sqlite_reason(db));
	else
		say_of("sql", "%s%s", sqlite3_errmsg(db),
		       similar_name(sqlite3_errmsg(db), similar));
}

void sql_missing_report(const struct sql_recording *recording,
			const struct sql_reads *reads)
{
	const struct recorded recorded = recorded_of(recording->input.recording,
						     recording->input.events);
	int status = 0;

	if (notes_are_shown())
		status = sql_needs_explain(sql_tables_all(), &recorded, reads,
					   stderr);
	if (status < 0)
		say("%s", error_text(status));
}

void sql_missing_report_all(const struct sql_recording *recording)
{
	struct sql_reads all;

	for (int i = 0; i < SQL_TABLES; i++) {
		all.tables[i] = true;
		all.columns[i] = UINT64_MAX;
	}
	sql_missing_report(recording, &all);
}

static void free_words(struct array *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(*(char **)array_at(words, i));
	array_free(words);
}

static bool has_word(const struct array *words, const char *word, size_t length)
{
	for (size_t i = 1; i < words->count; i++) {
		const char *other = *(char **)array_at(words, i);

		if (!strncasecmp(other, word, length) && !other[length])
			return true;
	}
	return false;
}

/* Adds a word for completion. When out of memory, it is missing from the list.
 */
static void add(struct array *words, const char *text, const char *word,
		size_t length)
{
	char **added;

	if (length < strlen(text) || strncasecmp(word, text, strlen(text)) ||
	    has_word(words, word, length))
		return;
	added = array_add(words);
	if (!added)
		return;
	*added = strndup(word, length);
	if (!*added)
		words->count--;
}

static void add_keywords(struct array *words, const char *text)
{
	for (int i = 0; i < sqlite3_keyword_count(); i++) {
		const char *word;
		int length;

		if (!sqlite3_keyword_name(i, &word, &length))
			add(words, text, word, (size_t)length);
	}
}

static void add_names(struct array *words, const char *text)
{
	for (int i = 0; i < SQL_TABLES; i++) {
		const struct sql_table *table =
			sql_table_at((enum sql_table_id)i);

		add(words, text, table->name, strlen(table->name));
		for (uint32_t j = 0; j < table->column_count; j++)
			add(words, text, table->columns[j].name,
			    strlen(table->columns[j].name));
	}
}

/* Returns the longest common prefix of all words, spelled as in the first word.
 */
static char *common_part(const struct array *words)
{
	const char *first = *(char **)array_at(words, 1);
	size_t length = strlen(first);

	for (size_t i = 2; i < words->count; i++) {
		const char *word = *(char **)array_at(words, i);

		while (strncasecmp(first, word, length))
			length--;
	}
	return strndup(first, length);
}

/* Finds the words of a query that start with @text: keywords, tables, columns.
 *
 * Returns a list as libedit expects it: first their common prefix, then the
 * words, then NULL. The caller frees the list and its strings. Returns NULL if
 * there are none.
 */
static char **sql_words_complete(const char *text)
{
	struct array words = ARRAY_OF(char *);
	char **first = array_add(&words);

	if (!first)
		return NULL;
	/* Names come before keywords, because the common prefix is spelled as
	 * in the first word.
	 */
	add_names(&words, text);
	add_keywords(&words, text);
	if (words.count > 1)
		*(char **)array_at(&words, 0) = common_part(&words);
	if (words.count > 1 && array_add(&words))
		return words.items;
	free_words(&words);
	return NULL;
}

enum { MOST_HISTORY = 1000 };

struct shell {
	const struct sql_recording *recording;
	sqlite3 *db;
	enum record_format format;
	FILE *out;
	bool is_terminal;
	char history[PATH_MAX]; /* "": no history is saved */
	bool has_failed;
};

static char **complete(const char *text, int start, int end)
{
	(void)start;
	(void)end;
	/* Suppresses completion of file names if no word matches. */
	rl_attempted_completion_over = 1;
	return sql_words_complete(text);
}

static void begin_editing(struct shell *shell)
{
	const char *home = getenv("HOME");

	rl_attempted_completion_function = complete;
	using_history();
	stifle_history(MOST_HISTORY);
	if (!home || (size_t)snprintf(shell->history, sizeof(shell->history),
				      "%s/.ktrace-hw_history",
				      home) >= sizeof(shell->history))
		*shell->history = '\0';
	else
		read_history(shell->history);
	fprintf(stderr, "SQL over a recording: .tables, .schema TABLE, .mode "
			"text|csv|json, .quit; a query ends with ;\n");
}

/* Returns the next line without its newline, which the caller frees; NULL after
 * the last line.
 */
static char *read_line(const struct shell *shell, const char *prompt)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	if (shell->is_terminal)
		return readline(prompt);
	length = getline(&line, &room, stdin);
	if (length < 0) {
		free(line);
		return NULL;
	}
	if (length && line[length - 1] == '\n')
		line[length - 1] = '\0';
	return line;
}

static void list_tables(const struct shell *shell)
{
	for (int i = 0; i < SQL_TABLES; i++)
		fprintf(shell->out, "%-14s %s\n",
			sql_table_at((enum sql_table_id)i)->name,
			sql_table_at((enum sql_table_id)i)->meaning);
}

static bool show_schema(const struct shell *shell, const char *name)
{
	const struct sql_table *table = sql_table_find(name);

	for (uint32_t i = 0; table && i < table->column_count; i++) {
		const struct column *column = &table->columns[i];

		fprintf(shell->out, "%-24s %-5s %s\n", column->name,
			column->unit, column->meaning);
	}
	return table;
}

static bool set_mode(struct shell *shell, const char *mode)
{
	enum record_format format;

	if (!record_format_find(mode, &format))
		return false;
	shell->format = format;
	return true;
}

/* Runs one of the shell's own commands. Returns whether the shell continues. */
static bool run_own(struct shell *shell, char *line)
{
	const char *command = strtok(line, " \t");
	const char *argument = strtok(NULL, " \t");
	bool is_known = true;

	if (!strcmp(command, ".quit"))
		return false;
	if (!strcmp(command, ".tables"))
		list_tables(shell);
	else if (!strcmp(command, ".schema") && argument)
		is_known = show_schema(shell, argument);
	else if (!strcmp(command, ".mode") && argument)
		is_known = set_mode(shell, argument);
	else
		is_known = false;
	if (!is_known) {
		say_of("sql", "cannot do '%s%s%s'", command,
		       argument ? " " : "", argument ? argument : "");
		shell->has_failed = true;
	}
	return true;
}

static void run_query(struct shell *shell, const char *text)
{
	struct sql_reads reads;
	int status = query_rows_write(shell->db, text, shell->format, &reads,
				      shell->out);

	fflush(shell->out);
	if (status < 0) {
		sql_failure_report(shell->db);
		shell->has_failed = true;
	} else {
		sql_missing_report(shell->recording, &reads);
	}
}

/* Appends @line to the query so far. Returns NULL when out of memory. */
static char *join(char *query, const char *line)
{
	char *joined = NULL;

	if (asprintf(&joined, "%s%s%s", query ? query : "", query ? "\n" : "",
		     line) < 0)
		joined = NULL;
	free(query);
	return joined;
}

static bool is_blank(const char *text)
{
	return !text[strspn(text, " \t\n")];
}

/* Handles an input line. Returns whether the shell continues. */
static bool consume_line(struct shell *shell, char **query, char *line)
{
	if (!*query && *line == '.')
		return run_own(shell, line);
	if (!*query && is_blank(line))
		return true;
	*query = join(*query, line);
	if (!*query) {
		say("out of memory");
		shell->has_failed = true;
		return false;
	}
	if (!sqlite3_complete(*query))
		return true;
	if (shell->is_terminal)
		add_history(*query);
	run_query(shell, *query);
	free(*query);
	*query = NULL;
	return true;
}

int sql_shell(const struct sql_recording *recording, sqlite3 *db,
	      enum record_format format, FILE *out)
{
	struct shell shell = {
		.recording = recording,
		.db = db,
		.format = format,
		.out = out,
		.is_terminal = isatty(STDIN_FILENO),
	};
	char *query = NULL;
	char *line;
	bool goes_on = true;

	if (shell.is_terminal)
		begin_editing(&shell);
	while (goes_on &&
	       (line = read_line(&shell, query ? "   ...> " : "ktrace> "))) {
		goes_on = consume_line(&shell, &query, line);
		free(line);
	}
	/* The last query may lack a semicolon. */
	if (query)
		run_query(&shell, query);
	free(query);
	if (shell.is_terminal && *shell.history)
		write_history(shell.history);
	return shell.has_failed && !shell.is_terminal ? -1 : 0;
}
