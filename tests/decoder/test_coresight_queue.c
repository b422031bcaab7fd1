/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/items_internal.h"
#include "tests/run_suite.h"

static struct coresight_queue queue;
static struct flow_batch *batch;

static bool is_never_slow(void *ctx, const struct flow_item *item)
{
	(void)ctx;
	(void)item;
	return false;
}

static void set_up(void)
{
	queue = coresight_queue_new();
	batch = flow_batch_new(is_never_slow, NULL);
	ck_assert_ptr_nonnull(batch);
}

static void tear_down(void)
{
	coresight_queue_free(&queue);
	flow_batch_free(batch);
}

static void add_block(uint16_t instructions)
{
	const struct flow_item item = { .kind = FLOW_BLOCK,
					.instructions = instructions };
	const struct flow_stamp stamp = { .high_ns = UINT64_MAX };

	ck_assert_int_eq(coresight_queue_add(&queue, &item, &stamp), 0);
}

/* Returns how many items the batch has when all of it is flushed. */
static size_t moved(void)
{
	flow_batch_flush(batch);
	return flow_batch_finished(batch);
}

START_TEST(the_last_item_stays_as_long_as_more_may_come)
{
	add_block(1);
	add_block(2);
	coresight_queue_resolve(&queue);
	ck_assert_uint_eq(coresight_queue_last(&queue)->instructions, 2);
	ck_assert_uint_eq(coresight_queue_unresolved(&queue), 0);
	ck_assert(coresight_queue_is_ready(&queue, false));
	coresight_queue_drain(&queue, batch, false);
	ck_assert_uint_eq(moved(), 1);
	ck_assert(!coresight_queue_is_ready(&queue, false));
	coresight_queue_drain(&queue, batch, true);
	ck_assert_uint_eq(moved(), 2);
	ck_assert(coresight_queue_is_empty(&queue));
	ck_assert_ptr_null(coresight_queue_last(&queue));
}
END_TEST

START_TEST(elements_that_wait_for_a_count_stay)
{
	add_block(1);
	add_block(2);
	add_block(3);
	ck_assert(!coresight_queue_is_ready(&queue, false));
	coresight_queue_share(&queue, 60, 6);
	ck_assert_uint_eq(coresight_queue_unresolved(&queue), 0);
	coresight_queue_drain(&queue, batch, false);
	ck_assert_uint_eq(moved(), 2);
}
END_TEST

START_TEST(no_count_is_taken_for_one_that_is_not_known)
{
	ck_assert_uint_eq(coresight_work(7), 7);
	ck_assert_uint_eq(coresight_work(UINT64_MAX), FLOW_WORK_UNKNOWN - 1);
}
END_TEST

SUITE("coresight_queue")
{
	FIXTURE(set_up, tear_down);
	TEST(the_last_item_stays_as_long_as_more_may_come);
	TEST(elements_that_wait_for_a_count_stay);
	TEST(no_count_is_taken_for_one_that_is_not_known);
}
