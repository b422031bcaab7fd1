/* SPDX-License-Identifier: MIT */
#include "common/closest_word.h"
#include "tests/run_suite.h"

static const struct {
	const char *word;
	const char *list;
	const char *text;
} cases[] = {
	{ "repport", "record report", " (did you mean report?)" },
	{ "reprot", "record report", " (did you mean report?)" },
	{ "REPORT", "record report", " (did you mean report?)" },
	{ "flame", "flat flamegraph", " (did you mean flamegraph?)" },
	{ "jason", "text, csv or json", " (did you mean json?)" },
	{ "of", "text, csv or json", "" },
	{ "xml", "text, csv or json", "" },
	{ "x", "y", "" },
	{ "", "text", "" },
	{ "banana", "record report", "" },
	{ "self_n", "self_ns calls", " (did you mean self_ns?)" },
	{ "slep", "wall_ns asleep_ns", " (did you mean asleep_ns?)" },
	{ "runable", "runnable_ns", " (did you mean runnable_ns?)" },
	{ "1234567890123456789012345678901234567890123456789012345678901234",
	  "1234567890123456789012345678901234567890123456789012345678901235",
	  "" },
};

START_TEST(the_closest_word_is_suggested)
{
	struct closest_word closest = closest_word_to(cases[_i].word);
	char text[CLOSEST_WORD_TEXT];

	closest_word_offer_list(&closest, cases[_i].list);
	ck_assert_str_eq(closest_word_text(&closest, "", text), cases[_i].text);
}
END_TEST

START_TEST(the_first_of_equally_close_words_wins)
{
	struct closest_word closest = closest_word_to("cat");
	char text[CLOSEST_WORD_TEXT];

	closest_word_offer(&closest, "cut");
	closest_word_offer(&closest, "cot");
	ck_assert_str_eq(closest_word_text(&closest, "--", text),
			 " (did you mean --cut?)");
}
END_TEST

SUITE("closest_word")
{
	TEST_EACH(the_closest_word_is_suggested, cases);
	TEST(the_first_of_equally_close_words_wins);
}
