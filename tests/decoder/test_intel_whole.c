/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_packet.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

#define PSB \
	2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82

enum { PSB_SIZE = 16 };

/* The bytes after a PSB, and the size of the complete packets in them. */
static const struct {
	uint8_t bytes[8];
	size_t size;
	size_t whole;
} rows[] = {
	{ { 0 }, 0, 0 },
	{ { 0x02, 0x23, 0x1a }, 3, 3 },	      /* PSBEND, TNT */
	{ { 0x1a, 0x4d, 1, 2, 3, 4 }, 6, 6 }, /* TNT, TIP */
	{ { 0x1a, 0x4d, 1, 2, 3 }, 5, 1 },
	{ { 0x1a, 0x4d }, 2, 1 },
	{ { 0x1a, 0x07 }, 2, 1 }, /* TNT, half a CYC */
	{ { 0x1a, 0x02 }, 2, 1 },
	{ { 0x1a, 0x02, 0x01, 0x4d }, 4, 4 }, /* no packet */
};

/* Bytes of padding before the PSB: more than one read covers. */
static const size_t distances[] = { 0, 5000, 100000 };

START_TEST(a_packet_that_is_cut_off_is_left_out)
{
	static const uint8_t psb[] = { PSB };

	for (size_t i = 0; i < sizeof(distances) / sizeof(*distances); i++) {
		size_t head = PSB_SIZE + distances[i];
		size_t size = head + rows[_i].size;
		uint8_t *bytes = calloc(1, size);

		ck_assert_ptr_nonnull(bytes);
		memcpy(bytes, psb, PSB_SIZE);
		memcpy(bytes + head, rows[_i].bytes, rows[_i].size);
		ck_assert_uint_eq(intel_whole_size(bytes, size),
				  head + rows[_i].whole);
		free(bytes);
	}
}
END_TEST

START_TEST(without_a_psb_nothing_is_left_out)
{
	static const uint8_t bytes[] = { 0x1a, 0x4d, 1, 2 };

	ck_assert_uint_eq(intel_whole_size(bytes, sizeof(bytes)),
			  sizeof(bytes));
	ck_assert_uint_eq(intel_whole_size(NULL, 0), 0);
}
END_TEST

SUITE("intel_whole")
{
	TEST_EACH(a_packet_that_is_cut_off_is_left_out, rows);
	TEST(without_a_psb_nothing_is_left_out);
}
