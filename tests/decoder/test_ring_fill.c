/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "decoder/ring_fill.h"
#include "tests/fixtures/intel_bytes.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <string.h>

enum { STEP = 32 << 10, SIZE = 3 * STEP };

static struct recording_fixture fixture;
static uint8_t bytes[SIZE];

/* Writes a sync point of the time @ns, less than 65,536, at @position. */
static void put_point(size_t position, unsigned int ns)
{
	size_t size = fixture_intel_bytes("psb 19 0 0 0 0 0 0 0 02 23",
					  bytes + position, SIZE - position);

	bytes[position + size - 9] = (uint8_t)ns;
	bytes[position + size - 8] = (uint8_t)(ns >> 8);
}

/* Two readings of the ring: one of 40,000 bytes with three points, one of the
 * rest with two.
 */
static void set_up(void)
{
	recording_fixture_begin(&fixture);
	memset(bytes, 0, sizeof(bytes));
	put_point(100, 1000);
	put_point(5000, 2000);
	put_point(100 + STEP, 3000);
	put_point(40000, 4000);
	put_point(40000 + STEP, 5000);
	recording_fixture_trace(&fixture, 0, bytes, 40000);
	recording_fixture_trace(&fixture, 40000, bytes + 40000, SIZE - 40000);
	recording_fixture_write(&fixture);
}

static void tear_down(void)
{
	recording_fixture_end(&fixture);
}

START_TEST(the_ring_holds_what_was_not_read_yet)
{
	static const struct {
		uint64_t time_ns;
		uint64_t bytes;
	} wanted[] = {
		{ 1000, 100 }, { 3000, 100 + STEP }, { 4000, 0 }, { 5000, STEP }
	};
	struct recording *recording;
	struct ring_fill fill;
	uint64_t time_ns, held;

	ck_assert_int_eq(recording_open(fixture.path, NULL, &recording), 0);
	ck_assert_int_eq(ring_fill_open(&fill, recording,
					recording_stream(recording, 0)),
			 0);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		ck_assert_int_eq(ring_fill_next(&fill, &time_ns, &held), 1);
		ck_assert_uint_eq(time_ns, wanted[i].time_ns);
		ck_assert_uint_eq(held, wanted[i].bytes);
	}
	ck_assert_int_eq(ring_fill_next(&fill, &time_ns, &held), 0);
	ring_fill_close(&fill);
	recording_close(recording);
}
END_TEST

SUITE("ring_fill")
{
	FIXTURE(set_up, tear_down);
	TEST(the_ring_holds_what_was_not_read_yet);
}
