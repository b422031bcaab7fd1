/* SPDX-License-Identifier: MIT */
#include "common/formats/perf_data.h"
#include "decoder/code/code_image.h"
#include "decoder/flow/flow_source.h"
#include "decoder/flow/packet_dump.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "tests/fixtures/shared.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <string.h>

/* Intel PT of a real CPU, without code: the counts are its README's. */
static struct recording *recording;

static void open_it(const char *name)
{
	char path[4096];

	recording = NULL;
	if (shared_has_intel_pt() && shared_path(name, path, sizeof(path)))
		ck_assert_int_eq(recording_open(path, NULL, &recording), 0);
}

static void tear_down(void)
{
	recording_close(recording);
}

static uint64_t count_packets(const struct aux_stream *stream, const char *name)
{
	struct packet_dump *dump;
	struct packet_line line;
	uint64_t count = 0;

	ck_assert_int_eq(packet_dump_open(recording, stream, &dump), 0);
	while (packet_dump_next(dump, &line) == 1)
		count += !name || !strcmp(line.name, name);
	packet_dump_close(dump);
	return count;
}

START_TEST(records_are_counted)
{
	const struct recording_counts *counts;

	open_it("intel-pt/quipper-intel-pt/perf.data.intel_pt-4.14");
	if (!recording)
		return;
	counts = recording_counts(recording);
	ck_assert_uint_eq(counts->by_type[PERF_RECORD_SWITCH_CPU_WIDE], 152);
	ck_assert_uint_eq(counts->by_type[PERF_RECORD_MMAP], 56);
	ck_assert_uint_eq(counts->by_type[PERF_RECORD_MMAP2], 10);
	ck_assert_uint_eq(counts->by_type[PERF_RECORD_AUX], 10);
	ck_assert_uint_eq(counts->by_type[PERF_RECORD_COMM], 3);
	ck_assert_uint_eq(counts->by_type[PERF_DATA_TIME_CONV], 1);
	ck_assert_uint_eq(counts->unknown, 0);
	ck_assert(!recording_is_cut(recording));
	ck_assert_str_eq(recording_info(recording)->cpuid,
			 "GenuineIntel,6,78,3");
	ck_assert_int_eq(recording_arch(recording), RECORDING_ARCH_X86_64);
}
END_TEST

START_TEST(packets_are_counted)
{
	open_it("intel-pt/quipper-intel-pt/perf.data.intel_pt-4.14");
	if (!recording)
		return;
	ck_assert_uint_eq(recording_stream_count(recording), 2);

	const struct aux_stream *first = recording_stream(recording, 0);
	const struct aux_stream *second = recording_stream(recording, 1);

	ck_assert_int_eq(first->cpu, 0);
	ck_assert_uint_eq(first->size_bytes, 0x2fd0);
	ck_assert_int_eq(second->cpu, 3);
	ck_assert_uint_eq(second->size_bytes, 0x21a00);
	ck_assert_uint_eq(count_packets(first, NULL), 9980);
	ck_assert_uint_eq(count_packets(second, NULL), 95129);
	ck_assert_uint_eq(count_packets(first, "tip"), 505);
	ck_assert_uint_eq(count_packets(second, "mtc"), 2477);
	ck_assert_uint_eq(count_packets(second, "bad"), 0);
}
END_TEST

START_TEST(missing_code_is_reported)
{
	struct code_image *image;
	struct flow_input input = { 0 };
	struct flow_source *source;
	const struct flow_item *items;
	uint64_t gaps = 0;
	int count;

	open_it("intel-pt/quipper-intel-pt/perf.data.intel_pt-4.14");
	if (!recording)
		return;
	ck_assert_int_eq(code_image_open(recording, NULL, &image), 0);
	input.recording = recording;
	input.stream = recording_stream(recording, 1);
	input.image = image;
	ck_assert_int_eq(flow_source_open(&input, &source), 0);
	while ((count = flow_source_next(source, &items)) > 0)
		for (int i = 0; i < count; i++) {
			if (items[i].kind != FLOW_GAP)
				continue;
			ck_assert_uint_eq(items[i].detail, FLOW_GAP_NO_CODE);
			ck_assert_uint_gt(items[i].time_ns, 641255848111);
			ck_assert_uint_lt(items[i].time_ns, 641259000000);
			gaps++;
		}
	ck_assert_int_eq(count, 0);
	ck_assert_uint_gt(gaps, 0);
	flow_source_close(source);
	code_image_close(image);
}
END_TEST

START_TEST(pipe_mode_is_read)
{
	open_it("intel-pt/quipper-intel-pt/perf.data.piped.intel_pt-4.14");
	if (!recording)
		return;
	ck_assert_uint_eq(recording_event_count(recording), 4);
	ck_assert_uint_eq(recording_stream_count(recording), 2);
	ck_assert_uint_eq(recording_stream(recording, 0)->size_bytes, 0x12a70);
	ck_assert_str_eq(recording_info(recording)->os_release, "4.14.18");
}
END_TEST

SUITE("quipper")
{
	FIXTURE(NULL, tear_down);
	TEST(records_are_counted);
	TEST(packets_are_counted);
	TEST(missing_code_is_reported);
	TEST(pipe_mode_is_read);
}
