/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "decoder/recording/record_parse_internal.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* A sample in its format in a recording: words, then raw bytes and so on. */
struct sample_bytes {
	uint8_t bytes[512];
	size_t size;
};

static void put(struct sample_bytes *sample, uint64_t value, size_t size)
{
	memcpy(sample->bytes + sample->size, &value, size);
	sample->size += size;
}

static void put_words(struct sample_bytes *sample, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put(sample, 0x1111 * (i + 1), 8);
}

static const struct recording_event event = {
	.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
		       PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
		       PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW |
		       PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |
		       PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT |
		       PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR,
	.registers = 0x6,
	.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX,
	.user_registers = 0x181, /* ax, sp, ip */
};

/* Up to and with its raw bytes. */
static struct sample_bytes begin_sample(void)
{
	struct sample_bytes sample = { .size = 8 };

	put(&sample, 5, 8);	/* id */
	put(&sample, 0xabc, 8); /* ip */
	put_words(&sample, 3);	/* task, time, CPU */
	put(&sample, 1, 8);	/* period */
	put(&sample, 12, 4);	/* raw */
	put(&sample, 0x77, 8);
	put(&sample, 0, 4);
	return sample;
}

static struct sample_bytes whole_sample(void)
{
	struct sample_bytes sample = begin_sample();

	put(&sample, 2, 8); /* branches, and their index */
	put_words(&sample, 1 + 2 * 3);
	put(&sample, PERF_SAMPLE_REGS_ABI_64, 8);
	put(&sample, 0xa0, 8);
	put(&sample, 0x5000, 8);
	put(&sample, 0x400000, 8);
	put(&sample, 32, 8); /* stack: room for 32, 16 are set */
	put_words(&sample, 4);
	put(&sample, 16, 8);
	put_words(&sample, 2); /* weight, transaction */
	put(&sample, PERF_SAMPLE_REGS_ABI_64, 8);
	put(&sample, 0xb1, 8);
	put(&sample, 0xb2, 8);
	return sample;
}

static void check_register(const struct sideband_registers *registers,
			   unsigned int number, uint64_t expected)
{
	uint64_t value;

	ck_assert(sideband_register(registers, number, &value));
	ck_assert_uint_eq(value, expected);
	ck_assert(!sideband_register(registers, 63, &value));
}

/* Reads the first @size bytes of @sample, which lie alone in memory. */
static int parse(const struct sample_bytes *sample, size_t size,
		 struct sideband_record *record)
{
	uint8_t *copy = malloc(size);
	const struct record raw = {
		.type = PERF_RECORD_SAMPLE,
		.size = (uint16_t)size,
		.bytes = copy,
	};
	int status;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, sample->bytes, size);
	*record = (struct sideband_record){ .event = &event };
	status = sample_parse(&raw, record);
	/* Pointers lead into the record: read before it is gone. */
	if (status == 1 && record->sample.user.stack_size)
		ck_assert_int_eq(record->sample.user.stack[0], 0x11);
	if (status == 1 && record->sample.user.registers.values)
		check_register(&record->sample.user.registers, 7, 0x5000);
	if (status == 1 && record->sample.registers.values)
		check_register(&record->sample.registers, 2, 0xb2);
	free(copy);
	return status;
}

START_TEST(registers_and_stack_are_read)
{
	struct sample_bytes sample = whole_sample();
	struct sideband_record record;

	ck_assert_int_eq(parse(&sample, sample.size, &record), 1);
	ck_assert_uint_eq(record.sample.ip, 0xabc);
	ck_assert_uint_eq(record.sample.raw_size, 12);
	ck_assert_uint_eq(record.sample.user.registers.abi,
			  PERF_SAMPLE_REGS_ABI_64);
	ck_assert_uint_eq(record.sample.user.registers.mask, 0x181);
	ck_assert_uint_eq(record.sample.user.stack_size, 16);
	ck_assert_uint_eq(record.sample.registers.abi, PERF_SAMPLE_REGS_ABI_64);
	ck_assert_uint_eq(record.sample.registers.mask, 0x6);
}
END_TEST

/* A kernel thread has neither. */
START_TEST(none_are_none)
{
	struct sample_bytes sample = begin_sample();
	struct sideband_record record;

	put(&sample, 0, 8);
	put(&sample, 0, 8); /* the index comes also without any */
	put(&sample, PERF_SAMPLE_REGS_ABI_NONE, 8);
	put(&sample, 0, 8);
	put_words(&sample, 2);
	put(&sample, PERF_SAMPLE_REGS_ABI_NONE, 8);
	ck_assert_int_eq(parse(&sample, sample.size, &record), 1);
	ck_assert_ptr_null(record.sample.user.registers.values);
	ck_assert_uint_eq(record.sample.user.stack_size, 0);
	ck_assert_ptr_null(record.sample.registers.values);
}
END_TEST

START_TEST(short_ones_are_refused)
{
	struct sample_bytes sample = whole_sample();
	struct sideband_record record;

	for (size_t size = 8; size < sample.size; size++)
		ck_assert_int_eq(parse(&sample, size, &record), -ERROR_FORMAT);
}
END_TEST

static const struct {
	const char *title;
	size_t from_end; /* distance in bytes of the false word from the end */
	uint64_t value;
} lies[] = {
	{ "more stack than there was room", 48, 33 },
	{ "room for more than the record has", 88, 40 },
	{ "room for almost all memory", 88, UINT64_MAX },
	{ "all branches there are", 120 + 64, UINT64_MAX / 8 },
	{ "more branches than it has room for", 120 + 64, 11 },
};

START_TEST(lies_are_refused)
{
	struct sample_bytes sample = whole_sample();
	struct sideband_record record;

	memcpy(sample.bytes + sample.size - lies[_i].from_end, &lies[_i].value,
	       8);
	ck_assert_msg(parse(&sample, sample.size, &record) == -ERROR_FORMAT,
		      "%s", lies[_i].title);
}
END_TEST

SUITE("sample_parse")
{
	TEST(registers_and_stack_are_read);
	TEST(none_are_none);
	TEST(short_ones_are_refused);
	TEST_EACH(lies_are_refused, lies);
}
