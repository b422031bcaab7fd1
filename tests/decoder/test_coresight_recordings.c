/* SPDX-License-Identifier: MIT */
#include "decoder/flow/packet_dump.h"
#include "decoder/recording/recording.h"
#include "tests/assert_each.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/shared.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* perf.data recordings of others: an emulated ETE with its own sink, phones
 * with ETMv4 and a shared one.
 */
static char folder[4096];

static void set_up(void)
{
	*folder = '\0';
}

static void tear_down(void)
{
	shared_recording_remove(folder);
}

/* Without the program's file only the kernel's part is decoded. */
START_TEST(kernel_of_the_virtual_machine)
{
	struct flow_run run;
	struct flow_totals totals;

	if (suite_skips_long_test() ||
	    !shared_recording("arm64-ete", folder, sizeof(folder)))
		return;
	ck_assert_int_eq(flow_run_open(&run, folder, "/nonexistent"), 0);
	ck_assert_uint_eq(recording_stream_count(run.recording), 1);
	ck_assert_int_eq(recording_time(run.recording),
			 RECORDING_TIME_NANOSECONDS);
	flow_run_stream(&run, 0, &totals, NULL);
	ck_assert_uint_eq(totals.instructions, 11906331);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_NO_CODE], 1479);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 1479);
	ck_assert_uint_eq(totals.kinds[FLOW_START], 5);
	ck_assert_uint_eq(totals.kinds[FLOW_STOP], 5);
	/* The trace's own clock: 16 ms in all. */
	ck_assert_uint_gt(totals.last_ns, 4527370000);
	ck_assert_uint_lt(totals.last_ns, 4527380000);
	flow_run_close(&run);
}
END_TEST

/* The build of busybox that ran, busybox-static 1:1.37.0-6+b9 of Debian 13. */
static const char busybox_id[] = "\x41\x9a\x1f\x1f\xfe\xec\xc4\xb7\x83\x12"
				 "\x96\xcd\x2e\x31\x02\xf9\x44\xa9\x03\x43";

static bool is_traced_busybox(const char *root)
{
	char path[4200];
	uint8_t *bytes;
	size_t size = 0;
	bool found;

	snprintf(path, sizeof(path), "%s/usr/bin/busybox", root);
	bytes = shared_file(path, &size);
	found = bytes &&
		memmem(bytes, size, busybox_id, sizeof(busybox_id) - 1);
	free(bytes);
	return found;
}

/* Sets @root to the folder named by KTRACE_ARM64_ROOT, or to the machine's own
 * root.
 */
static bool find_root(char *root, size_t size)
{
	const char *named = getenv("KTRACE_ARM64_ROOT");
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (named && *named)
		snprintf(root, size, "%s", named);
	else if (cache && *cache)
		snprintf(root, size, "%s/ktrace-hw/roots/arm64", cache);
	else
		snprintf(root, size, "%s/.cache/ktrace-hw/roots/arm64",
			 home ? home : "");
	if (is_traced_busybox(root))
		return true;
	printf("skipped: %s/usr/bin/busybox is not that of busybox-static "
	       "1:1.37.0-6+b9 for arm64: `machine fetch --arch arm64`, or name "
	       "another folder with KTRACE_ARM64_ROOT\n",
	       root);
	return false;
}

/* The two gaps are the kernel's vdso, which is in no file. perf counts
 * 14,490,021: it omits module code, and the code executed after it up to the
 * next address in the trace.
 */
START_TEST(all_of_the_virtual_machine)
{
	struct flow_run run;
	struct flow_totals totals;
	char root[4096];

	if (suite_skips_long_test() || !find_root(root, sizeof(root)) ||
	    !shared_recording("arm64-ete", folder, sizeof(folder)))
		return;
	ck_assert_int_eq(flow_run_open(&run, folder, root), 0);
	flow_run_stream(&run, 0, &totals, NULL);
	ck_assert_uint_eq(totals.instructions, 14491473);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_NO_CODE], 2);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 2);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_FAR_CALL], 1431);
	flow_run_close(&run);
}
END_TEST

/* The ranges of its loop, as simpleperf's own test has them. */
static const struct {
	uint64_t first;
	uint64_t last;
	unsigned int count;
} ranges[] = {
	{ 0x1000, 0x1004, 1 },	 { 0x100c, 0x1050, 1 }, { 0x1054, 0x106c, 1 },
	{ 0x105c, 0x106c, 100 }, { 0x1070, 0x1070, 1 }, { 0x1074, 0x1080, 100 },
	{ 0x1084, 0x1088, 1 },	 { 0x108c, 0x10a0, 1 }, { 0x10a4, 0x10b0, 1 },
	{ 0x10e0, 0x10ec, 1 },
};

static void count_ranges(const struct array *items, unsigned int *counts)
{
	const size_t known = sizeof(ranges) / sizeof(*ranges);

	for (size_t i = 0; i < items->count; i++) {
		const struct flow_item *item = array_at(items, i);
		uint64_t address = item->ip & 0xffff;
		size_t at = 0;

		if (item->kind != FLOW_BLOCK)
			continue;
		while (at < known && (ranges[at].first != address ||
				      ranges[at].last != address + item->last))
			at++;
		assert_each(at < known);
		counts[at]++;
	}
}

START_TEST(loop_on_a_phone)
{
	unsigned int counts[sizeof(ranges) / sizeof(*ranges)] = { 0 };
	struct array items = ARRAY_OF(struct flow_item);
	struct flow_run run;
	struct flow_totals totals;
	char scratch[] = "/tmp/ktrace-hw-test.XXXXXX";
	char command[9000];
	char path[4096];
	char loop[4096];

	if (!shared_path("coresight/simpleperf-etm/perf_etm.data", path,
			 sizeof(path)) ||
	    !shared_path("coresight/simpleperf-etm/etm_test_loop", loop,
			 sizeof(loop)))
		return;
	ck_assert_ptr_nonnull(mkdtemp(scratch));
	snprintf(command, sizeof(command),
		 "mkdir -p %s/data/local/tmp && cp '%s' %s/data/local/tmp",
		 scratch, loop, scratch);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(flow_run_open(&run, path, scratch), 0);
	ck_assert_int_eq(recording_time(run.recording),
			 RECORDING_TIME_INSTRUCTIONS);
	ck_assert_uint_eq(recording_stream_count(run.recording), 1);
	flow_run_stream(&run, 0, &totals, &items);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 0);
	count_ranges(&items, counts);
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		ck_assert_uint_eq(counts[i], ranges[i].count);
	flow_run_close(&run);
	array_free(&items);
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

/* That phone's kernel image is not available: all is gaps, none of them for bad
 * trace. The sink had wrapped before each was read the first time.
 */
START_TEST(kernel_without_its_code)
{
	struct flow_run run;
	struct flow_totals totals;
	uint64_t losses = 0;
	char path[4096];

	if (!shared_path("coresight/simpleperf-etm/perf_kernel.data", path,
			 sizeof(path)))
		return;
	ck_assert_int_eq(flow_run_open(&run, path, "/nonexistent"), 0);
	ck_assert_uint_eq(recording_stream_count(run.recording), 2);
	for (size_t i = 0; i < 2; i++) {
		flow_run_stream(&run, i, &totals, NULL);
		ck_assert_uint_eq(totals.instructions, 0);
		ck_assert_uint_gt(totals.gaps[FLOW_GAP_NO_CODE], 0);
		losses += totals.gaps[FLOW_GAP_LOST];
		ck_assert_uint_eq(totals.gaps[FLOW_GAP_BAD_TRACE], 0);
		ck_assert_uint_eq(totals.gaps[FLOW_GAP_UNSYNCED], 1);
	}
	ck_assert_uint_eq(losses, 2);
	flow_run_close(&run);
}
END_TEST

/* OpenCSD recognises every packet. */
START_TEST(packets_of_a_phone)
{
	struct flow_run run;
	struct packet_line line;
	uint64_t count = 0;
	char path[4096];

	if (!shared_path("coresight/simpleperf-etm/perf_kernel.data", path,
			 sizeof(path)))
		return;
	ck_assert_int_eq(flow_run_open(&run, path, "/nonexistent"), 0);
	for (size_t i = 0; i < recording_stream_count(run.recording); i++) {
		const struct aux_stream *stream =
			recording_stream(run.recording, i);
		struct packet_dump *dump;

		ck_assert_int_eq(packet_dump_open(run.recording, stream, &dump),
				 0);
		for (; packet_dump_next(dump, &line) == 1; count++) {
			ck_assert_uint_lt(line.position, stream->size_bytes);
			ck_assert_ptr_null(strstr(line.name, "BAD"));
			ck_assert_ptr_null(strstr(line.name, "RESERVED"));
		}
		packet_dump_close(dump);
	}
	ck_assert_uint_eq(count, 23806);
	flow_run_close(&run);
}
END_TEST

START_TEST(bare_trace_of_one_cpu)
{
	struct flow_run run;
	struct flow_totals totals;
	char path[4096];

	if (!shared_path("coresight/simpleperf-etm/"
			 "perf_with_unformatted_trace.data",
			 path, sizeof(path)))
		return;
	ck_assert_int_eq(flow_run_open(&run, path, "/nonexistent"), 0);
	ck_assert_uint_eq(recording_stream_count(run.recording), 1);
	flow_run_stream(&run, 0, &totals, NULL);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_NO_CODE],
			  totals.kinds[FLOW_GAP]);
	ck_assert_uint_gt(totals.kinds[FLOW_GAP], 0);
	flow_run_close(&run);
}
END_TEST

START_TEST(trace_that_was_not_kept)
{
	struct flow_run run;
	char path[4096];

	if (!shared_path("coresight/simpleperf-etm/"
			 "perf_with_missing_aux_data.data",
			 path, sizeof(path)))
		return;
	ck_assert_int_eq(flow_run_open(&run, path, NULL), 0);
	ck_assert_uint_eq(recording_stream_count(run.recording), 0);
	flow_run_close(&run);
}
END_TEST

SUITE("coresight_recordings")
{
	LIMIT_S(120);
	FIXTURE(set_up, tear_down);
	TEST(kernel_of_the_virtual_machine);
	TEST(all_of_the_virtual_machine);
	TEST(loop_on_a_phone);
	TEST(kernel_without_its_code);
	TEST(packets_of_a_phone);
	TEST(bare_trace_of_one_cpu);
	TEST(trace_that_was_not_kept);
}
