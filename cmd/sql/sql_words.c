/* SPDX-License-Identifier: MIT */
#include "cmd/sql/sql_words.h"

#include "common/array.h"
#include "sql/rows/sql_table.h"
#include "sql/tables/sql_tables.h"

#include <sqlite3.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* When out of memory, the word is missing from the list. */
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

char **sql_words_complete(const char *text)
{
	struct array words = ARRAY_OF(char *);
	char **first = array_add(&words);

	if (!first)
		return NULL;
	/* Names before keywords: the common prefix is spelled as in the first
	 * word.
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
