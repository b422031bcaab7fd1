/* SPDX-License-Identifier: MIT */
#include "common/formats/kallsyms.h"

#include <endian.h>
#include <string.h>

struct kallsyms kallsyms_of(const char *text, size_t size)
{
	return (struct kallsyms){ .text = text, .end = text + size };
}

/* The byte @byte, eight times. */
#define BYTES(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Reads eight hexadecimal digits at once, for speed: a kernel has megabytes of
 * lines. Returns false if one of the bytes is not a digit (0 to 9, a to f).
 */
static bool read_eight(const char *at, uint64_t *value)
{
	uint64_t text;
	uint64_t worth;
	uint64_t above_nine;

	memcpy(&text, at, sizeof(text));
	text = le64toh(text);
	/* A letter has bit 6 set, and its low four bits are its value minus 9.
	 */
	worth = (text & BYTES(0x0f)) + (text >> 6 & BYTES(1)) * 9;
	above_nine = (worth + BYTES(0x80 - 10)) >> 7 & BYTES(1);
	if (text != worth + BYTES('0') + above_nine * ('a' - '9' - 1))
		return false;
	/* The first digit is the most significant: combines digits to bytes,
	 * bytes to 16 bits, and those to 32.
	 */
	worth = (worth << 4 | worth >> 8) & UINT64_C(0x00ff00ff00ff00ff);
	worth = (worth << 8 | worth >> 16) & UINT64_C(0x0000ffff0000ffff);
	*value = (worth << 16 | worth >> 32) & UINT32_MAX;
	return true;
}

static int worth_of(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

static const char *skip_word(const char *at, const char *end)
{
	const char *blank = memchr(at, ' ', (size_t)(end - at));
	const char *tab;

	if (blank)
		end = blank;
	tab = memchr(at, '\t', (size_t)(end - at));
	return tab ? tab : end;
}

static const char *read_hex(const char *at, const char *end, uint64_t *value)
{
	uint64_t sum = 0;
	uint64_t low;
	int worth;

	if (end - at > 16 && read_eight(at, &sum) && read_eight(at + 8, &low)) {
		sum = sum << 32 | low;
		at += 16;
	} else {
		sum = 0;
	}
	for (; at < end && (worth = worth_of(*at)) >= 0; at++)
		sum = sum << 4 | (uint64_t)worth;
	*value = sum;
	return at;
}

/* Parses "[name]" after the symbol; ignores other text there. */
static void read_module(const char *at, const char *end,
			struct kallsyms_line *line)
{
	const char *word_end;

	at = skip_blanks(at, end);
	line->module = at;
	line->module_length = 0;
	/* Most lines end here. */
	if (at == end)
		return;
	word_end = skip_word(at, end);
	if (word_end - at > 2 && *at == '[' && word_end[-1] == ']') {
		line->module = at + 1;
		line->module_length = (size_t)(word_end - at) - 2;
	}
}

static bool ends_name(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n';
}

/* Returns the end of the name at @at: a blank or the end of its line or of the
 * text. Compares eight bytes at once, as read_eight() does.
 */
static const char *skip_name(const char *at, const char *end)
{
	uint64_t text;
	uint64_t small;

	for (; end - at >= 8; at += 8) {
		memcpy(&text, at, sizeof(text));
		text = le64toh(text);
		/* The lowest set bit belongs to the first byte that is at most
		 * ' '.
		 */
		small = (text - BYTES(' ' + 1)) & ~text & BYTES(0x80);
		if (!small)
			continue;
		at += __builtin_ctzll(small) / 8;
		if (ends_name(*at))
			return at;
		/* Another control character: continue after it. */
		at -= 7;
	}
	while (at < end && !ends_name(*at))
		at++;
	return at;
}

/* Parses the line at @at, in a text that ends at @end. Sets *@next to where the
 * search for the next line may start: the end of the line, or before it.
 */
static bool read_line(const char *at, const char *end,
		      struct kallsyms_line *line, const char **next)
{
	const char *digits = at;
	const char *line_end;

	at = read_hex(at, end, &line->address);
	*next = at;
	if (at == digits || at - digits > 16 || end - at < 4 || *at != ' ' ||
	    at[1] == '\n' || at[2] != ' ')
		return false;
	line->type = at[1];
	line->name = at + 3;
	at = skip_name(line->name, end);
	line->name_length = (size_t)(at - line->name);
	line_end = at;
	/* Lines of modules have a second word. */
	if (at < end && *at != '\n')
		line_end = memchr(at, '\n', (size_t)(end - at));
	*next = line_end ? line_end : end;
	read_module(at, *next, line);
	return line->name_length > 0;
}

int kallsyms_next(struct kallsyms *kallsyms, struct kallsyms_line *line)
{
	while (kallsyms->text < kallsyms->end) {
		const char *end = kallsyms->end;
		const char *at;
		bool is_good = read_line(kallsyms->text, end, line, &at);

		if (at < end && *at != '\n')
			at = memchr(at, '\n', (size_t)(end - at));
		kallsyms->text = at && at < end ? at + 1 : end;
		if (is_good)
			return 1;
		kallsyms->bad_lines++;
	}
	return 0;
}

/* Returns whether the symbol, of the kernel proper or of a module, is @name. */
static bool kallsyms_line_is(const struct kallsyms_line *line, const char *name)
{
	return strlen(name) == line->name_length &&
	       !memcmp(name, line->name, line->name_length);
}

bool kallsyms_line_is_kernels(const struct kallsyms_line *line,
			      const char *name)
{
	return !line->module_length && kallsyms_line_is(line, name);
}
