/* SPDX-License-Identifier: MIT */
/* Calls, waits for locks and sleeps that tables cache for windows can be read
 * back unchanged, with their numbers; incomplete records, or ones with
 * references to missing entries, are refused.
 */
#include "attribution/calls/system_calls.h"
#include "attribution/events/event_handler.h"
#include "attribution/lock_waits.h"
#include "attribution/sleeps/sleep_stacks.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/table_records.h"
#include "attribution/time/time_span.h"
#include "common/bytes.h"
#include "report/profile/call_tree.h"
#include "sql/tables/fault_records_internal.h"
#include "symbolize/functions/function_table.h"
#include "tests/fixtures/cached_record.h"
#include "tests/run_suite.h"

struct table {
	struct event_handler handler;
	struct event_handler part;
	struct event_handler *other;
};

START_TEST(the_owner_is_the_table_or_a_part_or_what_it_points_to)
{
	static const struct owner_place part = OWNER_IS(struct table, part);
	static const struct owner_place other = OWNER_AT(struct table, other);
	struct event_handler elsewhere = { .step = NULL };
	struct table table = { .other = &elsewhere };
	const struct table_records records = { .name = "rows" };
	struct event_handler *handler = &table.handler;

	ck_assert_ptr_eq(table_records_owner(&records, NULL, handler,
					     (struct owner_place){ 0 }),
			 handler);
	ck_assert_ptr_eq(table_records_owner(&records, NULL, handler, part),
			 &table.part);
	ck_assert_ptr_eq(table_records_owner(&records, NULL, handler, other),
			 &elsewhere);
}
END_TEST

static struct system_call read_call(struct pack *pack, struct task *task)
{
	struct system_call call = { 0 };

	system_call_pack(pack, &call, task, FUNCTIONS);
	return call;
}

static struct pack pack_call(void)
{
	struct pack pack = pack_to_write();
	struct task task;
	struct system_call call = {
		.task = &cached_record_task,
		.begin_ns = 100,
		.end_ns = 190,
		.function = FUNCTIONS - 1,
		.end = CALL_NO_RETURN,
		.has_enter = true,
		.number = 17,
		.arguments = { [1] = 5, [5] = UINT64_MAX },
		.has_exit = true,
		.result = -11,
		.class_ns = { [TIME_SYSTEM_CALL] = 60, [TIME_UNKNOWN] = 30 },
		.faults = 2,
		.fault_ns = 17,
	};

	system_call_pack(&pack, &call, &task, FUNCTIONS);
	ck_assert(pack_is_whole(&pack));
	return pack;
}

START_TEST(a_call_comes_back)
{
	struct pack written = pack_call();
	struct pack pack = pack_to_read(written.out.bytes, written.out.size);
	struct task task = { 0 };
	const struct system_call call = read_call(&pack, &task);

	ck_assert(pack_is_whole(&pack));
	cached_record_check_task(call.task, &cached_record_task);
	ck_assert_uint_eq(call.begin_ns, 100);
	ck_assert_uint_eq(call.end_ns, 190);
	ck_assert_uint_eq(call.function, FUNCTIONS - 1);
	ck_assert_uint_eq(call.end, CALL_NO_RETURN);
	ck_assert(call.has_enter);
	ck_assert_int_eq(call.number, 17);
	ck_assert_uint_eq(call.arguments[1], 5);
	ck_assert_uint_eq(call.arguments[5], UINT64_MAX);
	ck_assert(call.has_exit);
	ck_assert_int_eq(call.result, -11);
	ck_assert_uint_eq(call.class_ns[TIME_SYSTEM_CALL], 60);
	ck_assert_uint_eq(call.class_ns[TIME_ASLEEP], 0);
	ck_assert_uint_eq(call.class_ns[TIME_UNKNOWN], 30);
	ck_assert_uint_eq(call.faults, 2);
	ck_assert_uint_eq(call.fault_ns, 17);
	pack_free(&written);
}
END_TEST

/* Any byte may be another. */
START_TEST(a_damaged_call_refers_to_nothing_else)
{
	struct pack written = pack_call();

	for (size_t i = 0; i < written.out.size; i++) {
		uint8_t byte = written.out.bytes[i];
		struct task task = { 0 };
		struct system_call call;
		struct pack pack;

		written.out.bytes[i] = (uint8_t)~byte;
		pack = pack_to_read(written.out.bytes, written.out.size);
		call = read_call(&pack, &task);
		ck_assert(pack.failed ||
			  (call.function < FUNCTIONS && call.end < CALL_ENDS));
		written.out.bytes[i] = byte;
		pack = pack_to_read(written.out.bytes, i);
		read_call(&pack, &task);
		ck_assert(pack.failed);
	}
	pack_free(&written);
}
END_TEST

START_TEST(a_wait_for_a_lock_comes_back)
{
	struct pack written = pack_to_write();
	struct lock_wait wait = {
		.lock = { .address = 1234,
			  .device = 5,
			  .pid = -1,
			  .kind = LOCK_FILE },
		.function = FUNCTIONS - 1,
		.task = cached_record_task,
		.waker = 17,
		.others_at_begin = 2,
		.others_at_end = 1,
		.begin_ns = 100,
		.end_ns = 190,
	};
	struct pack pack;

	lock_pack(&written, &wait, FUNCTIONS);
	pack = pack_to_read(written.out.bytes, written.out.size);
	wait = (struct lock_wait){ .begin_ns = 0 };
	lock_pack(&pack, &wait, FUNCTIONS);
	ck_assert(pack_is_whole(&pack));
	cached_record_check_task(&wait.task, &cached_record_task);
	ck_assert_str_eq(lock_name_text(&wait.lock).text, "00:05:1234");
	ck_assert_int_eq(wait.lock.pid, -1);
	ck_assert_uint_eq(wait.function, FUNCTIONS - 1);
	ck_assert_int_eq(wait.waker, 17);
	ck_assert_uint_eq(wait.others_at_begin, 2);
	ck_assert_uint_eq(wait.others_at_end, 1);
	ck_assert_uint_eq(wait.begin_ns, 100);
	ck_assert_uint_eq(wait.end_ns, 190);
	pack = pack_to_read(written.out.bytes, written.out.size);
	lock_pack(&pack, &wait, FUNCTIONS - 1);
	ck_assert(pack.failed);
	pack_free(&written);
}
END_TEST

START_TEST(a_fault_comes_back)
{
	struct pack written = pack_to_write();
	struct open_fault fault = {
		.context = { .kind = CONTEXT_FAULT,
			     .unseen = UNSEEN_BEGIN,
			     .function = FUNCTIONS - 1,
			     .begin_ns = 100 },
		.task = &cached_record_task,
		.end_ns = 190,
		.on_cpu_ns = 80,
		.cpu = 3,
	};
	bool is_open = true;
	struct task task;
	struct pack pack;

	fault_pack(&written, &fault, &task, &is_open, FUNCTIONS);
	pack = pack_to_read(written.out.bytes, written.out.size);
	fault = (struct open_fault){ .cpu = 0 };
	is_open = false;
	fault_pack(&pack, &fault, &task, &is_open, FUNCTIONS);
	ck_assert(pack_is_whole(&pack));
	cached_record_check_task(fault.task, &cached_record_task);
	ck_assert_int_eq(fault.context.kind, CONTEXT_FAULT);
	ck_assert_int_eq(fault.context.unseen, UNSEEN_BEGIN);
	ck_assert_uint_eq(fault.context.function, FUNCTIONS - 1);
	ck_assert_uint_eq(fault.context.begin_ns, 100);
	ck_assert_uint_eq(fault.end_ns, 190);
	ck_assert_uint_eq(fault.on_cpu_ns, 80);
	ck_assert_int_eq(fault.cpu, 3);
	ck_assert(is_open);
	pack = pack_to_read(written.out.bytes, written.out.size);
	fault_pack(&pack, &fault, &task, &is_open, FUNCTIONS - 1);
	ck_assert(pack.failed);
	pack_free(&written);
}
END_TEST

static const struct sleep_numbers numbers = { FUNCTIONS, 5, 2 };

static struct sleep a_sleep(void)
{
	return (struct sleep){
		.task = &cached_record_task,
		.begin_ns = 100,
		.asleep_ns = 50,
		.runnable_ns = 7,
		.stack = 4,
		.user_stack = CALL_NODE_NONE,
		.label = 3,
		.inner = 9,
		.waker = 1,
		.others_at_begin = 6,
		.others_at_end = 8,
		.fd = -1,
		.is_cut = true,
	};
}

START_TEST(a_sleep_comes_back)
{
	struct pack written = pack_to_write();
	struct sleep sleep = a_sleep();
	struct task task;
	struct pack pack;

	sleep_pack(&written, &sleep, &task, &numbers);
	pack = pack_to_read(written.out.bytes, written.out.size);
	sleep = (struct sleep){ 0 };
	sleep_pack(&pack, &sleep, &task, &numbers);
	ck_assert(pack_is_whole(&pack));
	cached_record_check_task(sleep.task, &cached_record_task);
	ck_assert_uint_eq(sleep.begin_ns, 100);
	ck_assert_uint_eq(sleep.asleep_ns, 50);
	ck_assert_uint_eq(sleep.runnable_ns, 7);
	ck_assert_uint_eq(sleep.stack, 4);
	ck_assert_uint_eq(sleep.user_stack, CALL_NODE_NONE);
	ck_assert_uint_eq(sleep.label, 3);
	ck_assert_uint_eq(sleep.inner, 9);
	ck_assert_uint_eq(sleep.waker, 1);
	ck_assert_uint_eq(sleep.others_at_begin, 6);
	ck_assert_uint_eq(sleep.others_at_end, 8);
	ck_assert_int_eq(sleep.fd, -1);
	ck_assert(sleep.is_cut);
	pack_free(&written);
}
END_TEST

/* Each changed sleep refers to an entry one past the last. */
START_TEST(a_sleep_refers_to_what_is_there)
{
	struct sleep wrong[5];

	for (int i = 0; i < 5; i++)
		wrong[i] = a_sleep();
	wrong[0].stack = numbers.stacks;
	wrong[1].user_stack = numbers.stacks;
	wrong[2].label = FUNCTIONS;
	wrong[3].inner = FUNCTIONS;
	wrong[4].waker = numbers.wakers;
	for (int i = 0; i < 5; i++) {
		struct pack pack = pack_to_write();
		struct task task;

		sleep_pack(&pack, &wrong[i], &task, &numbers);
		ck_assert(pack.failed);
		pack_free(&pack);
	}
}
END_TEST

START_TEST(stacks_have_their_numbers)
{
	static const struct path_frame frames[] = {
		{ .function = 5, .how = HOW_SYSTEM_CALL },
		{ .function = 6, .how = HOW_EXCEPTION },
		{ .function = 7, .how = HOW_CALL },
	};
	struct sleep_stacks *stacks = sleep_stacks_new();
	struct sleep_stacks *other = sleep_stacks_new();
	uint32_t inner = sleep_stacks_kernel(stacks, frames, 3);
	uint32_t outer = sleep_stacks_kernel(stacks, frames + 2, 1);
	struct pack written = pack_to_write();
	struct pack pack;

	sleep_stacks_pack(stacks, &written, FUNCTIONS);
	pack = pack_to_read(written.out.bytes, written.out.size);
	sleep_stacks_pack(other, &pack, FUNCTIONS);
	ck_assert(pack_is_whole(&pack));
	ck_assert_uint_eq(call_tree_count(sleep_stacks_tree(other)), outer + 1);
	ck_assert_uint_eq(sleep_stacks_kernel(other, frames, 3), inner);
	ck_assert_uint_eq(sleep_stacks_kernel(other, frames + 2, 1), outer);
	pack = pack_to_read(written.out.bytes, written.out.size);
	sleep_stacks_free(other);
	other = sleep_stacks_new();
	sleep_stacks_pack(other, &pack, 7);
	ck_assert(pack.failed);
	pack_free(&written);
	sleep_stacks_free(stacks);
	sleep_stacks_free(other);
}
END_TEST

START_TEST(wakers_have_their_numbers)
{
	const struct waker interrupt = { WAKER_NONE, 4, 4, -1, -1 };
	struct wakers wakers = WAKERS_NONE;
	struct wakers other = WAKERS_NONE;
	struct waker writer = { 0, 5, FUNCTION_NONE, 11, 12 };
	struct pack written = pack_to_write();
	struct pack pack;

	writer.earlier = wakers_add(&wakers, &interrupt);
	ck_assert_uint_eq(wakers_add(&wakers, &writer), 1);
	wakers_pack(&wakers, &written, FUNCTIONS);
	pack = pack_to_read(written.out.bytes, written.out.size);
	wakers_pack(&other, &pack, FUNCTIONS);
	ck_assert(pack_is_whole(&pack));
	ck_assert_uint_eq(wakers_add(&other, &writer), 1);
	ck_assert(wakers_has(&other, 1, 12));
	wakers_free(&other);
	pack = pack_to_read(written.out.bytes, written.out.size);
	wakers_pack(&other, &pack, 5);
	ck_assert(pack.failed);
	pack_free(&written);
	wakers_free(&wakers);
	wakers_free(&other);
}
END_TEST

SUITE("table_records")
{
	TEST(a_call_comes_back);
	TEST(a_damaged_call_refers_to_nothing_else);
	TEST(a_wait_for_a_lock_comes_back);
	TEST(a_fault_comes_back);
	TEST(a_sleep_comes_back);
	TEST(a_sleep_refers_to_what_is_there);
	TEST(stacks_have_their_numbers);
	TEST(wakers_have_their_numbers);
	TEST(the_owner_is_the_table_or_a_part_or_what_it_points_to);
}
