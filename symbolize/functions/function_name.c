/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/function_name.h"

#include <string.h>

/* The meaning of a word after a dot in a symbol's name. */
enum word_kind {
	WORD_OTHER, /* part of the name itself */
	WORD_NUMBER,
	WORD_SAME,  /* a part, or all, of the same function */
	WORD_CLONE, /* a separate function, made from another */
};

static const struct {
	const char *word;
	enum word_kind kind;
} words[] = {
	{ "cold", WORD_SAME },	     { "llvm", WORD_SAME },
	{ "lto_priv", WORD_SAME },   { "localalias", WORD_SAME },
	{ "part", WORD_CLONE },	     { "isra", WORD_CLONE },
	{ "constprop", WORD_CLONE },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static enum word_kind kind_of(const char *word, size_t length)
{
	size_t digits = 0;

	while (digits < length && is_digit(word[digits]))
		digits++;
	if (digits == length)
		return length ? WORD_NUMBER : WORD_OTHER;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].word) == length &&
		    memcmp(words[i].word, word, length) == 0)
			return words[i].kind;
	return WORD_OTHER;
}

/* Returns the lengths of @name, a symbol's name without the mark of stubs. */
static struct name_lengths lengths_of_symbol(const char *name, size_t length)
{
	struct name_lengths lengths = { .name = 0, .base = length };
	size_t group_end = length; /* end of a word and the number after it */
	const char *dot;

	while ((dot = memrchr(name, '.', lengths.base))) {
		size_t at = (size_t)(dot - name);
		enum word_kind kind = kind_of(dot + 1, lengths.base - at - 1);

		/* A name that consists only of a suffix is unchanged. */
		if (!at || kind == WORD_OTHER)
			break;
		if (kind == WORD_CLONE && !lengths.name)
			lengths.name = group_end;
		group_end = kind == WORD_NUMBER ? lengths.base : at;
		lengths.base = at;
	}
	if (!lengths.name)
		lengths.name = lengths.base;
	return lengths;
}

struct name_lengths function_name_lengths(const char *name, size_t length)
{
	static const char stub[] = "@plt";
	const size_t mark = sizeof(stub) - 1;
	struct name_lengths lengths;

	if (length <= mark || memcmp(name + length - mark, stub, mark) != 0)
		return lengths_of_symbol(name, length);
	lengths = lengths_of_symbol(name, length - mark);
	lengths.name = length;
	return lengths;
}

bool function_name_is_cold(const char *name, size_t length)
{
	static const char mark[] = ".cold";
	size_t own = function_name_lengths(name, length).name;

	return own < length &&
	       memmem(name + own, length - own, mark, sizeof(mark) - 1);
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

bool function_name_is_label(const char *name, size_t length)
{
	static const char patched[] = "early_xen_iret_patch";

	return length == sizeof(patched) - 1 && !memcmp(name, patched, length);
}
