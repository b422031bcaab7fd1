/* SPDX-License-Identifier: MIT */
#include "common/kallsyms.h"

#include <string.h>

struct kallsyms kallsyms_of(const char *text, size_t size)
{
	return (struct kallsyms){ .text = text, .end = text + size };
}

/* What each digit is worth, and 1 more: a kernel has megabytes of lines. */
static const uint8_t digits_above[UINT8_MAX + 1] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

static const char *skip_word(const char *at, const char *end)
{
	while (at < end && *at != ' ' && *at != '\t')
		at++;
	return at;
}

static const char *read_hex(const char *at, const char *end, uint64_t *value)
{
	uint64_t sum = 0;
	uint8_t above;

	for (; at < end && (above = digits_above[(uint8_t)*at]); at++)
		sum = sum << 4 | (uint64_t)(above - 1);
	*value = sum;
	return at;
}

/* "[name]" after the symbol; anything else there is left alone. */
static void read_module(const char *at, const char *end,
			struct kallsyms_line *line)
{
	const char *word_end;

	at = skip_blanks(at, end);
	word_end = skip_word(at, end);
	line->module = at;
	line->module_length = 0;
	if (word_end - at > 2 && *at == '[' && word_end[-1] == ']') {
		line->module = at + 1;
		line->module_length = (size_t)(word_end - at) - 2;
	}
}

static bool read_line(const char *at, const char *end,
		      struct kallsyms_line *line)
{
	const char *digits = at;

	at = read_hex(at, end, &line->address);
	if (at == digits || at - digits > 16 || end - at < 4 || *at != ' ')
		return false;
	line->type = at[1];
	if (at[2] != ' ')
		return false;
	line->name = at + 3;
	at = skip_word(line->name, end);
	line->name_length = (size_t)(at - line->name);
	read_module(at, end, line);
	return line->name_length > 0;
}

int kallsyms_next(struct kallsyms *kallsyms, struct kallsyms_line *line)
{
	while (kallsyms->text < kallsyms->end) {
		const char *at = kallsyms->text;
		size_t left = (size_t)(kallsyms->end - at);
		const char *end = memchr(at, '\n', left);

		if (!end)
			end = kallsyms->end;
		kallsyms->text = end + (end < kallsyms->end);
		if (read_line(at, end, line))
			return 1;
		kallsyms->bad_lines++;
	}
	return 0;
}

bool kallsyms_line_is(const struct kallsyms_line *line, const char *name)
{
	return strlen(name) == line->name_length &&
	       !memcmp(name, line->name, line->name_length);
}

bool kallsyms_line_is_kernels(const struct kallsyms_line *line,
			      const char *name)
{
	return !line->module_length && kallsyms_line_is(line, name);
}
