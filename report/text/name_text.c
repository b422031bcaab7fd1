/* SPDX-License-Identifier: MIT */
#include "report/text/name_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	TEXT_WIDTH_LEAST = 40,
	TEXT_WIDTH_FILE = 100, /* if the output is not on a terminal */
};

static int columns_wanted(void)
{
	const char *text = getenv("COLUMNS");
	char *end;
	long value = text ? strtol(text, &end, 10) : 0;

	return text && *text && !*end && value > 0 && value < 10000 ?
		       (int)value :
		       0;
}

static int columns_of_terminal(int fd)
{
	struct winsize size;

	return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col :
								 0;
}

/* Returns the width of the terminal that shows @out; 0: none. A pager reads
 * from a pipe and displays on this process's standard output.
 */
static int columns_shown(FILE *out)
{
	struct stat status;
	int fd = fileno(out);

	if (fd < 0)
		return 0;
	if (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode))
		return columns_of_terminal(STDOUT_FILENO);
	return columns_of_terminal(fd);
}

int text_width_of(FILE *out)
{
	int width = columns_wanted();

	if (!width)
		width = columns_shown(out);
	if (!width)
		width = TEXT_WIDTH_FILE;
	return width < TEXT_WIDTH_LEAST ? TEXT_WIDTH_LEAST : width;
}

const struct colors colors_none = {
	.hot = "",
	.warm = "",
	.missing = "",
	.faint = "",
	.subject = "",
	.plain = "",
};

const struct colors colors_of_terminal = {
	.hot = "\033[31m",
	.warm = "\033[32m",
	.missing = "\033[1;31m",
	.faint = "\033[2m",
	.subject = "\033[1m",
	.plain = "\033[0m",
};

const char *colors_of_share(const struct colors *colors, double percent)
{
	if (percent >= 5)
		return colors->hot;
	return percent >= 0.5 ? colors->warm : "";
}

/* Returns the lowest second byte that may follow @first. The highest is bf,
 * with exceptions.
 */
static uint8_t least_second(uint8_t first)
{
	return first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
}

static uint8_t most_second(uint8_t first)
{
	return first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
}

size_t utf8_length(const char *text, size_t length)
{
	const uint8_t *bytes = (const uint8_t *)text;
	size_t count;

	if (!length || (bytes[0] >= 0x80 && bytes[0] < 0xc2) || bytes[0] > 0xf4)
		return 0;
	count = bytes[0] < 0x80 ? 1 :
		bytes[0] < 0xe0 ? 2 :
		bytes[0] < 0xf0 ? 3 :
				  4;
	if (count > length)
		return 0;
	if (count > 1 && (bytes[1] < least_second(bytes[0]) ||
			  bytes[1] > most_second(bytes[0])))
		return 0;
	for (size_t i = 2; i < count; i++)
		if (bytes[i] < 0x80 || bytes[i] > 0xbf)
			return 0;
	return count;
}

/* Returns whether @byte is an ASCII control character: C0 or DEL. */
static bool is_control(uint8_t byte)
{
	return byte < 0x20 || byte == 0x7f;
}

/* Returns whether @bytes are a C1 control character. Terminals interpret U+009B
 * as ESC [.
 */
static bool is_c1(const uint8_t *bytes)
{
	return bytes[0] == 0xc2 && bytes[1] < 0xa0;
}

/* Returns whether @bytes are U+FFFE or U+FFFF, which XML does not allow. */
static bool is_no_character(const uint8_t *bytes)
{
	return bytes[0] == 0xef && bytes[1] == 0xbf && bytes[2] >= 0xbe;
}

/* Returns whether @rules can express the valid character at @bytes, directly or
 * by an escape of the format.
 */
static bool is_allowed(enum name_rules rules, const uint8_t *bytes, size_t size)
{
	switch (rules) {
	case NAME_TEXT:
	case NAME_FOLDED:
	case NAME_SHELL:
		return size == 1 ? !is_control(*bytes) : !is_c1(bytes);
	case NAME_XML:
		return size == 1 ? *bytes >= 0x20 : !is_no_character(bytes);
	case NAME_CSV:
		return size > 1 || !is_control(*bytes) ||
		       strchr("\t\r\n", *bytes);
	case NAME_UTF8:
	case NAME_JSON:
		break;
	}
	return true;
}

static size_t put_byte(char *text, const char *before, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";
	size_t size = strlen(before);

	memcpy(text, before, size);
	text[size] = digits[byte >> 4];
	text[size + 1] = digits[byte & 0xf];
	return size + 2;
}

static const char *xml_entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	default:
		return NULL;
	}
}

/* Returns the format's escape of @c, or NULL. */
static const char *replacement(enum name_rules rules, char c)
{
	switch (rules) {
	case NAME_JSON:
		return c == '"' ? "\\\"" : c == '\\' ? "\\\\" : NULL;
	case NAME_CSV:
		return c == '"' ? "\"\"" : NULL;
	case NAME_XML:
		return xml_entity(c);
	case NAME_FOLDED:
		return c == ';' ? ":" : NULL;
	case NAME_SHELL:
		return c == '\'' ? "\\'" : c == '\\' ? "\\\\" : NULL;
	case NAME_TEXT:
	case NAME_UTF8:
		break;
	}
	return NULL;
}

/* Writes one character of @size bytes. */
static size_t put_character(char *text, enum name_rules rules,
			    const char *character, size_t size)
{
	const char *instead = size == 1 ? replacement(rules, *character) : NULL;

	if (rules == NAME_JSON && (uint8_t)*character < 0x20)
		return put_byte(text, "\\u00", (uint8_t)*character);
	if (instead) {
		size = strlen(instead);
		character = instead;
	}
	memcpy(text, character, size);
	return size;
}

/* Writes the character at *@name, or one invalid byte, and advances past it. */
static size_t put_next(char *text, enum name_rules rules, const char **name,
		       const char *end)
{
	const char *here = *name;
	size_t size = utf8_length(here, (size_t)(end - here));

	if (size && is_allowed(rules, (const uint8_t *)here, size)) {
		*name += size;
		return put_character(text, rules, here, size);
	}
	++*name;
	return put_byte(text, rules == NAME_JSON ? "\\\\x" : "\\x",
			(uint8_t)*here);
}

size_t name_text(char *text, enum name_rules rules, const char *name,
		 size_t length)
{
	const char *end = name + length;
	size_t size = 0;

	while (name < end)
		size += put_next(text + size, rules, &name, end);
	return size;
}

char *name_made(enum name_rules rules, const char *name)
{
	size_t length = strlen(name);
	char *text = malloc(length * NAME_GROWTH + 1);

	if (text)
		text[name_text(text, rules, name, length)] = 0;
	return text;
}

static bool is_ascii(const char *text, size_t length)
{
	uint64_t bits = 0, word;

	for (; length >= sizeof(word); length -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		bits |= word;
		text += sizeof(word);
	}
	while (length--)
		bits |= (uint8_t)*text++;
	return !(bits & UINT64_C(0x8080808080808080));
}

const char *name_utf8(const char *name, char **made)
{
	const char *end = name + strlen(name);
	const char *at = name;
	size_t size = 1;

	if (is_ascii(name, (size_t)(end - name)))
		return name;
	for (; at < end && size; at += size)
		size = utf8_length(at, (size_t)(end - at));
	if (size)
		return name;
	*made = name_made(NAME_UTF8, name);
	return *made;
}

char *name_word(const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "/._-+:@%,=";
	char *text = name_made(NAME_SHELL, name);
	char *word = NULL;

	if (*name && !name[strspn(name, plain)])
		return text;
	if (text &&
	    asprintf(&word, strcmp(text, name) ? "$'%s'" : "'%s'", text) < 0)
		word = NULL;
	free(text);
	return word;
}

void name_write_part(FILE *out, enum name_rules rules, const char *name,
		     size_t length)
{
	enum { ROOM = 1024, MOST = NAME_GROWTH * 4 };
	const char *end = name + length;
	char text[ROOM];
	size_t size = 0;

	while (name < end) {
		size += put_next(text + size, rules, &name, end);
		if (size > ROOM - MOST || name == end) {
			fwrite(text, 1, size, out);
			size = 0;
		}
	}
}

void name_write(FILE *out, enum name_rules rules, const char *name)
{
	name_write_part(out, rules, name, strlen(name));
}
