/* SPDX-License-Identifier: MIT */
#include "common/name_choice.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool placed_name_read(const char *text, size_t size, struct placed_name *name)
{
	static const char mark[] = "@0x";
	enum { MOST_DIGITS = 16 };
	const char *at = memmem(text, size, mark, strlen(mark));
	size_t digits;
	char number[MOST_DIGITS + 1];

	*name = (struct placed_name){ .text = text, .length = size };
	if (!at)
		return true;
	name->has_offset = true;
	name->length = (size_t)(at - text);
	digits = size - name->length - strlen(mark);
	if (!digits || digits > MOST_DIGITS)
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)digits,
		 at + strlen(mark));
	name->offset = strtoull(number, NULL, 16);
	return number[strspn(number, "0123456789abcdefABCDEF")] == '\0';
}

struct name_word {
	char *text; /* as written */
	bool is_regex;
	regex_t regex;
};

/* Returns the length of the entry at the start of @list. Commas in brackets are
 * part of it, "map<int, int>::at", unless a bracket is not closed, "operator<".
 * Square brackets are not counted, because they belong to shell patterns.
 */
static size_t word_length(const char *list)
{
	const char *end = *list == '/' ? strchr(list + 1, '/') : NULL;
	size_t length = 0;
	int depth = 0;

	if (end)
		return (size_t)(end + 1 - list);
	for (; list[length] && (depth > 0 || list[length] != ','); length++)
		if (!strchr("[]", list[length]))
			depth += brackets_change(list, length);
	return depth > 0 ? strcspn(list, ",") : length;
}

static bool read_regex(struct name_word *word)
{
	size_t length = strlen(word->text);
	char *pattern;

	if (*word->text != '/' || length < 3 || word->text[length - 1] != '/')
		return true;
	pattern = strndup(word->text + 1, length - 2);
	word->is_regex = pattern && !regcomp(&word->regex, pattern,
					     REG_EXTENDED | REG_NOSUB);
	free(pattern);
	return word->is_regex;
}

static void free_word(struct name_word *word)
{
	if (word->is_regex)
		regfree(&word->regex);
	free(word->text);
}

static bool read_word(struct name_choice *choice, const char *text,
		      size_t length)
{
	struct name_word word = { .text = strndup(text, length) };
	struct name_word *at = NULL;

	if (length && word.text && read_regex(&word))
		at = array_add(&choice->words);
	if (at)
		*at = word;
	else
		free_word(&word);
	return at;
}

bool name_choice_add(struct name_choice *choice, const char *list)
{
	const char *rest = list;

	choice->words.item_size = sizeof(struct name_word);
	for (;;) {
		size_t length = word_length(rest);

		if (!read_word(choice, rest, length))
			return false;
		rest += length;
		if (!*rest)
			break;
		if (*rest++ != ',')
			return false;
	}
	return *list == '/' || !strchr(list, ',') ||
	       read_word(choice, list, strlen(list));
}

void name_choice_free(struct name_choice *choice)
{
	for (size_t i = 0; i < choice->words.count; i++)
		free_word(array_at(&choice->words, i));
	array_free(&choice->words);
}

const char *name_choice_first(const struct name_choice *choice)
{
	const struct name_word *word = array_at(&choice->words, 0);

	return word->text;
}

static bool word_has(const struct name_word *word, const char *name)
{
	if (word->is_regex)
		return regexec(&word->regex, name, 0, NULL, 0) == 0;
	return !strcmp(word->text, name) || !fnmatch(word->text, name, 0);
}

bool name_choice_has(const struct name_choice *choice, const char *name)
{
	for (size_t i = 0; i < choice->words.count; i++)
		if (word_has(array_at(&choice->words, i), name))
			return true;
	return false;
}
