/* SPDX-License-Identifier: MIT */
/* The server's answers to the page, for a made-up summary. */
#include "tests/fixtures/view.h"
#include "tests/run_suite.h"
#include "view/answer/json_out_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name as JSON that may stand in HTML. */
#define NAME \
	"\"\\u003c/script>\\u003cscript>alert(1)\\u003c/script>" \
	"\\\"\\\\\\u000a\""
#define INTERRUPT "\"3\":[\"asm_common_interrupt\",\"\"]"
#define NAMED "\"functions\":{\"1\":[" NAME ",\"\"]}"

static const struct {
	const char *path;
	const char *arguments;
	const char *answer;
} answers[] = {
	{ "tracks", "from=0&to=1500&pixels=100&tracks=2",
	  "{\"is_whole\":false,\"tracks\":[{\"track\":2,\"slices\":["
	  "100,800,0,1,-1,-1,1,800,1100,800,0,1,-1,-1,1,800]}]," NAMED "}" },
	/* Zoomed out, all slices of two microseconds are merged into one. */
	{ "tracks", "from=0&to=5000&pixels=2&tracks=2",
	  "{\"is_whole\":true,\"tracks\":[{\"track\":2,\"slices\":["
	  "100,2800,0,1,-1,-1,3,2400,3100,2800,0,1,-1,-1,3,2400]}]," NAMED
	  "}" },
	{ "tracks", "from=600000&to=600001&tracks=1,0",
	  "{\"is_whole\":false,\"tracks\":[{\"track\":1,\"slices\":["
	  "500000,400000,0,7,1,9,1,400000]},{\"track\":0,\"slices\":[]}]," NAMED
	  "}" },
	/* The interrupt came in the idle loop, but it is work. */
	{ "profile", "from=10&to=20",
	  "{\"from\":0,\"to\":500000,\"part_ns\":[360500,90000,740],"
	  "\"flat\":[1,450,360000,360000,3,2,500,500],"
	  "\"function_count\":2,\"self_ns\":360500,\"tree\":["
	  "-1,-1,0,0,360500,0,3,2,500,500,0,1,450,360000,360000],"
	  "\"left_out\":0,\"functions\":{\"1\":[" NAME ",\"\"]," INTERRUPT
	  "}}" },
	{ "profile", "to=20&with_idle=1",
	  "{\"from\":0,\"to\":500000,\"part_ns\":[360500,90000,740],"
	  "\"flat\":[1,453,450000,450500,3,2,500,500],"
	  "\"function_count\":2,\"self_ns\":450500,\"tree\":["
	  "-1,-1,0,0,450500,0,1,453,450000,450500,1,3,2,500,500],"
	  "\"left_out\":0,\"functions\":{\"1\":[" NAME ",\"\"]," INTERRUPT
	  "}}" },
	{ "profile", "to=20&with_tracer=1&with_idle=0",
	  "{\"from\":0,\"to\":500000,\"part_ns\":[360500,90000,740],"
	  "\"flat\":[1,451,360040,360740,2,20,700,700,3,2,500,500],"
	  "\"function_count\":3,\"self_ns\":361240,\"tree\":["
	  "-1,-1,0,0,361240,0,3,2,500,500,0,1,451,360040,360740,"
	  "2,2,20,700,700],\"left_out\":0,\"functions\":{\"1\":[" NAME
	  ",\"\"],\"2\":[\"perf_trace_sched_switch\",\"\"]," INTERRUPT "}}" },
	{ "profile", "thread=0",
	  "{\"from\":0,\"to\":1000000,\"part_ns\":[720000,0,1400],"
	  "\"flat\":[1,900,720000,720000],"
	  "\"function_count\":1,\"self_ns\":720000,\"tree\":["
	  "-1,-1,0,0,720000,0,1,900,720000,720000],\"left_out\":0," NAMED "}" },
	/* A task that was chosen is work, even if it recorded. */
	{ "profile", "thread=2",
	  "{\"from\":0,\"to\":1000000,\"part_ns\":[80,0,0],"
	  "\"flat\":[1,2,80,80],"
	  "\"function_count\":1,\"self_ns\":80,\"tree\":["
	  "-1,-1,0,0,80,0,1,2,80,80],\"left_out\":0," NAMED "}" },
	{ "sleeps", "from=0&to=1000000",
	  "{\"sleeps\":[[0,1,400000,500000,400000,0,7,1,9,1,400000]],"
	  "\"row_count\":1," NAMED "}" },
	{ "sleeps", "from=0&to=400000",
	  "{\"sleeps\":[],\"row_count\":0,\"functions\":{}}" },
	{ "functions", "like=alert",
	  "{\"found\":[[1,902480]],\"count\":1," NAMED "}" },
	/* The longer one, with its callees, is first. */
	{ "functions", "like=_",
	  "{\"found\":[[2,1400],[3,1000]],\"count\":2,\"functions\":{"
	  "\"2\":[\"perf_trace_sched_switch\",\"\"]," INTERRUPT "}}" },
	{ "functions", "like=vfs",
	  "{\"found\":[],\"count\":0,\"functions\":{}}" },
	{ "next", "function=1", "{\"found\":false,\"is_waiting\":true}" },
	{ "annotate", "function=1", "{\"is_waiting\":true}" },
	{ "explain", "from=1&to=5&thread=0", "{\"is_waiting\":true}" },
};

START_TEST(an_answer_is_as_expected)
{
	struct view_fixture fixture;
	enum view_status status;
	char *answer;

	view_fixture_begin(&fixture);
	answer = view_fixture_ask(&fixture, answers[_i].path,
				  answers[_i].arguments, &status);
	ck_assert_int_eq(status, VIEW_OK);
	ck_assert_str_eq(answer, answers[_i].answer);
	free(answer);
	view_fixture_end(&fixture);
}
END_TEST

static const struct {
	const char *path;
	const char *arguments;
	enum view_status status;
} refused[] = {
	{ "", "", VIEW_NOT_FOUND },
	{ "../etc/passwd", "", VIEW_NOT_FOUND },
	{ "tracks", "", VIEW_BAD },
	{ "tracks", "from=5&to=5&tracks=2", VIEW_BAD },
	{ "tracks", "from=6&to=5&tracks=2", VIEW_BAD },
	{ "tracks", "from=-1&to=5&tracks=2", VIEW_BAD },
	{ "tracks", "from=1e3&tracks=2", VIEW_BAD },
	{ "tracks", "to=99999999999999999999&tracks=2", VIEW_BAD },
	{ "tracks", "to=18446744073709551615&tracks=2", VIEW_BAD },
	{ "tracks", "pixels=0&tracks=2", VIEW_BAD },
	{ "tracks", "pixels=99999999&tracks=2", VIEW_BAD },
	{ "tracks", "tracks=x", VIEW_BAD },
	{ "tracks", "tracks=4294967295", VIEW_BAD },
	{ "tracks", "tracks=1;2", VIEW_BAD },
	{ "profile", "thread=3", VIEW_BAD },
	{ "profile", "with_idle=2", VIEW_BAD },
	{ "profile", "with_tracer=yes", VIEW_BAD },
	{ "profile", "from=9&to=3", VIEW_BAD },
	{ "sleeps", "thread=-1", VIEW_BAD },
	{ "functions", "", VIEW_BAD },
	{ "functions", "like=", VIEW_BAD },
	{ "annotate", "", VIEW_BAD },
	{ "annotate", "function=4", VIEW_BAD },
	{ "annotate", "function=1&from=9&to=3", VIEW_BAD },
	{ "explain", "from=9&to=3", VIEW_BAD },
	{ "explain", "from=1&to=3&thread=99", VIEW_BAD },
	{ "next", "", VIEW_BAD },
	{ "next", "function=4", VIEW_BAD },
	{ "next", "function=1&back=2", VIEW_BAD },
	{ "next", "function=18446744073709551615", VIEW_BAD },
};

START_TEST(senseless_requests_are_refused)
{
	struct view_fixture fixture;
	enum view_status status;
	char *answer;

	view_fixture_begin(&fixture);
	answer = view_fixture_ask(&fixture, refused[_i].path,
				  refused[_i].arguments, &status);
	ck_assert_int_eq(status, refused[_i].status);
	ck_assert_int_eq(strncmp(answer, "{\"error\":\"", 10), 0);
	free(answer);
	view_fixture_end(&fixture);
}
END_TEST

START_TEST(the_explanation_and_reports_are_kept)
{
	struct view_fixture fixture;

	view_fixture_begin(&fixture);
	ck_assert_str_eq(fixture.sources.summary->explanation,
			 VIEW_FIXTURE_EXPLANATION);
	ck_assert_str_eq(fixture.sources.summary->reports,
			 VIEW_FIXTURE_REPORTS);
	view_fixture_end(&fixture);
}
END_TEST

/* Returns whether the summary at @path is still read with byte @at changed. */
static bool is_read_with(const char *path, long at, uint32_t functions)
{
	FILE *file = fopen(path, "r+e");
	struct view_summary *summary;
	int byte;

	fseek(file, at, SEEK_SET);
	byte = fgetc(file);
	if (byte != EOF) {
		fseek(file, at, SEEK_SET);
		fputc(byte ^ 0x10, file);
	}
	fclose(file);
	summary = view_summary_load(path, VIEW_FIXTURE_KEY, functions);
	view_summary_free(summary);
	file = fopen(path, "r+e");
	fseek(file, at, SEEK_SET);
	if (byte != EOF)
		fputc(byte, file);
	fclose(file);
	return summary;
}

START_TEST(a_damaged_summary_is_made_anew)
{
	struct view_fixture fixture;
	uint32_t functions;

	view_fixture_begin(&fixture);
	functions = fixture.sources.summary->functions;
	ck_assert_ptr_null(view_summary_load(fixture.path, 1, functions));
	ck_assert_ptr_null(
		view_summary_load(fixture.path, VIEW_FIXTURE_KEY, 1));
	for (long at = 0; at < 40; at++)
		ck_assert(!is_read_with(fixture.path, at, functions));
	view_fixture_end(&fixture);
}
END_TEST

/* A damaged chunk is an error, not a wrong picture. */
START_TEST(a_damaged_chunk_is_reported)
{
	struct view_fixture fixture;
	enum view_status status;
	FILE *file;

	view_fixture_begin(&fixture);
	file = fopen(fixture.path, "r+e");
	/* The sums of the first half are the first thing in the file. */
	fseek(file, 50, SEEK_SET);
	fputs("damaged", file);
	fclose(file);
	free(view_fixture_ask(&fixture, "tracks", "tracks=2", &status));
	ck_assert_int_eq(status, VIEW_OK);
	free(view_fixture_ask(&fixture, "profile", "", &status));
	ck_assert_int_eq(status, VIEW_FAILED);
	view_fixture_end(&fixture);
}

/* A text is escaped in pieces, which must not end inside a character. */
START_TEST(a_long_text_is_whole)
{
	char text[1002], expected[1005], *made = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&made, &size);
	struct json_out json = json_out_to(file);

	memset(text, 'x', (size_t)_i);
	for (size_t at = (size_t)_i; at < 1000; at += 2)
		memcpy(text + at, "\xc3\xa4", 2);
	text[1000 + _i % 2] = '\0';
	json_text(&json, text);
	json_out_end(&json);
	fclose(file);
	snprintf(expected, sizeof(expected), "\"%s\"", text);
	ck_assert_str_eq(made, expected);
	free(made);
}
END_TEST
END_TEST

SUITE("view_answers")
{
	TEST_EACH(an_answer_is_as_expected, answers);
	TEST_EACH(senseless_requests_are_refused, refused);
	TEST(the_explanation_and_reports_are_kept);
	TEST(a_damaged_summary_is_made_anew);
	TEST_TIMES(a_long_text_is_whole, 4);
	TEST_TIMES(a_long_text_is_whole, 4);
	TEST(a_damaged_chunk_is_reported);
}
