/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/pipeline.h"
#include "cmd/pipeline/session.h"
#include "report/profile/call_tree.h"
#include "report/profile/profile.h"
#include "report/steps/task_stacks.h"
#include "symbolize/symbols/symbols.h"
#include "tests/fixtures/perf_counts.h"
#include "tests/fixtures/perf_switches.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/fixtures/shared.h"
#include "tests/run_suite.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Fills @counts with struct perf_count, as our own pipeline counts. */
static void count_ourselves(const char *path, struct array *counts)
{
	const struct report_options options = { .input = path };
	const struct profile_options all = { .window = TIME_WINDOW_ALL };
	struct profile *profile = profile_new(&all);
	const struct function_table *functions;
	struct function_profile rows;
	struct task_stacks *stacks;
	struct session session;

	ck_assert_int_eq(session_open(&session, &options), 0);
	ck_assert_int_eq(
		run_pipeline(&session, profile_callback(profile), &stacks), 0);
	functions = symbols_functions(session.symbols);
	ck_assert_int_eq(function_profile_make(profile_tree(profile),
					       function_count(functions),
					       &rows),
			 0);
	for (size_t i = 0; i < rows.row_count; i++) {
		const struct function_row *row = &rows.rows[i];
		struct perf_count *count = perf_counts_get(
			counts, function_at(functions, row->function)->name);

		count->direct += row->calls.direct;
		count->tail += row->calls.tail;
		count->async += row->calls.async;
	}
	function_profile_free(&rows);
	task_stacks_free(stacks);
	profile_free(profile);
	session_close(&session);
}

static bool count_by_perf(const char *path, struct array *counts)
{
	char command[5000];
	FILE *script;

	if (system("perf --version > /dev/null 2>&1")) {
		printf("skipped: no perf to compare with\n");
		return false;
	}
	ck_assert(perf_ignore_switches(path));
	snprintf(command, sizeof(command),
		 "perf script -f -i '%s' --itrace=b"
		 " -F cpu,ip,sym,symoff,addr,flags 2> /dev/null",
		 path);
	script = popen(command, "r");
	ck_assert_ptr_nonnull(script);
	perf_counts_read(path, script, counts);
	pclose(script);
	ck_assert_uint_gt(counts->count, 0);
	return true;
}

static int compare(const struct perf_count *ours,
		   const struct perf_count *perfs)
{
	bool is_equal = ours->direct == perfs->direct &&
			ours->tail == perfs->tail &&
			ours->async == perfs->async;

	if (!is_equal)
		printf("%s: direct %" PRIu64 " perf %" PRIu64 ", tail %" PRIu64
		       " perf %" PRIu64 ", async %" PRIu64 " perf %" PRIu64
		       "\n",
		       ours->name, ours->direct, perfs->direct, ours->tail,
		       perfs->tail, ours->async, perfs->async);
	fflush(stdout);
	return !is_equal;
}

static int compare_all(struct array *ours, struct array *perfs)
{
	int differences = 0;

	/* perf_counts_get() adds missing functions, with counts of zero. */
	for (size_t i = 0; i < perfs->count; i++) {
		const struct perf_count count =
			*(struct perf_count *)array_at(perfs, i);

		perf_counts_get(ours, count.name);
	}
	for (size_t i = 0; i < ours->count; i++) {
		const struct perf_count *count = array_at(ours, i);

		differences +=
			compare(count, perf_counts_get(perfs, count->name));
	}
	return differences;
}

static void compare_recording(const char *path)
{
	struct array ours = ARRAY_OF(struct perf_count);
	struct array perfs = ARRAY_OF(struct perf_count);

	count_ourselves(path, &ours);
	if (count_by_perf(path, &perfs))
		ck_assert_int_eq(compare_all(&ours, &perfs), 0);
	array_free(&ours);
	array_free(&perfs);
}

/* KTRACE_COMPARE names another recording to compare, which is modified so that
 * perf can read it.
 */
START_TEST(calls_are_those_that_perf_sees)
{
	const char *other = getenv("KTRACE_COMPARE");
	char path[4096] = "";

	if (other) {
		compare_recording(other);
		return;
	}
	if (shared_has_intel_pt() &&
	    shared_recording("small", path, sizeof(path)))
		compare_recording(path);
	shared_recording_remove(path);
}
END_TEST

/* As perf prints it: an interrupt in a thunk, while another CPU works. */
static char branches[] =
	"[000]  call  ffffffff81000010 f+0x10 => ffffffff81003000 "
	"__x86_indirect_thunk_array+0x0\n"
	"[001]  call              (Dt)  ffffffff81002010 i+0x10 => "
	"ffffffff81001000 g+0x0\n"
	"[000]  hw int  ffffffff81003004 __x86_indirect_thunk_array+0x4 => "
	"ffffffff81002000 i+0x0\n"
	"[000]  jmp  ffffffff81002008 i+0x8 => ffffffff81001000 g+0x0\n"
	"[000]  iret  ffffffff81001008 g+0x8 => ffffffff81003004 "
	"__x86_indirect_thunk_array+0x4\n"
	"[000]  jmp               (D)  ffffffff81003006 "
	"__x86_indirect_thunk_array+0x6 => "
	"ffffffff81001000 g+0x0\n";

START_TEST(a_call_goes_on_after_an_interrupt_in_its_thunk)
{
	struct array counts = ARRAY_OF(struct perf_count);
	struct scratch_folder folder = scratch_folder_new();
	const struct perf_count *g;
	FILE *script = fmemopen(branches, sizeof(branches) - 1, "r");
	char path[128];

	scratch_folder_path(&folder, "kcore_dir", path, sizeof(path));
	ck_assert_int_eq(mkdir(path, 0700), 0);
	scratch_folder_write(&folder, "kcore_dir/kallsyms",
			     "ffffffff81003000 T __x86_indirect_thunk_array\n"
			     "ffffffff81003100 T _etext\n");
	perf_counts_read(folder.path, script, &counts);
	fclose(script);
	g = perf_counts_get(&counts, "g");
	ck_assert_uint_eq(g->direct, 2);
	ck_assert_uint_eq(g->tail, 1);
	ck_assert_uint_eq(perf_counts_get(&counts, "i")->async, 1);
	array_free(&counts);
	scratch_folder_free(&folder);
}
END_TEST

SUITE("perf_counts")
{
	LIMIT_S(120);
	TEST(calls_are_those_that_perf_sees);
	TEST(a_call_goes_on_after_an_interrupt_in_its_thunk);
}
