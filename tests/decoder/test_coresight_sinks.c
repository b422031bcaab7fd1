/* SPDX-License-Identifier: MIT */
/* Systems with several sinks, each shared by the CPUs of a cluster: the kernel
 * allocates trace IDs for each sink anew (coresight_trace_id.c of Linux 6.12
 * and later), so only the sink's ID shows which CPU an ID belongs to
 * (linux/coresight-pmu.h: CS_AUX_HW_ID_SINK_ID_MASK).
 */
#include "common/formats/perf_data.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "tests/fixtures/frame.h"
#include "tests/fixtures/log.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <string.h>

enum {
	CPUS = 4,
	WORDS = 11, /* of a unit in AUXTRACE_INFO */
	FIRST_ID = 0x10,
	BYTES = 40, /* of each source in a buffer */
};

static struct recording_fixture fixture;
static struct recording *recording;
static char said[LOG_FIXTURE_TEXT];
static const struct log log_said = { log_fixture_keep, said };

/* The trace ID of a CPU if its sink is shared by @shared CPUs in turn. */
static uint64_t id_of(uint64_t cpu, uint64_t shared)
{
	return FIRST_ID + 2 * (cpu % shared);
}

static void add_units(void)
{
	uint64_t info[4 + CPUS * WORDS] = {
		PERF_DATA_AUXTRACE_CORESIGHT,
		2,
		UINT64_C(8) << 32 | CPUS,
		0,
	};

	for (uint64_t cpu = 0; cpu < CPUS; cpu++) {
		const uint64_t unit[WORDS] = {
			CORESIGHT_MAGIC_ETMV4,
			cpu,
			8,
			0x811,
			0x7f, /* not yet allocated */
			0x28000ea1,
			0x4100f403,
			0x488,
			0,
			0,
			1,
		};

		memcpy(info + 4 + cpu * WORDS, unit, sizeof(unit));
	}
	recording_fixture_record(&fixture, PERF_DATA_AUXTRACE_INFO, 0, info,
				 sizeof(info), NULL);
}

static void set_up(void)
{
	*said = '\0';
	recording_fixture_begin_coresight(&fixture);
	add_units();
}

static void tear_down(void)
{
	recording_close(recording);
	recording = NULL;
	recording_fixture_end(&fixture);
}

/* Adds the record with which the kernel names a CPU's IDs. */
static void add_ids(uint32_t cpu, uint64_t hw_id)
{
	const struct fixture_origin origin = { 1, 1, 1000 };

	fixture.cpu = cpu;
	recording_fixture_record(&fixture, PERF_RECORD_AUX_OUTPUT_HW_ID, 0,
				 &hw_id, sizeof(hw_id), &origin);
}

/* Returns an ID record of minor version 1, with the sink's ID. */
static uint64_t in_sink(uint64_t id, uint64_t sink)
{
	return UINT64_C(1) << 56 | sink << 8 | id;
}

/* Adds a buffer of @cpu with trace of @count CPUs from @first on. */
static void add_buffer(uint32_t cpu, uint32_t first, uint32_t count,
		       uint64_t shared)
{
	const struct fixture_origin origin = { 1, 1, 2000 + cpu };
	struct frame_byte bytes[CPUS * BYTES];
	uint8_t frames[FRAME_FIXTURE_ROOM(CPUS * BYTES)];
	size_t size = 0;

	for (uint32_t i = 0; i < count * BYTES; i++)
		bytes[i] = (struct frame_byte){
			.id = (uint8_t)id_of(first + i % count, shared),
			.byte = (uint8_t)i,
		};
	size = frame_fixture_write(frames, bytes, count * BYTES, 10);
	fixture.cpu = cpu;
	recording_fixture_trace(&fixture, 0, frames, size);
	recording_fixture_record(&fixture, PERF_RECORD_AUX, 0,
				 (uint64_t[]){ 0, size, 0 },
				 3 * sizeof(uint64_t), &origin);
}

static void open_it(void)
{
	recording_fixture_write(&fixture);
	ck_assert_int_eq(recording_open(fixture.path, &log_said, &recording),
			 0);
}

/* Expects one stream for each CPU, with one slice of the buffer of CPU
 * @buffers[cpu].
 */
static void expect(const uint32_t *buffers)
{
	const uint8_t *starts[CPUS] = { NULL };

	ck_assert_uint_eq(recording_stream_count(recording), CPUS);
	for (size_t i = 0; i < CPUS; i++) {
		const struct aux_stream *stream =
			recording_stream(recording, i);

		ck_assert_int_eq(stream->cpu, (int)i);
		ck_assert_uint_eq(stream->piece_count, 1);
		starts[i] = stream->pieces[0].bytes;
	}
	for (size_t i = 0; i < CPUS; i++)
		for (size_t j = 0; j < CPUS; j++)
			ck_assert_int_eq(starts[i] == starts[j],
					 buffers[i] == buffers[j]);
}

START_TEST(one_sink_of_all_cpus)
{
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		add_ids(cpu, in_sink(id_of(cpu, CPUS), 0xabcd1234));
	add_buffer(2, 0, CPUS, CPUS);
	open_it();
	expect((uint32_t[]){ 2, 2, 2, 2 });
}
END_TEST

START_TEST(ids_repeat_between_sinks)
{
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		add_ids(cpu, in_sink(id_of(cpu, 2), cpu < 2 ? 0xffffffff : 7));
	add_buffer(0, 0, 2, 2);
	add_buffer(3, 2, 2, 2);
	open_it();
	expect((uint32_t[]){ 0, 0, 3, 3 });
	ck_assert_str_eq(said, "");
}
END_TEST

/* A TMC-ETF for each CPU. */
START_TEST(a_sink_for_each_cpu)
{
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		add_ids(cpu, in_sink(FIRST_ID, 100 + cpu));
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		add_buffer(cpu, cpu, 1, 1);
	open_it();
	expect((uint32_t[]){ 0, 1, 2, 3 });
}
END_TEST

/* Linux 6.1 to 6.11: no sink in the record. */
START_TEST(ids_without_a_sink_are_the_systems)
{
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		add_ids(cpu, id_of(cpu, CPUS));
	add_buffer(0, 0, 2, CPUS);
	add_buffer(3, 2, 2, CPUS);
	open_it();
	expect((uint32_t[]){ 0, 0, 3, 3 });
}
END_TEST

/* A later major version may give the fields another meaning. */
START_TEST(a_record_of_an_unknown_version_is_reported)
{
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		add_ids(cpu, UINT64_C(1) << 60 | id_of(cpu, CPUS));
	add_buffer(0, 0, CPUS, CPUS);
	open_it();
	ck_assert_uint_eq(recording_stream_count(recording), 0);
	ck_assert_ptr_nonnull(strstr(said, "no CPU's"));
}
END_TEST

SUITE("coresight_sinks")
{
	FIXTURE(set_up, tear_down);
	TEST(one_sink_of_all_cpus);
	TEST(ids_repeat_between_sinks);
	TEST(a_sink_for_each_cpu);
	TEST(ids_without_a_sink_are_the_systems);
	TEST(a_record_of_an_unknown_version_is_reported);
}
