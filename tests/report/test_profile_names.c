/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "report/profile/profile.h"
#include "report/profile/profile_report.h"
#include "report/steps/task_stacks.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct recording_fixture fixture;
static struct recording *recording;
static struct task_names *names;
static struct function_table *functions;
static struct task_stacks *stacks;
static struct profile *profile;

static const char evil[] = "f\033;\"\n\xff\xc2\x9b(<";

static void send(uint8_t kind, uint64_t time_ns, uint32_t function,
		 uint32_t depth)
{
	static const struct task task = { .tid = 7, .pid = 7 };
	const struct call_step step = {
		.kind = kind,
		.time_ns = time_ns,
		.clock_ns = time_ns,
		.function = function,
		.depth = depth,
		.task = &task,
	};

	profile_callback(profile)->consume(profile_callback(profile), &step);
}

/* vfs_read() calls the other for 30 ns. */
static void setup(void)
{
	const struct profile_options all = { .window = TIME_WINDOW_ALL };
	const char *module;

	recording_fixture_begin(&fixture);
	recording = recording_fixture_open(&fixture);
	ck_assert_int_eq(task_names_open(recording, &names), 0);
	functions = function_table_new();
	module = function_table_module(functions, "", 0);
	function_table_add(functions, "vfs_read", 8, module, 'k');
	function_table_add(functions, evil, strlen(evil), module, 'u');
	module = function_table_module(functions, "xfs", 3);
	function_table_add(functions, "vfs_read", 8, module, 'k');
	profile = profile_new(&all);
	stacks = task_stacks_new(all.window, profile_callback(profile));
	send(STEP_SWITCH, 100, 0, 0);
	send(STEP_ENTER, 100, 1, 0);
	send(STEP_ENTER, 110, 2, 1);
	send(STEP_EXIT, 140, 2, 1);
	send(STEP_EXIT, 150, 1, 0);
}

static void teardown(void)
{
	task_stacks_free(stacks);
	profile_free(profile);
	function_table_free(functions);
	task_names_close(names);
	recording_close(recording);
	recording_fixture_end(&fixture);
}

static const struct {
	const char *report;
	const char *format;
	const char *expected; /* somewhere in it */
} cases[] = {
	{ "flat", "text", "  f\\x1b;\"\\x0a\\xff\\xc2\\x9b(<  [u]\n" },
	{ "flat", "csv", "\n\"f\\x1b;\"\"\n\\xff\xc2\x9b(<\"," },
	{ "flat", "json",
	  "{\"function\":\"f\\u001b;\\\"\\u000a\\\\xff\xc2\x9b(<\"," },
	{ "callgraph", "text", " f\\x1b;\"\\x0a\\xff\\xc2\\x9b(<  [u] [" },
	{ "callgraph", "json",
	  "\"function\":\"f\\u001b;\\\"\\u000a\\\\xff\xc2\x9b(<\"," },
	{ "calltree", "text",
	  "time %     total      self    calls  function\n"
	  "100.00     50 ns     20 ns        1  vfs_read\n"
	  " 60.00     30 ns     30 ns        1    "
	  "f\\x1b;\"\\x0a\\xff\\xc2\\x9b(<  [u]\n" },
	{ "diff", "paths", "\n2,\"f\\x1b;\"\"\n\\xff\xc2\x9b(<\",0,1,30\n" },
	{ "flamegraph", "folded",
	  "vfs_read;f\\x1b:\"\\x0a\\xff\\xc2\\x9b(< 30\n" },
	{ "flamegraph", "svg",
	  " data-n=\"f\\x1b;&quot;\\x0a\\xff\xc2\x9b(&lt;\">" },
};

/* Returns whether all of it is UTF-8 without control characters. */
static bool is_clean(const char *text, size_t size)
{
	while (size) {
		size_t length = utf8_length(text, size);

		if (!length || (length == 1 && *text < 0x20 && *text != '\n'))
			return false;
		text += length;
		size -= length;
	}
	return true;
}

/* Returns a text of the caller. */
static char *render(const char *name, const char *format, size_t *size)
{
	const struct profile_renderer *renderer =
		profile_renderer_find(name, format);
	const struct profile_report report = {
		.recording = recording,
		.functions = functions,
		.names = names,
		.stacks = stacks,
		.tree = profile_tree(profile),
		.by_process = renderer->by_process,
		.top = UINT64_MAX,
		.colors = &colors_none,
	};
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	ck_assert_ptr_nonnull(renderer);
	ck_assert_int_eq(renderer->render(&report, out), 0);
	fclose(out);
	return text;
}

START_TEST(each_format_is_valid_whatever_the_names)
{
	size_t size;
	char *text = render(cases[_i].report, cases[_i].format, &size);

	ck_assert_msg(strstr(text, cases[_i].expected), "%s", text);
	ck_assert(is_clean(text, size));
	free(text);
}
END_TEST

/* The profile has one tree, of no process. Formats with a tree for each process
 * must not name it like a sum of all.
 */
START_TEST(unknown_processes_are_named_so)
{
	static const char *const reports[][3] = {
		{ "export", "speedscope", "\"name\":\"unknown\"" },
		{ "diff", "paths", "\n0,\"unknown\"," },
	};

	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		size_t size;
		char *text = render(reports[i][0], reports[i][1], &size);

		ck_assert_msg(strstr(text, reports[i][2]), "%s", text);
		free(text);
	}
}
END_TEST

/* Each cycle has two functions, and is written without a search of all rows:
 * otherwise this takes longer than 4 seconds of the CPU.
 */
START_TEST(many_cycles_take_little_time)
{
	enum { CYCLES = 100000, MOST_S = 4 };
	struct call_tree *tree = call_tree_new();
	struct profile_report report = {
		.recording = recording,
		.functions = functions,
		.stacks = stacks,
		.tree = tree,
		.colors = &colors_none,
	};
	clock_t start = clock();
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (uint32_t i = 0; i < CYCLES; i++) {
		uint32_t node = call_tree_root(tree, (int32_t)i);

		for (uint32_t function = 1; function <= 3; function++) {
			node = call_tree_find_child(tree, node,
						    1 + function % 2, 0);
			call_tree_at(tree, node)->self_ns = 1;
			call_tree_at(tree, node)->direct = 1;
		}
	}
	ck_assert_int_eq(render_callgraph_text(&report, out), 0);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "<cycle 1 as a whole>\n"));
	ck_assert_ptr_nonnull(strstr(text, "<cycle 100000 as a whole>\n"
					   "    and 2 more\n"
					   "    self 3 ns\n"));
	ck_assert_int_lt(clock() - start, MOST_S * CLOCKS_PER_SEC);
	free(text);
	call_tree_free(tree);
}
END_TEST

/* Two functions of one name call each other, and both a third. */
START_TEST(calls_are_told_apart_by_module)
{
	static const char *const expected[] = {
		"\nvfs_read,vfs_read,1,20,30,1,0,0,0,0,0,0,xfs,,"
		"vfs_read,vfs_read\n",
		"\nvfs_read,\"f\\x1b;\"\"\n\\xff\xc2\x9b(<\","
		"1,30,30,1,0,0,0,0,0,0,,,\"f\\x1b;\"\"\n\\xff\xc2\x9b(<\","
		"vfs_read\n",
		"\nvfs_read,\"f\\x1b;\"\"\n\\xff\xc2\x9b(<\","
		"1,10,10,1,0,0,0,0,0,0,,xfs,\"f\\x1b;\"\"\n\\xff\xc2\x9b(<\","
		"vfs_read\n",
	};
	size_t size;
	char *text;

	send(STEP_ENTER, 200, 1, 0);
	send(STEP_ENTER, 210, 3, 1);
	send(STEP_ENTER, 220, 2, 2);
	send(STEP_EXIT, 230, 2, 2);
	send(STEP_EXIT, 240, 3, 1);
	send(STEP_EXIT, 250, 1, 0);
	text = render("callgraph", "csv", &size);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		ck_assert_msg(strstr(text, expected[i]), "%zu: %s", i, text);
	free(text);
}
END_TEST

/* A function that calls itself @levels deep, ending 10 ns after each other. */
static void recurse(uint32_t levels, uint64_t begin_ns)
{
	for (uint32_t i = 0; i < levels; i++)
		send(STEP_ENTER, begin_ns + i, 1, i);
	for (uint32_t i = levels; i-- > 0;)
		send(STEP_EXIT, begin_ns + levels + (levels - i) * 10, 1, i);
}

/* 2 times the calls, 2 times as deep, make 2 times the output, not 4 times. */
START_TEST(output_is_linear_in_the_depth)
{
	enum { LEVELS = 3000 };
	size_t sizes[2];

	recurse(LEVELS, 1000);
	free(render(cases[_i].report, cases[_i].format, &sizes[0]));
	recurse(2 * LEVELS, 1000000);
	free(render(cases[_i].report, cases[_i].format, &sizes[1]));
	ck_assert_uint_gt(sizes[0], 0);
	ck_assert_uint_le(sizes[1], sizes[0] * 9 / 4);
}
END_TEST

START_TEST(a_path_that_is_too_deep_is_marked)
{
	static const struct {
		const char *report;
		const char *format;
		const char *expected;
	} marks[] = {
		/* 64 levels are indented by 2 each. */
		{ "calltree", "text", "  [65] vfs_read\n" },
		/* 511 functions below the process. */
		{ "flamegraph", "svg", "vfs_read [+1489 levels]: " },
		/* The deep lines' time: all calls but those 512. */
		{ "flamegraph", "folded",
		  ";vfs_read;[deeper than 512];vfs_read " },
	};

	recurse(2000, 1000);
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		size_t size;
		char *text = render(marks[i].report, marks[i].format, &size);

		ck_assert_msg(strstr(text, marks[i].expected), "%zu", i);
		ck_assert_ptr_null(strstr(text, "  [64] "));
		free(text);
	}
}
END_TEST

/* The sum of a folded stack's numbers is the profile's time, however deep. */
START_TEST(folded_stacks_keep_all_time)
{
	uint64_t sum_ns = 0;
	size_t size;
	char *text;
	char *rest;
	char *line;

	recurse(2000, 1000);
	text = render("flamegraph", "folded", &size);
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			sum_ns += strtoull(strrchr(line, ' ') + 1, NULL, 10);
	free(text);
	ck_assert_uint_eq(sum_ns, 50 + 1999 + 1 + 2000 * 10);
}
END_TEST

SUITE("profile_names")
{
	FIXTURE(setup, teardown);
	TEST_EACH(each_format_is_valid_whatever_the_names, cases);
	TEST(unknown_processes_are_named_so);
	TEST(many_cycles_take_little_time);
	TEST(calls_are_told_apart_by_module);
	TEST_EACH(output_is_linear_in_the_depth, cases);
	TEST(a_path_that_is_too_deep_is_marked);
	TEST(folded_stacks_keep_all_time);
}
