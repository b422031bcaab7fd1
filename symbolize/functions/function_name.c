/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/function_name.h"

#include <string.h>

static const char *const piece_words[] = {
	"cold", "part", "isra", "constprop", "llvm", "lto_priv", "localalias",
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns whether the word is one of piece_words or a bare number. */
static bool is_piece_word(const char *word, size_t length)
{
	size_t digits = 0;

	while (digits < length && is_digit(word[digits]))
		digits++;
	if (digits == length)
		return length > 0;
	for (size_t i = 0; i < sizeof(piece_words) / sizeof(*piece_words); i++)
		if (strlen(piece_words[i]) == length &&
		    memcmp(piece_words[i], word, length) == 0)
			return true;
	return false;
}

size_t function_name_length(const char *name, size_t length)
{
	size_t end = length;
	const char *dot;

	while ((dot = memrchr(name, '.', end))) {
		size_t at = (size_t)(dot - name);

		/* A name that is nothing but a suffix stays as it is. */
		if (!at || !is_piece_word(dot + 1, end - at - 1))
			break;
		end = at;
	}
	return end;
}

size_t function_name_padding(const char *name, size_t length)
{
	static const char *const marks[] = { "__pfx_", "__cfi_" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		size_t size = strlen(marks[i]);

		if (length > size && memcmp(name, marks[i], size) == 0)
			return size;
	}
	return 0;
}

bool function_name_is_mark(const char *name, size_t length)
{
	static const char *const ends[] = { "_text_start", "_text_end" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t size = strlen(ends[i]);

		if (length > size && !memcmp(name, "__", 2) &&
		    !memcmp(name + length - size, ends[i], size))
			return true;
	}
	return false;
}
