/* SPDX-License-Identifier: MIT */
#include "cmd/options/report_options.h"
#include "common/clocks.h"
#include "tests/run_suite.h"

#include <stdio.h>

static const struct {
	const char *text;
	bool is_good;
	uint64_t duration_ns;
} durations[] = {
	{ "1", true, 1000000000 },
	{ "3.935749927", true, 3935749927 },
	{ "10us", true, 10000 },
	{ "1.5ms", true, 1500000 },
	{ "7ns", true, 7 },
	{ "2s", true, 2000000000 },
	{ "", false, 0 },
	{ "us", false, 0 },
	{ "5 us", false, 0 },
	{ "5m", false, 0 },
	{ "1.2.3", false, 0 },
	{ "-1", false, 0 },
	{ "99999999999999999999s", false, 0 },
	{ "18446744074s", false, 0 },
};

START_TEST(durations_are_read_exactly)
{
	uint64_t duration_ns;

	ck_assert_int_eq(duration_read(durations[_i].text, &duration_ns),
			 durations[_i].is_good);
	if (durations[_i].is_good)
		ck_assert_uint_eq(duration_ns, durations[_i].duration_ns);
}
END_TEST

START_TEST(lists_take_ranges_and_names)
{
	const struct option_set set = { .command = "test", .purpose = "" };
	char words[8][16] = {
		"test",		 "--cpu=0,2-4", "--pid", "7",
		"--comm=ls,cat", "-i",		"x",	 "--top=5"
	};
	char *arguments[9] = { 0 };
	struct report_options options;
	struct step_filter filter;

	for (int i = 0; i < 8; i++)
		arguments[i] = words[i];
	ck_assert_int_eq(report_options_read(&options, &set, 8, arguments), 0);
	filter = report_options_filter(&options, NULL);
	ck_assert_uint_eq(filter.cpu_count, 4);
	ck_assert_uint_eq(filter.cpus[3], 4);
	ck_assert_uint_eq(filter.pid_count, 1);
	ck_assert(name_choice_has(filter.comms, "cat"));
	ck_assert(!name_choice_has(filter.comms, "cut"));
	ck_assert_str_eq(options.input, "x");
	ck_assert_uint_eq(options.top, 5);
	report_options_free(&options);
}
END_TEST

static const char *const bad_arguments[] = {
	"--cpu=",     "--cpu=3-1",  "--pid=x",	   "--top=-1",
	"--nonsense", "word",	    "--color=red", "--comm=",
	"--comm=a,",  "--comm=/(/", "--comm=/a/b",
};

START_TEST(wrong_usage_is_refused)
{
	const struct option_set set = { .command = "test", .purpose = "" };
	char name[] = "test";
	char argument[32];
	char *arguments[] = { name, argument, NULL };
	struct report_options options;

	snprintf(argument, sizeof(argument), "%s", bad_arguments[_i]);
	ck_assert_int_eq(report_options_read(&options, &set, 2, arguments),
			 2 + 1);
	report_options_free(&options);
}
END_TEST

/* A command line: the command's name and up to 4 words. */
struct command_line {
	char words[5][16];
	char *arguments[6];
	int count;
};

static void command_line_make(struct command_line *line,
			      const char *const *words, int most)
{
	*line = (struct command_line){ .words = { "test" }, .count = 1 };
	line->arguments[0] = line->words[0];
	for (; line->count <= most && words[line->count - 1]; line->count++) {
		snprintf(line->words[line->count], sizeof(line->words[0]), "%s",
			 words[line->count - 1]);
		line->arguments[line->count] = line->words[line->count];
	}
}

static const struct {
	const char *words[4]; /* after the command's name */
	int status;
	const char *pair;
} pairs[] = {
	{ { "--between", "a", "b" }, 0, "a,b" },
	{ { "--between=a", "b" }, 0, "a,b" },
	{ { "--between", "a,b" }, 0, "a,b" },
	{ { "--between=a,b", "--top=1" }, 0, "a,b" },
	{ { "--between", "a" }, 3, NULL },
	{ { "--between", "a", "--top=1" }, 3, NULL },
	{ { "--between", "a", "b", "c" }, 3, "a,b" },
};

static bool consume_pair(void *ctx, int index, const char *argument)
{
	ck_assert_int_eq(index, 0);
	snprintf(ctx, 16, "%s", argument);
	return true;
}

START_TEST(two_arguments_come_as_one)
{
	static const struct own_option own[] = { { "between", "A B", "", 0,
						   TAKEN } };
	char pair[16] = "";
	const struct option_set set = {
		.command = "test",
		.purpose = "",
		.own = own,
		.own_count = 1,
		.consume = consume_pair,
		.ctx = pair,
	};
	struct command_line line;
	struct report_options options;

	command_line_make(&line, pairs[_i].words, 4);
	ck_assert_int_eq(report_options_read(&options, &set, line.count,
					     line.arguments),
			 pairs[_i].status);
	if (pairs[_i].pair)
		ck_assert_str_eq(pair, pairs[_i].pair);
	report_options_free(&options);
}
END_TEST

static const struct {
	const char *word;
	int status;
	const char *argument; /* NULL: without one */
} optional[] = {
	{ "--interrupts", 0, NULL },
	{ "--interrupts=on", 0, "on" },
	{ "--interrupts=", 0, "" },
};

static bool consume_optional(void *ctx, int index, const char *argument)
{
	const char **taken = ctx;

	ck_assert_int_eq(index, 0);
	*taken = argument;
	return true;
}

START_TEST(arguments_may_be_left_out)
{
	const char *taken = "not taken";
	const struct own_option own = { "interrupts", "[BY]", "", 0, TAKEN };
	const struct option_set set = {
		.command = "test",
		.purpose = "",
		.own = &own,
		.own_count = 1,
		.consume = consume_optional,
		.ctx = &taken,
	};
	char name[] = "test";
	char word[32];
	char *arguments[] = { name, word, NULL };
	struct report_options options;

	snprintf(word, sizeof(word), "%s", optional[_i].word);
	ck_assert_int_eq(report_options_read(&options, &set, 2, arguments),
			 optional[_i].status);
	if (optional[_i].argument)
		ck_assert_str_eq(taken, optional[_i].argument);
	else
		ck_assert_ptr_null(taken);
	report_options_free(&options);
}
END_TEST

static const struct {
	const char *words[2];
	const char *input, *query;
} operands[] = {
	{ { "vfs_read" }, NULL, "vfs_read" },
	{ { "/dev/null" }, "/dev/null", NULL },
	{ { "/dev/null", "vfs_read" }, "/dev/null", "vfs_read" },
	{ { "vfs_read", "/dev/null" }, "/dev/null", "vfs_read" },
};

START_TEST(the_recording_is_the_operand_that_exists)
{
	const struct option_set set = { .command = "test",
					.purpose = "",
					.takes_input = true,
					.takes_query = true };
	struct command_line line;
	struct report_options options;

	command_line_make(&line, operands[_i].words, 2);
	ck_assert_int_eq(report_options_read(&options, &set, line.count,
					     line.arguments),
			 0);
	if (operands[_i].input)
		ck_assert_str_eq(options.input, operands[_i].input);
	ck_assert_pstr_eq(options.query, operands[_i].query);
	report_options_free(&options);
}
END_TEST

SUITE("report_options")
{
	TEST_EACH(durations_are_read_exactly, durations);
	TEST(lists_take_ranges_and_names);
	TEST_EACH(wrong_usage_is_refused, bad_arguments);
	TEST_EACH(two_arguments_come_as_one, pairs);
	TEST_EACH(arguments_may_be_left_out, optional);
	TEST_EACH(the_recording_is_the_operand_that_exists, operands);
}
