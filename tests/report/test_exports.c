/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/pipeline.h"
#include "cmd/pipeline/session.h"
#include "report/profile/call_tree.h"
#include "report/profile/profile.h"
#include "report/profile/profile_report.h"
#include "report/steps/task_stacks.h"
#include "report/timeline/timeline.h"
#include "symbolize/symbols/symbols.h"
#include "tests/fixtures/shared.h"
#include "tests/run_suite.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TRACKS = 64, GPROF_BYTES = 1 << 22 };

/* One track of an export, as read back. */
struct track {
	int pid;
	int tid;
	uint64_t last_ns;
	uint64_t open;
};

static char path[4096];

static void unpack(void)
{
	*path = '\0';
	if (shared_has_intel_pt())
		shared_recording("small", path, sizeof(path));
}

static void remove_it(void)
{
	shared_recording_remove(path);
}

/* Returns the recording's timeline as @format, to be freed. */
static char *export_timeline(const char *format)
{
	const struct timeline_renderer *renderer =
		timeline_renderer_find("export", format);
	const struct report_options options = { .input = path };
	struct timeline_context context;
	struct task_stacks *stacks;
	struct session session;
	struct step_callback *callback;
	size_t size;
	char *text;

	ck_assert_int_eq(session_open(&session, &options), 0);
	context = (struct timeline_context){
		.functions = symbols_functions(session.symbols),
		.names = session.names,
		.out = open_memstream(&text, &size),
	};
	callback = renderer->open(&context);
	ck_assert_int_eq(run_pipeline(&session, callback, &stacks), 0);
	ck_assert_int_eq(renderer->close(callback), 0);
	fclose(context.out);
	task_stacks_free(stacks);
	session_close(&session);
	return text;
}

static struct track *track_of(struct track *tracks, int pid, int tid)
{
	for (int i = 0; i < MAX_TRACKS; i++) {
		if (!tracks[i].last_ns)
			tracks[i] = (struct track){ .pid = pid, .tid = tid };
		if (tracks[i].pid == pid && tracks[i].tid == tid)
			return &tracks[i];
	}
	ck_abort_msg("too many tracks");
	return NULL;
}

/* Consumes one event line; returns whether it started or ended a span. */
static bool consume_event(struct track *tracks, const char *line)
{
	uint64_t us;
	unsigned int ns;
	struct track *track;
	char phase;
	int pid;
	int tid;

	if (sscanf(line,
		   "{\"ph\":\"%c\",\"pid\":%d,\"tid\":%d,\"ts\":%" SCNu64 ".%u",
		   &phase, &pid, &tid, &us, &ns) != 5)
		return false;
	track = track_of(tracks, pid, tid);
	ck_assert_uint_ge(us * 1000 + ns, track->last_ns);
	track->last_ns = us * 1000 + ns;
	if (phase == 'E')
		ck_assert_uint_gt(track->open, 0);
	track->open += phase == 'B' ? 1 : -1;
	return true;
}

START_TEST(chrome_spans_nest_in_order)
{
	struct track tracks[MAX_TRACKS] = { 0 };
	uint64_t events = 0;
	char *line;
	char *text;
	char *rest;

	if (!*path)
		return;
	rest = text = export_timeline("chrome");
	while ((line = strsep(&rest, "\n")))
		events += consume_event(tracks, line);
	ck_assert_uint_gt(events, 200000);
	for (int i = 0; i < MAX_TRACKS; i++)
		ck_assert_uint_eq(tracks[i].open, 0);
	free(text);
}
END_TEST

static void write_file(const struct profile_report *report,
		       render_profile *render, const char *name)
{
	FILE *out = fopen(name, "we");

	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(render(report, out), 0);
	fclose(out);
}

/* Returns the number of calls of @name in gprof's output, 0 if it has none. */
static uint64_t gprof_calls(const char *text, const char *name)
{
	char ending[600];
	const char *found;
	size_t start;
	double values[3];
	uint64_t calls;

	snprintf(ending, sizeof(ending), " %s\n", name);
	found = strstr(text, ending);
	if (!found)
		return 0;
	start = (size_t)(found - text);
	while (start && text[start - 1] != '\n')
		start--;
	return sscanf(text + start, "%lf %lf %lf %" SCNu64, &values[0],
		      &values[1], &values[2], &calls) == 4 ?
		       calls :
		       0;
}

static char *run_gprof(const char *elf, const char *gmon)
{
	char command[9000];
	char *text = calloc(1, GPROF_BYTES);
	FILE *gprof;

	snprintf(command, sizeof(command), "gprof -b -p '%s' '%s'", elf, gmon);
	gprof = popen(command, "r");
	ck_assert_uint_lt(fread(text, 1, GPROF_BYTES - 1, gprof),
			  GPROF_BYTES - 1);
	ck_assert_int_eq(pclose(gprof), 0);
	return text;
}

static void compare_with_gprof(const struct profile_report *report)
{
	char gmon[4200];
	char elf[4200];
	struct function_profile rows;
	char *text;

	snprintf(gmon, sizeof(gmon), "%s/gmon.out", path);
	snprintf(elf, sizeof(elf), "%s/gmon.elf", path);
	write_file(report, render_gmon, gmon);
	write_file(report, render_gmon_symbols, elf);
	text = run_gprof(elf, gmon);
	ck_assert_int_eq(
		function_profile_make(report->tree,
				      function_count(report->functions), &rows),
		0);
	for (size_t i = 0; i < rows.row_count; i++) {
		const struct function_row *row = &rows.rows[i];
		const char *name =
			function_at(report->functions, row->function)->name;

		ck_assert_msg(gprof_calls(text, name) ==
				      call_counts_calls(&row->calls),
			      "%s", name);
	}
	function_profile_free(&rows);
	free(text);
}

START_TEST(gprof_reads_the_same_calls)
{
	const struct report_options options = { .input = path };
	const struct profile_options all = { .window = TIME_WINDOW_ALL };
	struct profile *profile;
	struct task_stacks *stacks;
	struct profile_report report;
	struct session session;

	if (!*path)
		return;
	if (system("gprof --version > /dev/null 2>&1")) {
		printf("skipped: no gprof to read with\n");
		return;
	}
	profile = profile_new(&all);
	ck_assert_int_eq(session_open(&session, &options), 0);
	ck_assert_int_eq(
		run_pipeline(&session, profile_callback(profile), &stacks), 0);
	report = (struct profile_report){
		.functions = symbols_functions(session.symbols),
		.tree = profile_tree(profile),
	};
	compare_with_gprof(&report);
	task_stacks_free(stacks);
	profile_free(profile);
	session_close(&session);
}
END_TEST

SUITE("exports")
{
	LIMIT_S(120);
	FIXTURE_ONCE(unpack, remove_it);
	TEST(chrome_spans_nest_in_order);
	TEST(gprof_reads_the_same_calls);
}
