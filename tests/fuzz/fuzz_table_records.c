/* SPDX-License-Identifier: MIT */
#include "attribution/calls/call_items.h"
#include "attribution/calls/system_calls.h"
#include "attribution/interrupts/interrupt_rows.h"
#include "attribution/lock_waits.h"
#include "attribution/requests/request.h"
#include "attribution/sleeps/sleep_stacks.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/time/time_span.h"
#include "common/bytes.h"
#include "report/profile/call_tree.h"
#include "sql/tables/fault_records_internal.h"
#include "tables/call_sites/call_sites_internal.h"
#include "tables/calls/crashes_table.h"
#include "tables/calls/hits_table.h"
#include "tables/processes/time_account.h"
#include "tables/profile/wall_tree_internal.h"
#include "tables/requests/request_records.h"
#include "tables/requests/request_sleeps.h"
#include "tables/requests/servers.h"
#include "tables/waits/runqueue_records_internal.h"
#include "tests/fuzz/fuzz.h"

#include "common/array.h"
#include <assert.h>
#include <stdlib.h>

enum { FUNCTIONS = 100 };

static void read_calls(struct pack pack)
{
	while (!pack.failed && byte_reader_left(&pack.reader)) {
		struct call_items items = { .bytes = { 0 } };
		struct system_call call = { 0 };
		struct task task;

		system_call_pack(&pack, &call, &task, FUNCTIONS);
		call_items_pack(&pack, &call.items, &items);
		call_items_free(&items);
		assert(pack.failed ||
		       (call.function < FUNCTIONS && call.end < CALL_ENDS));
	}
}

/* Reads the entries that sleeps refer to, then sleeps. */
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

static void read_lock_waits(struct pack pack)
{
	while (!pack.failed && byte_reader_left(&pack.reader)) {
		struct lock_wait wait = { .begin_ns = 0 };

		lock_pack(&pack, &wait, FUNCTIONS);
		assert(pack.failed || (wait.function < FUNCTIONS &&
				       wait.lock.kind < LOCK_KINDS));
	}
}

static int consume_wait(void *ctx, const struct cpu_wait *wait)
{
	struct cpu_wait part = *wait;

	(void)ctx;
	if (cpu_wait_cut(&part, (struct time_window){ 1 << 20, 1ULL << 40 }))
		assert(part.end_ns <= 1ULL << 40);
	return 0;
}

/* Reads waits for CPUs as records, or as the final record of a recording. */
static void read_cpu_waits(struct pack pack, bool is_last)
{
	struct runqueue_records records = RUNQUEUE_RECORDS_NONE;
	struct cpu_waits waits = cpu_waits_of(consume_wait, NULL);
	struct cpu_runs runs = CPU_RUNS_NONE;

	if (is_last)
		runqueue_records_pack_last(&records, &runs, NULL, &waits,
					   &pack);
	while (!pack.failed && byte_reader_left(&pack.reader))
		runqueue_records_read(&records, &runs, &pack);
	runqueue_records_emit(&records, consume_wait, NULL);
	runqueue_records_free(&records);
	cpu_runs_free(&runs);
}

/* Checks that the shown time of slices is at most their whole time. */
static void read_interrupts(struct pack pack)
{
	const struct time_window window = { 1 << 20, 1ULL << 40 };
	struct irq_names names = IRQ_NAMES_NONE;
	struct interrupt_rows *rows = interrupt_rows_new();
	const struct interrupt_row *row;

	if (!rows)
		return;
	irq_names_pack(&names, &pack);
	while (!pack.failed && byte_reader_left(&pack.reader))
		interrupt_rows_read(rows, window, FUNCTIONS, &pack);
	for (size_t i = 0; (row = interrupt_rows_at(rows, i)); i++)
		assert(row->function < FUNCTIONS && row->count >= 0);
	irq_names_free(&names);
	interrupt_rows_free(rows);
}

static void read_off_cpu(struct pack pack)
{
	struct call_tree *calls = call_tree_new();
	struct off_cpu_records records;
	struct off_cpu_record record;

	if (off_cpu_records_open(&records) == 0 && calls)
		off_cpu_records_pack_paths(&records, &pack, FUNCTIONS);
	while (!pack.failed && byte_reader_left(&pack.reader)) {
		off_cpu_records_read(&records, &pack, &record);
		if (!pack.failed)
			off_cpu_records_place(&records, record.path, calls,
					      call_tree_root(calls, 0));
	}
	off_cpu_records_free(&records);
	call_tree_free(calls);
}

static void read_requests(struct pack pack)
{
	struct request_records records = REQUEST_RECORDS_NONE;
	struct array sleeps = ARRAY_OF(struct request_sleep);
	const struct wakers none = WAKERS_NONE;
	struct cached_request request;

	records.functions = FUNCTIONS;
	request_records_pack_rest(&records, &none, &pack);
	while (!pack.failed && byte_reader_left(&pack.reader)) {
		sleeps.count = 0;
		request_records_read(&records, &pack, &request, &sleeps);
		assert(pack.failed ||
		       (request.task && request.row.medium < MEDIA));
		for (size_t i = 0; !pack.failed && i < sleeps.count; i++) {
			const struct request_sleep *sleep =
				array_at(&sleeps, i);

			assert(sleep->task && sleep->label < FUNCTIONS);
		}
	}
	array_free(&sleeps);
	request_records_free(&records);
}

static void read_sites(struct pack pack)
{
	while (!pack.failed && byte_reader_left(&pack.reader)) {
		struct call_site site = { 0 };

		call_site_pack(&pack, &site, FUNCTIONS);
		assert(pack.failed || site.function < FUNCTIONS);
	}
}

static void read_faults(struct pack pack)
{
	while (!pack.failed && byte_reader_left(&pack.reader)) {
		struct open_fault fault = { .cpu = 0 };
		struct task task;
		bool is_open;

		fault_pack(&pack, &fault, &task, &is_open, FUNCTIONS);
		assert(pack.failed || (fault.context.function < FUNCTIONS &&
				       fault.context.kind < CONTEXT_KINDS));
	}
}

static void read_hits(struct pack pack)
{
	while (!pack.failed && byte_reader_left(&pack.reader)) {
		struct hit_call call = { .is_known = true };

		hit_call_pack(&pack, &call, FUNCTIONS);
		assert(pack.failed || (call.text && call.function < FUNCTIONS));
		free(call.text);
	}
}

static void read_crashes(struct pack pack)
{
	while (!pack.failed && byte_reader_left(&pack.reader)) {
		struct crash crash = { 0 };

		crash_pack(&pack, &crash);
		assert(pack.failed ||
		       (crash.signal && crash.stack && crash.calls));
		crash_free(&crash);
	}
}

static void read_servers(struct pack pack)
{
	const struct time_window window = { 1 << 20, 1ULL << 40 };
	struct server_times times = server_times_of(window);
	uint64_t parts[REQUEST_PARTS];

	while (!pack.failed && byte_reader_left(&pack.reader)) {
		struct server_record record = { 0 };

		server_record_pack(&pack, &record);
		if (!pack.failed && record.kind != SERVER_REQUEST)
			server_times_add(&times, &record);
	}
	for (size_t i = 0; i < times.segments.count; i++)
		server_times_of_segment(&times, array_at(&times.segments, i),
					parts);
	server_times_free(&times);
}

/* Each kind of record, after the entries it refers to. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	read_calls(pack_to_read(bytes, size));
	read_sleeps(pack_to_read(bytes, size));
	read_times(pack_to_read(bytes, size));
	read_lock_waits(pack_to_read(bytes, size));
	read_faults(pack_to_read(bytes, size));
	read_cpu_waits(pack_to_read(bytes, size), false);
	read_cpu_waits(pack_to_read(bytes, size), true);
	read_interrupts(pack_to_read(bytes, size));
	read_off_cpu(pack_to_read(bytes, size));
	read_requests(pack_to_read(bytes, size));
	read_sites(pack_to_read(bytes, size));
	read_hits(pack_to_read(bytes, size));
	read_crashes(pack_to_read(bytes, size));
	read_servers(pack_to_read(bytes, size));
	return 0;
}
