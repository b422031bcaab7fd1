/* SPDX-License-Identifier: MIT */
#include "decoder/recording/aux_stream.h"
#include "decoder/recording/recording.h"
#include "tests/run_suite.h"

enum { KEPT = 24 };

/* The kept bytes are [100, 110), [110, 116) and, after a hole, [200, 208). */
static const struct aux_piece pieces[] = {
	{ .offset = 100, .size_bytes = 10 },
	{ .offset = 110, .size_bytes = 6 },
	{ .offset = 200, .size_bytes = 8 },
};

/* The position in the kept bytes of a loss at @offset. */
static const struct {
	uint64_t offset;
	size_t position;
} places[] = {
	{ 0, KEPT }, /* before all of them, where no trace is cut */
	{ 50, KEPT }, { 101, 1 },    { 109, 9 },    { 110, 10 },
	{ 115, 15 },  { 116, 16 },   { 150, 16 },   { 200, 16 },
	{ 203, 19 },  { 208, KEPT }, { 209, KEPT }, { 1000, KEPT },
};

static struct aux_stream stream_of(const struct aux_loss *losses, size_t count)
{
	return (struct aux_stream){
		.pieces = pieces,
		.piece_count = sizeof(pieces) / sizeof(*pieces),
		.losses = losses,
		.loss_count = count,
	};
}

START_TEST(a_loss_is_where_its_offset_is)
{
	const struct aux_loss loss = { .offset = places[_i].offset };
	const struct aux_stream stream = stream_of(&loss, 1);
	struct loss_cursor cursor = { .stream = &stream };

	ck_assert_uint_eq(loss_cursor_next(&cursor, 0), places[_i].position);
	ck_assert(loss_cursor_is_at_loss(&cursor) == (loss.offset > 100));
}
END_TEST

START_TEST(each_loss_comes_once)
{
	const struct aux_loss losses[] = {
		{ .offset = 105 }, { .offset = 105 }, { .offset = 116 },
		{ .offset = 150 }, { .offset = 204 },
	};
	const struct aux_stream stream = stream_of(losses, 5);
	struct loss_cursor cursor = { .stream = &stream };

	ck_assert_uint_eq(loss_cursor_next(&cursor, 0), 5);
	ck_assert_uint_eq(loss_cursor_next(&cursor, 5), 16);
	ck_assert_uint_eq(loss_cursor_next(&cursor, 16), 20);
	ck_assert(loss_cursor_is_at_loss(&cursor));
	ck_assert_uint_eq(loss_cursor_next(&cursor, 20), KEPT);
	ck_assert(!loss_cursor_is_at_loss(&cursor));
}
END_TEST

/* The last seven kept bytes may be padding of the record. */
START_TEST(a_stream_may_end_with_a_loss)
{
	struct aux_loss losses[] = {
		{ .offset = 105, .time_ns = 1000 },
		{ .offset = 208, .time_ns = 2000 },
	};
	const struct aux_stream without = { .pieces = NULL };
	const struct aux_stream stream = stream_of(losses, 2);

	ck_assert_uint_eq(loss_at_end_ns(&without), 0);
	ck_assert_uint_eq(loss_at_end_ns(&stream), 2000);
	losses[1].offset = 201;
	ck_assert_uint_eq(loss_at_end_ns(&stream), 2000);
	losses[1].offset = 200;
	ck_assert_uint_eq(loss_at_end_ns(&stream), 0);
}
END_TEST

START_TEST(a_stream_without_losses_has_one_interval)
{
	const struct aux_stream stream = stream_of(NULL, 0);
	struct loss_cursor cursor = { .stream = &stream };

	ck_assert_uint_eq(loss_cursor_next(&cursor, 0), KEPT);
	ck_assert(!loss_cursor_is_at_loss(&cursor));
}
END_TEST

SUITE("loss_cursor")
{
	TEST_EACH(a_loss_is_where_its_offset_is, places);
	TEST(each_loss_comes_once);
	TEST(a_stream_may_end_with_a_loss);
	TEST(a_stream_without_losses_has_one_interval);
}
