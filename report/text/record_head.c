/* SPDX-License-Identifier: MIT */
#include "report/text/record_head.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Words of names that are written differently in headings. */
static const struct {
	const char *word;
	const char *instead;
} words[] = {
	{ "ns", "" },
	{ "percent", "%" },
	{ "cpu", "CPU" },
	{ "irq", "IRQ" },
};

static const char *word_instead(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].word) == length &&
		    !strncmp(words[i].word, word, length))
			return words[i].instead;
	return NULL;
}

static void write_words(char *text, size_t size, const char *name)
{
	size_t used = 0;

	*text = '\0';
	while (*name) {
		size_t length = strcspn(name, "_");
		const char *instead = word_instead(name, length);

		if (!instead || *instead)
			used += (size_t)snprintf(
				text + used, size - used, "%s%.*s",
				used ? " " : "",
				instead ? (int)strlen(instead) : (int)length,
				instead ? instead : name);
		if (used >= size)
			return;
		name += length + (name[length] == '_');
	}
}

static size_t wider_part(const char *text, size_t space)
{
	size_t rest = strlen(text) - space - 1;

	return space > rest ? space : rest;
}

/* Returns the position at which to break @text, which must contain a space. */
static size_t best_break(const char *text)
{
	size_t best = strcspn(text, " ");

	for (size_t i = best; text[i]; i++)
		if (text[i] == ' ' &&
		    wider_part(text, i) < wider_part(text, best))
			best = i;
	return best;
}

struct record_head record_head_of(const char *name, int width)
{
	struct record_head head = { { "", "" } };
	char *text = head.lines[1];
	size_t space;

	write_words(text, sizeof(head.lines[1]), name);
	if ((int)strlen(text) <= width || !strchr(text, ' '))
		return head;
	space = best_break(text);
	memcpy(head.lines[0], text, space);
	memmove(text, text + space + 1, strlen(text) - space);
	return head;
}

int record_head_width(const struct record_head *head)
{
	size_t first = strlen(head->lines[0]);
	size_t second = strlen(head->lines[1]);

	return (int)(first > second ? first : second);
}

bool record_head_is(const char *name, const char *wanted)
{
	char words_of_name[sizeof(((struct record_head *)0)->lines[1])];
	char words_wanted[sizeof(words_of_name)];

	if (!strcmp(name, wanted))
		return true;
	write_words(words_of_name, sizeof(words_of_name), name);
	write_words(words_wanted, sizeof(words_wanted), wanted);
	for (char *c = words_wanted; *c; c++)
		if (*c == '_')
			*c = ' ';
	return *words_wanted && !strcasecmp(words_of_name, words_wanted);
}
