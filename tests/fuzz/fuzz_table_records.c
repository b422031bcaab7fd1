/* SPDX-License-Identifier: MIT */
#include "attribution/calls/system_call.h"
#include "attribution/sleeps/sleep_stacks.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/sleeps/wakers.h"
#include "common/pack.h"
#include "report/profile/call_tree.h"
#include "tables/calls/call_pack.h"
#include "tables/processes/time_record.h"
#include "tables/sleeps/sleep_pack.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>

enum { FUNCTIONS = 100 };

static void read_calls(struct pack pack)
{
	while (!pack.failed && byte_reader_left(&pack.reader)) {
		struct system_call call = { 0 };
		struct task task;

		call_pack(&pack, &call, &task, FUNCTIONS);
		assert(pack.failed ||
		       (call.function < FUNCTIONS && call.end < CALL_ENDS));
	}
}

/* What sleeps refer to, and then some. */
static void read_sleeps(struct pack pack)
{
	struct sleep_stacks *stacks = sleep_stacks_new();
	struct wakers wakers = WAKERS_NONE;
	struct sleep_numbers numbers = { .functions = FUNCTIONS };

	if (!stacks)
		return;
	sleep_stacks_pack(stacks, &pack, FUNCTIONS);
	wakers_pack(&wakers, &pack, FUNCTIONS);
	numbers.stacks = call_tree_count(sleep_stacks_tree(stacks));
	numbers.wakers = (uint32_t)wakers.chains.items.count;
	while (!pack.failed && byte_reader_left(&pack.reader)) {
		struct sleep sleep = { 0 };
		struct task task;

		sleep_pack(&pack, &sleep, &task, &numbers);
		assert(pack.failed || sleep.waker == WAKER_NONE ||
		       wakers_at(&wakers, sleep.waker)->function < FUNCTIONS);
	}
	wakers_free(&wakers);
	sleep_stacks_free(stacks);
}

static void read_times(struct pack pack)
{
	struct time_records records = TIME_RECORDS_NONE;
	struct time_record record;

	time_records_pack_tasks(&records, &pack);
	while (!pack.failed && byte_reader_left(&pack.reader)) {
		time_records_read(&records, &pack, &record);
		assert(pack.failed || (record.span.time_class < TIME_CLASSES &&
				       record.span.task));
	}
	time_records_free(&records);
}

/* Each kind of records, with what they refer to before them. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	read_calls(pack_to_read(bytes, size));
	read_sleeps(pack_to_read(bytes, size));
	read_times(pack_to_read(bytes, size));
	return 0;
}
