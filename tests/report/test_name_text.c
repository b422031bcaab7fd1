/* SPDX-License-Identifier: MIT */
#include "report/text/name_text.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

enum { RULES = NAME_FOLDED + 1 };

#define SAME(text) \
	{ \
		(text), (text), (text), (text), (text), (text) \
	}

static const struct {
	const char *name;
	const char *expected[RULES]; /* by enum name_rules */
} cases[] = {
	{ "", SAME("") },
	{ "vfs_read", SAME("vfs_read") },
	{ "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7",
	  SAME("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7") },
	{ "a\033[2Jb",
	  { "a\\x1b[2Jb", "a\033[2Jb", "a\\u001b[2Jb", "a\\x1b[2Jb",
	    "a\\x1b[2Jb", "a\\x1b[2Jb" } },
	{ "a\nb\tc\rd",
	  { "a\\x0ab\\x09c\\x0dd", "a\nb\tc\rd", "a\\u000ab\\u0009c\\u000dd",
	    "a\nb\tc\rd", "a\\x0ab\\x09c\\x0dd", "a\\x0ab\\x09c\\x0dd" } },
	{ "\a\x7f",
	  { "\\x07\\x7f", "\a\x7f", "\\u0007\x7f", "\\x07\\x7f", "\\x07\x7f",
	    "\\x07\\x7f" } },
	/* ESC [ as one character. */
	{ "\xc2\x9bm",
	  { "\\xc2\\x9bm", "\xc2\x9bm", "\xc2\x9bm", "\xc2\x9bm", "\xc2\x9bm",
	    "\\xc2\\x9bm" } },
	/* No UTF-8: a byte alone, too long, a surrogate, cut, too large. */
	{ "\xff"
	  "a\x80",
	  { "\\xff"
	    "a\\x80",
	    "\\xff"
	    "a\\x80",
	    "\\\\xff"
	    "a\\\\x80",
	    "\\xff"
	    "a\\x80",
	    "\\xff"
	    "a\\x80",
	    "\\xff"
	    "a\\x80" } },
	{ "\xc0\xaf",
	  { "\\xc0\\xaf", "\\xc0\\xaf", "\\\\xc0\\\\xaf", "\\xc0\\xaf",
	    "\\xc0\\xaf", "\\xc0\\xaf" } },
	{ "\xed\xa0\x80",
	  { "\\xed\\xa0\\x80", "\\xed\\xa0\\x80", "\\\\xed\\\\xa0\\\\x80",
	    "\\xed\\xa0\\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80" } },
	{ "\xe2\x82",
	  { "\\xe2\\x82", "\\xe2\\x82", "\\\\xe2\\\\x82", "\\xe2\\x82",
	    "\\xe2\\x82", "\\xe2\\x82" } },
	{ "\xf4\x90\x80\x80",
	  { "\\xf4\\x90\\x80\\x80", "\\xf4\\x90\\x80\\x80",
	    "\\\\xf4\\\\x90\\\\x80\\\\x80", "\\xf4\\x90\\x80\\x80",
	    "\\xf4\\x90\\x80\\x80", "\\xf4\\x90\\x80\\x80" } },
	/* U+FFFF is UTF-8, but not for XML. */
	{ "\xef\xbf\xbf",
	  { "\xef\xbf\xbf", "\xef\xbf\xbf", "\xef\xbf\xbf", "\xef\xbf\xbf",
	    "\\xef\\xbf\\xbf", "\xef\xbf\xbf" } },
	{ "a\"b\\c",
	  { "a\"b\\c", "a\"b\\c", "a\\\"b\\\\c", "a\"\"b\\c", "a&quot;b\\c",
	    "a\"b\\c" } },
	{ "f<T&>(a, b);",
	  { "f<T&>(a, b);", "f<T&>(a, b);", "f<T&>(a, b);", "f<T&>(a, b);",
	    "f&lt;T&amp;&gt;(a, b);", "f<T&>(a, b):" } },
};

START_TEST(each_format_gets_names_that_it_allows)
{
	const char *name = cases[_i].name;

	for (int rules = 0; rules < RULES; rules++) {
		const char *expected = cases[_i].expected[rules];
		char *made = name_made((enum name_rules)rules, name);
		char *written = NULL;
		size_t size;
		FILE *out = open_memstream(&written, &size);

		ck_assert_ptr_nonnull(made);
		ck_assert_msg(!strcmp(made, expected), "%d: %s", rules, made);
		name_write(out, (enum name_rules)rules, name);
		fclose(out);
		ck_assert_str_eq(written, expected);
		free(written);
		free(made);
	}
}
END_TEST

/* The buffer may end inside any character: a name stays whole. */
START_TEST(long_names_stay_whole)
{
	enum { LENGTH = 5000 };
	char name[LENGTH + 1];
	char *written = NULL;
	size_t size;
	FILE *out = open_memstream(&written, &size);

	memset(name, 'a', sizeof(name));
	for (int i = _i; i + 2 <= LENGTH; i += 2)
		memcpy(name + i, "\xc3\xa9", 2);
	name[LENGTH - (LENGTH - _i) % 2] = 0;
	name_write(out, NAME_JSON, name);
	fclose(out);
	ck_assert_str_eq(written, name);
	free(written);
}
END_TEST

START_TEST(no_name_outgrows_its_room)
{
	static const char *const worst[] = { "\"", "\033", "\xff", "&" };
	char text[NAME_GROWTH + 1];

	for (int rules = 0; rules < RULES; rules++) {
		for (int i = 0; i < 4; i++) {
			memset(text, 0x7e, sizeof(text));
			ck_assert_uint_le(name_text(text,
						    (enum name_rules)rules,
						    worst[i], 1),
					  NAME_GROWTH);
			ck_assert_int_eq(text[NAME_GROWTH], 0x7e);
		}
	}
}
END_TEST

/* Names, and how a shell reads them as one word. */
static const struct {
	const char *name;
	const char *word;
} words[] = {
	{ "/tmp/kworker-0:1", "/tmp/kworker-0:1" },
	{ "two words", "'two words'" },
	{ "", "''" },
	{ "caf\xc3\xa9\"", "'caf\xc3\xa9\"'" },
	{ "it's", "$'it\\'s'" },
	{ "a\\", "$'a\\\\'" },
	{ "$(reboot)`x`", "'$(reboot)`x`'" },
	{ "a\nb\x1b\xff", "$'a\\x0ab\\x1b\\xff'" },
};

START_TEST(a_name_is_one_word_for_a_shell)
{
	char *word = name_word(words[_i].name);
	char command[128];
	char read[64] = "";
	FILE *shell;

	ck_assert_str_eq(word, words[_i].word);
	snprintf(command, sizeof(command), "bash <<'END'\nprintf %%s %s\nEND\n",
		 word);
	shell = popen(command, "r");
	ck_assert_ptr_nonnull(shell);
	ck_assert_uint_eq(fread(read, 1, sizeof(read), shell),
			  strlen(words[_i].name));
	ck_assert_str_eq(read, words[_i].name);
	ck_assert_int_eq(pclose(shell), 0);
	free(word);
}
END_TEST

/* Names, and their UTF-8. */
static const struct {
	const char *name;
	const char *text;
} encoded[] = {
	{ "", "" },
	{ "of_fifteen_bytes", "of_fifteen_bytes" },
	{ "z\xc3\xbcrich_\xe2\x82\xac", "z\xc3\xbcrich_\xe2\x82\xac" },
	{ "of_fifteen_by\xe2\x82", "of_fifteen_by\\xe2\\x82" },
	{ "\xff", "\\xff" },
	{ "longer_than_\xff_a_word", "longer_than_\\xff_a_word" },
};

/* The kernel cuts a thread's name after 15 bytes, also within a character. */
START_TEST(what_is_no_utf8_is_escaped)
{
	const char *name = encoded[_i].name;
	char *made = NULL;
	const char *text = name_utf8(name, &made);

	ck_assert_str_eq(text, encoded[_i].text);
	ck_assert_ptr_eq(text, strcmp(name, encoded[_i].text) ? made : name);
	free(made);
}
END_TEST

SUITE("name_text")
{
	TEST_EACH(a_name_is_one_word_for_a_shell, words);
	TEST_EACH(what_is_no_utf8_is_escaped, encoded);
	TEST_EACH(each_format_gets_names_that_it_allows, cases);
	TEST_TIMES(long_names_stay_whole, 2);
	TEST(no_name_outgrows_its_room);
}
