/* SPDX-License-Identifier: MIT */
#include "cmd/top/top_options.h"
#include "cmd/top/top_round_internal.h"
#include "cmd/top/top_show.h"
#include "cmd/top/top_sums_internal.h"
#include "common/files/output_folder.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *words; /* separated by spaces */
	int status;
	uint64_t delay_ns;
	uint64_t slice_ns;
	uint64_t rounds;
	bool whole_cpus;
} options_cases[] = {
	{ "top", 0, 1000000000, 200000000, UINT64_MAX, true },
	{ "top --once", 0, 1000000000, 200000000, 1, true },
	{ "top --delay 2 --rounds 7", 0, 2000000000, 400000000, 7, true },
	{ "top --slice 0.5 -p 7,8", 0, 1000000000, 500000000, UINT64_MAX,
	  false },
	{ "top -C 0-1", 0, 1000000000, 200000000, UINT64_MAX, false },
	{ "top -- ls -l", 0, 1000000000, 200000000, UINT64_MAX, true },
	{ "top --machine -- ls", 0, 1000000000, 200000000, UINT64_MAX, true },
	{ "top --slice 2", 2, 0, 0, 0, false },
	{ "top --delay 0", 2, 0, 0, 0, false },
	{ "top --rounds 0", 2, 0, 0, 0, false },
	{ "top --top many", 2, 0, 0, 0, false },
	{ "top --format=xml", 2, 0, 0, 0, false },
	{ "top -a -p 7", 2, 0, 0, 0, false },
	{ "top -p 7 -- ls", 2, 0, 0, 0, false },
	{ "top -p x", 2, 0, 0, 0, false },
	{ "top --machine", 2, 0, 0, 0, false },
	{ "top --machine -p 7", 2, 0, 0, 0, false },
	{ "top --arch arm64", 2, 0, 0, 0, false },
	{ "top --nonsense", 2, 0, 0, 0, false },
};

START_TEST(options_are_read)
{
	char words[64];
	char *argv[8] = { 0 };
	char *rest = words;
	int argc = 0;
	struct top_options options;

	snprintf(words, sizeof(words), "%s", options_cases[_i].words);
	while ((argv[argc] = strsep(&rest, " ")))
		argc++;
	ck_assert_int_eq(top_options_parse(&options, argc, argv),
			 options_cases[_i].status);
	if (!options_cases[_i].status) {
		ck_assert_uint_eq(options.delay_ns, options_cases[_i].delay_ns);
		ck_assert_uint_eq(options.collector.duration_ns,
				  options_cases[_i].slice_ns);
		ck_assert_uint_eq(options.rounds, options_cases[_i].rounds);
		ck_assert_int_eq(options.collector.whole_cpus,
				 options_cases[_i].whole_cpus);
		ck_assert_ptr_null(options.collector.command);
	}
	top_options_free(&options);
}
END_TEST

static const struct {
	const char *keys;
	struct top_view before;
	struct top_view after;
} key_cases[] = {
	{ "c", { .first_line = 9 }, { .table = TOP_CALLS } },
	{ "i", { 0 }, { .table = TOP_INTERRUPTS } },
	{ "ps", { 0 }, { .table = TOP_SLEEPS } },
	{ "q", { 0 }, { .has_quit = true } },
	{ " ", { 0 }, { .is_paused = true } },
	{ "  ", { 0 }, { 0 } },
	{ "jjk", { 0 }, { .first_line = 1 } },
	{ "k", { 0 }, { 0 } },
	{ "\033[B\033OB\033[A", { 0 }, { .first_line = 1 } },
	{ "\033[6~",
	  { .page_lines = 20 },
	  { .first_line = 19, .page_lines = 20 } },
	{ "\033[5~",
	  { .first_line = 5, .page_lines = 20 },
	  { .page_lines = 20 } },
	{ "\033[F", { 0 }, { .first_line = SIZE_MAX } },
	{ "\033[F\033[B", { 0 }, { .first_line = SIZE_MAX } },
	{ "\033[H", { .first_line = 5 }, { 0 } },
	/* Keys without a function here, and an incomplete sequence. */
	{ "\033[1;5Q", { .first_line = 5 }, { 0 } },
	{ "\033[24~x\033", { 0 }, { 0 } },
	{ "\033[", { 0 }, { 0 } },
};

START_TEST(keys_move_the_view)
{
	struct top_view view = key_cases[_i].before;
	const struct top_view *after = &key_cases[_i].after;

	top_view_keys(&view, key_cases[_i].keys, strlen(key_cases[_i].keys));
	ck_assert_int_eq(view.table, after->table);
	ck_assert_uint_eq(view.first_line, after->first_line);
	ck_assert_int_eq(view.is_paused, after->is_paused);
	ck_assert_int_eq(view.has_quit, after->has_quit);
}
END_TEST

#define BEGIN "\033[?2026h\033[H"
#define END "\033[?2026l"
#define CLEAR "\033[K"
#define BELOW "\r\n\033[J"

static const struct {
	const char *head;
	const char *text;
	size_t first_line;
	struct top_size size;
	const char *picture;
	size_t shown_from;
} frame_cases[] = {
	{ "h\n",
	  "a\nb\n",
	  0,
	  { 4, 9 },
	  BEGIN "h" CLEAR "\r\na" CLEAR "\r\nb" CLEAR BELOW END,
	  0 },
	{ "h\n",
	  "a\nb\nc\n",
	  1,
	  { 3, 9 },
	  BEGIN "h" CLEAR "\r\nb" CLEAR "\r\nc" CLEAR END,
	  1 },
	/* The list is not scrolled past its end. */
	{ "h\n",
	  "a\nb\nc\n",
	  SIZE_MAX,
	  { 3, 9 },
	  BEGIN "h" CLEAR "\r\nb" CLEAR "\r\nc" CLEAR END,
	  1 },
	{ "h\n", "a\n", 7, { 4, 9 }, BEGIN "h" CLEAR "\r\na" CLEAR BELOW END, 0 },
	/* Lines are cut by characters; one as wide as the window stays. */
	{ "h\n",
	  "1234567\n1234\n\303\244\303\244\303\244\303\244\303\244\n",
	  0,
	  { 5, 4 },
	  BEGIN
	  "h" CLEAR
	  "\r\n1234\r\n1234\r\n\303\244\303\244\303\244\303\244" BELOW END,
	  0 },
	/* No name can write to the terminal. */
	{ "h\n",
	  "a\033[2J\t\302\233b\n",
	  0,
	  { 4, 20 },
	  BEGIN "h" CLEAR "\r\na?[2J??b" CLEAR BELOW END,
	  0 },
	/* No room for all of the head. */
	{ "1\n2\n3\n", "a\n", 0, { 2, 9 }, BEGIN "1" CLEAR "\r\n2" CLEAR END, 0 },
	{ "h\n", "", 0, { 4, 9 }, BEGIN "h" CLEAR BELOW END, 0 },
};

START_TEST(frames_fit_the_window)
{
	struct top_view view = { .first_line = frame_cases[_i].first_line };
	char *picture;
	size_t size;
	FILE *out = open_memstream(&picture, &size);

	top_frame_draw(&view, frame_cases[_i].head, frame_cases[_i].text,
		       frame_cases[_i].size, out);
	fclose(out);
	ck_assert_str_eq(picture, frame_cases[_i].picture);
	ck_assert_uint_eq(view.first_line, frame_cases[_i].shown_from);
	free(picture);
}
END_TEST

static struct top_result made_result(void)
{
	struct top_result result = {
		.facts = { .stage = TOP_REPORTED,
			   .traced_ns = 200000000,
			   .trace_bytes = 3 << 20,
			   .truncated = 2,
			   .lost_records = 5 },
		.said = strdup("one\ntwo \"2\"\n"),
		.number = 3,
		.round_ns = 1000000000,
		.cpu_ns = 50000000,
	};

	for (int i = 0; i < TOP_TABLES; i++)
		result.tables[i] = strdup("[\n{\"a\":1}\n]\n");
	return result;
}

START_TEST(results_come_as_they_were_written)
{
	struct top_result made = made_result();
	struct top_result read = { 0 };
	char bytes[1024];
	FILE *file = fmemopen(bytes, sizeof(bytes), "w+");
	long size;

	ck_assert_int_eq(top_result_write(&made, file), 0);
	size = ftell(file);
	rewind(file);
	ck_assert_int_eq(top_result_read(&read, file), 0);
	ck_assert_uint_eq(read.facts.lost_records, 5);
	ck_assert_str_eq(read.tables[TOP_PROCESSES], "[\n{\"a\":1}\n]\n");
	top_result_clear(&read);
	fclose(file);
	/* A killed writer: no incomplete result is mistaken for a complete one.
	 */
	for (long cut = 1; cut < size; cut += 7) {
		file = fmemopen(bytes, (size_t)cut, "r");
		ck_assert_int_eq(top_result_read(&read, file), -1);
		ck_assert_int_eq(read.facts.stage, TOP_NOTHING);
		ck_assert_ptr_null(read.tables[TOP_SLEEPS]);
		fclose(file);
	}
	top_result_clear(&made);
}
END_TEST

START_TEST(rounds_are_lines_of_json)
{
	static const char good[] = "\"error\":null,\"sleeps\":[{\"a\":1}],"
				   "\"syscalls\":[{\"a\":1}],";
	static const char bad[] = "\"error\":\"two \\\"2\\\"\","
				  "\"sleeps\":null,";
	struct top_result result = made_result();
	char text[2048];
	FILE *out = fmemopen(text, sizeof(text), "w");

	top_text_json(&result, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, good));
	ck_assert_ptr_nonnull(strstr(text, "{\"version\":1,\"round\":3,"));
	ck_assert_str_eq(strchr(text, '\n'), "\n");
	for (int i = 0; i < TOP_TABLES; i++) {
		free(result.tables[i]);
		result.tables[i] = NULL;
	}
	result.facts.stage = TOP_RECORDED;
	out = fmemopen(text, sizeof(text), "w");
	top_text_json(&result, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, bad));
	top_result_clear(&result);
}
END_TEST

static const char header[] = "pid,comm,label,count,total_ns,max_ns,stack\n";

/* Adds a round of 1 s, a fifth of it traced, with these sleeps. Returns the
 * text of all sums; the caller frees it.
 */
static char *consume_round(struct top_sums *sums, uint64_t number,
			   const char *rows, bool is_json)
{
	struct top_result result = { .facts = { .stage = TOP_REPORTED,
						.traced_ns = 200000000 } };
	const uint64_t second = 1000000000;
	char *text;

	ck_assert_int_gt(
		asprintf(&result.tables[TOP_SUMS], "%s%s", header, rows), 0);
	ck_assert_int_eq(top_sums_consume(sums, &result, number * second,
					  (number + 1) * second, is_json, 2),
			 0);
	text = result.tables[TOP_SUMS];
	result.tables[TOP_SUMS] = NULL;
	top_result_clear(&result);
	return text;
}

/* The sleeps are of one program on one path, in different processes. */
START_TEST(sleeps_of_all_rounds_are_added_up)
{
	struct top_sums sums = TOP_SUMS_NONE;
	char *text;

	free(consume_round(
		&sums, 1,
		"7,cat,pipe_read,2,300,200,a;vfs_read;pipe_read;sched\n"
		"8,\"a,b\",pipe_read,1,50,50,a;pipe_read;sched\n",
		true));
	text = consume_round(
		&sums, 2,
		"9,cat,pipe_read,1,700,700,a;vfs_read;pipe_read;sched\n"
		"8,zzz,wait,1,10,10,a;wait\n",
		true);
	ck_assert_ptr_nonnull(
		strstr(text, "{\"comm\":\"cat\",\"label\":\"pipe_read\","
			     "\"count\":3,\"total_ns\":1000,\"mean_ns\":333,"
			     "\"max_ns\":700,"));
	ck_assert_ptr_nonnull(strstr(text, "{\"comm\":\"a,b\","));
	ck_assert_ptr_null(strstr(text, "zzz")); /* only two rows */
	free(text);
	text = consume_round(&sums, 3, "", false);
	ck_assert_ptr_nonnull(
		strstr(text, "In the traced 600 ms of 3.00 s (20 % of the "
			     "time)"));
	ck_assert_ptr_nonnull(strstr(text, "vfs_read < a"));
	free(text);
	top_sums_free(&sums);
}
END_TEST

/* Memory is bounded: the path with the least time makes room. */
START_TEST(rare_paths_are_dropped_and_counted)
{
	struct top_sums sums = TOP_SUMS_NONE;
	char *text = NULL;

	for (uint64_t i = 0; i <= TOP_SUMS_MOST; i++) {
		char row[64];

		snprintf(row, sizeof(row), "7,cat,f,1,%d,1,f%d\n",
			 (int)(i == 5 ? 1 : 1000 + i), (int)i);
		free(text);
		text = consume_round(&sums, i, row, false);
	}
	ck_assert_uint_eq(sums.rows.count, TOP_SUMS_MOST);
	ck_assert_ptr_nonnull(
		strstr(text, "; without 1 sleeps, 1 ns, of rarer paths"));
	free(text);
	top_sums_free(&sums);
}
END_TEST

/* Two rounds of a second, a fifth of each traced. */
START_TEST(saved_sums_have_the_share_of_the_time)
{
	struct scratch_folder scratch = scratch_folder_new();
	struct top_sums sums = TOP_SUMS_NONE;
	struct output_folder folder;
	char path[128];
	char text[512];
	FILE *file;

	free(consume_round(&sums, 1, "7,cat,pipe_read,2,300,200,a;pipe_read\n",
			   false));
	free(consume_round(&sums, 2, "7,cat,pipe_read,1,100,100,a;pipe_read\n",
			   false));
	ck_assert_int_eq(output_folder_open(&folder, scratch.path, NULL), 0);
	ck_assert_int_eq(top_sums_save(&sums, &folder), 0);
	output_folder_close(&folder);
	scratch_folder_path(&scratch, TOP_SUMS_FILE, path, sizeof(path));
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	ck_assert_str_eq(text,
			 "{\"traced_ns\":400000000,\"all_ns\":2000000000,"
			 "\"dropped\":0,\"dropped_ns\":0,\"sleeps\":[\n"
			 "{\"comm\":\"cat\",\"label\":\"pipe_read\","
			 "\"count\":3,\"total_ns\":400,\"mean_ns\":133,"
			 "\"max_ns\":200,\"stack\":\"a;pipe_read\"}\n]\n}\n");
	top_sums_free(&sums);
	scratch_folder_free(&scratch);
}
END_TEST

START_TEST(the_head_has_share_losses_and_cost)
{
	char word[] = "top";
	char *argv[] = { word, NULL };
	struct top_result result = made_result();
	struct top_options options;
	char text[1024];
	FILE *out = fmemopen(text, sizeof(text), "w");

	top_options_parse(&options, 1, argv);
	top_text_head(&options, &result, out);
	fclose(out);
	ck_assert_str_eq(strchr(text, '\n') + 1,
			 "traced 200 ms (20 % of the time), 3.0 MiB, trace "
			 "lost 2 times (--buffer), 5 records lost; top took "
			 "50.0 ms of CPU (5 %)\n");
	top_options_free(&options);
	top_result_clear(&result);
}
END_TEST

SUITE("top")
{
	TEST_EACH(options_are_read, options_cases);
	TEST_EACH(keys_move_the_view, key_cases);
	TEST_EACH(frames_fit_the_window, frame_cases);
	TEST(results_come_as_they_were_written);
	TEST(rounds_are_lines_of_json);
	TEST(sleeps_of_all_rounds_are_added_up);
	TEST(rare_paths_are_dropped_and_counted);
	TEST(saved_sums_have_the_share_of_the_time);
	TEST(the_head_has_share_losses_and_cost);
}
