/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/packet_internal.h"
#include "tests/run_suite.h"

/* A unit has 20 elements waiting at most. */
enum { DEPTH = 20, BAD = 1000 };

static const struct {
	uint8_t kind;
	uint8_t bytes[4];
	size_t count;
} commits[] = {
	/* A commit packet has a number. */
	{ CORESIGHT_PACKET_COMMIT, { 0x2d, 0x05 }, 5 },
	{ CORESIGHT_PACKET_COMMIT, { 0x2d, 0x85, 0x02 }, 0x105 },
	/* Cycles of format 1, with and without a count of cycles. */
	{ CORESIGHT_PACKET_CYCLES, { 0x0e, 0x07, 0x01 }, 7 },
	{ CORESIGHT_PACKET_CYCLES, { 0x0f, 0x07 }, 7 },
	/* Format 2: from one on, or from the most. */
	{ CORESIGHT_PACKET_CYCLES, { 0x0c, 0x23 }, 3 },
	{ CORESIGHT_PACKET_CYCLES, { 0x0d, 0x23 }, DEPTH + 2 - 15 },
	/* Format 3. */
	{ CORESIGHT_PACKET_CYCLES, { 0x10 }, 1 },
	{ CORESIGHT_PACKET_CYCLES, { 0x1f }, 4 },
};

START_TEST(a_packet_has_the_number_of_elements_it_commits)
{
	const struct coresight_packet packet = {
		.kind = commits[_i].kind,
		.counts_commits = true,
	};
	size_t count = BAD;

	ck_assert(coresight_commits(&packet, commits[_i].bytes, DEPTH, &count));
	ck_assert_uint_eq(count, commits[_i].count);
}
END_TEST

START_TEST(cycles_of_a_unit_that_does_not_count_commits_commit_none)
{
	const struct coresight_packet packet = {
		.kind = CORESIGHT_PACKET_CYCLES,
	};
	size_t count = BAD;

	ck_assert(
		coresight_commits(&packet, (uint8_t[]){ 0x1f }, DEPTH, &count));
	ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(fewer_than_none_cannot_be_committed)
{
	const struct coresight_packet packet = {
		.kind = CORESIGHT_PACKET_CYCLES,
		.counts_commits = true,
	};
	size_t count;

	ck_assert(coresight_commits(&packet, (uint8_t[]){ 0x0d, 0xf0 }, 0,
				    &count));
	ck_assert(!coresight_commits(&packet, (uint8_t[]){ 0x0d, 0xe0 }, 0,
				     &count));
}
END_TEST

static const struct {
	uint8_t kind;
	uint8_t bytes[2];
	size_t count;
} cancels[] = {
	{ CORESIGHT_PACKET_CANCEL, { 0x2e, 0x09 }, 9 },
	{ CORESIGHT_PACKET_CANCEL, { 0x2f, 0x01 }, 1 },
	{ CORESIGHT_PACKET_MISPREDICT, { 0x30 }, 0 },
	{ CORESIGHT_PACKET_MISPREDICT, { 0x34 }, 1 },
	{ CORESIGHT_PACKET_MISPREDICT, { 0x38 }, 2 },
	{ CORESIGHT_PACKET_MISPREDICT, { 0x3e }, 5 },
};

START_TEST(a_packet_has_the_number_of_elements_it_cancels)
{
	const struct coresight_packet packet = {
		.kind = cancels[_i].kind,
		.header = cancels[_i].bytes[0],
	};

	ck_assert_uint_eq(coresight_cancels(&packet, cancels[_i].bytes),
			  cancels[_i].count);
}
END_TEST

static const struct {
	uint8_t bytes[12];
	size_t size;
	enum coresight_extension extension;
} extensions[] = {
	{ { [11] = 0x80 }, 12, CORESIGHT_EXTENSION_SYNC },
	{ { 0, 0x03 }, 2, CORESIGHT_EXTENSION_DISCARD },
	{ { 0, 0x05 }, 2, CORESIGHT_EXTENSION_OVERFLOW },
	{ { 0, 0x07 }, 2, CORESIGHT_EXTENSION_BAD },
	{ { 0 }, 12, CORESIGHT_EXTENSION_BAD },
};

START_TEST(an_extension_is_of_three_kinds)
{
	ck_assert_int_eq(coresight_extension_of(extensions[_i].bytes,
						extensions[_i].size),
			 extensions[_i].extension);
}
END_TEST

START_TEST(of_exceptions_two_of_etes_have_no_address)
{
	const struct coresight_packet etm = { 0 };
	const struct coresight_packet ete = { .is_ete = true };
	const uint8_t reset[] = { 0x06, 0 };
	const uint8_t failed[] = { 0x06, CORESIGHT_FAILED_TRANSACTION << 1 };
	const uint8_t call[] = { 0x06, 2 << 1 };

	ck_assert(!coresight_exception_has_address(&ete, reset));
	ck_assert(!coresight_exception_has_address(&ete, failed));
	ck_assert(coresight_exception_has_address(&ete, call));
	ck_assert(coresight_exception_has_address(&etm, reset));
	ck_assert(coresight_exception_has_address(&etm, failed));
}
END_TEST

SUITE("coresight_fields")
{
	TEST_EACH(a_packet_has_the_number_of_elements_it_commits, commits);
	TEST(cycles_of_a_unit_that_does_not_count_commits_commit_none);
	TEST(fewer_than_none_cannot_be_committed);
	TEST_EACH(a_packet_has_the_number_of_elements_it_cancels, cancels);
	TEST_EACH(an_extension_is_of_three_kinds, extensions);
	TEST(of_exceptions_two_of_etes_have_no_address);
}
