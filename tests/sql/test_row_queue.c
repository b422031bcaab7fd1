/* SPDX-License-Identifier: MIT */
#include "sql/rows/row_out.h"
#include "sql/rows/row_queue.h"

#include "sql/tables/sql_tables.h"
#include "tests/run_suite.h"

#include <check.h>
#include <pthread.h>

enum { ROWS = 200000, FAILURE = -3 };

/* Produces rows of the table "wakeup", whose times are a counter. */
struct maker {
	struct row_queue *queue;
	struct row_choice choice;
	int64_t made;
};

static void *make_rows(void *ctx)
{
	struct maker *maker = ctx;
	struct row_out out = {
		.table = sql_table_at(TABLE_WAKEUP),
		.queue = maker->queue,
		.choice = &maker->choice,
	};

	while (maker->made < ROWS && !row_queue_is_stopped(maker->queue)) {
		union sql_cell *cells = row_out_begin(&out);

		cells[0].number = maker->made++;
		for (uint32_t i = 1; i < out.chunk->table->column_count; i++)
			row_out_null(&out, i);
		row_out_end(&out);
	}
	row_out_flush(&out);
	row_queue_end(maker->queue, FAILURE);
	return NULL;
}

static struct maker maker_of(void)
{
	return (struct maker){
		.queue = row_queue_new(),
		.choice = ROW_CHOICE_ALL,
	};
}

START_TEST(all_rows_come_in_order)
{
	struct maker maker = maker_of();
	struct row_chunk *chunk;
	int64_t count = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, make_rows, &maker);
	while ((chunk = row_queue_pop(maker.queue))) {
		ck_assert_int_eq(chunk->table->id, TABLE_WAKEUP);
		for (uint32_t i = 0; i < chunk->count; i++, count++) {
			ck_assert_int_eq(row_chunk_cells(chunk, i)->number,
					 count);
			ck_assert(!row_chunk_is_null(chunk, i, 0));
			ck_assert(row_chunk_is_null(chunk, i, 1));
		}
		row_queue_give_back(maker.queue, chunk);
	}
	pthread_join(thread, NULL);
	ck_assert_int_eq(count, ROWS);
	ck_assert_int_eq(row_queue_status(maker.queue), FAILURE);
	row_queue_free(maker.queue);
}
END_TEST

START_TEST(unwanted_rows_do_not_come)
{
	struct maker maker = maker_of();
	struct row_chunk *chunk;
	int64_t count = 0;
	pthread_t thread;

	maker.choice.is_limited = true;
	maker.choice.begin.since_ns = 100;
	maker.choice.end.until_ns = 150;
	pthread_create(&thread, NULL, make_rows, &maker);
	while ((chunk = row_queue_pop(maker.queue))) {
		for (uint32_t i = 0; i < chunk->count; i++, count++)
			ck_assert_int_eq(row_chunk_cells(chunk, i)->number,
					 100 + count);
		row_queue_give_back(maker.queue, chunk);
	}
	pthread_join(thread, NULL);
	ck_assert_int_eq(count, 50);
	row_queue_free(maker.queue);
}
END_TEST

/* A producer that waits for room is unblocked. */
START_TEST(a_stop_ends_it)
{
	struct maker maker = maker_of();
	pthread_t thread;

	pthread_create(&thread, NULL, make_rows, &maker);
	row_chunk_free(row_queue_pop(maker.queue));
	row_queue_stop(maker.queue);
	pthread_join(thread, NULL);
	ck_assert_int_lt(maker.made, ROWS);
	row_queue_free(maker.queue);
}
END_TEST

SUITE("row_queue")
{
	TEST(all_rows_come_in_order);
	TEST(unwanted_rows_do_not_come);
	TEST(a_stop_ends_it);
}
