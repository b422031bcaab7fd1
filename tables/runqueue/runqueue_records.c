/* SPDX-License-Identifier: MIT */
#include "tables/runqueue/runqueue_records.h"

#include "common/bytes.h"
#include "common/kept_file.h"
#include "report/steps/task_pack.h"

enum record_kind { RECORD_WAIT, RECORD_RUN, RECORD_KINDS };

static void free_waits(struct array *waits)
{
	struct read_wait *items = waits->items;

	for (size_t i = 0; i < waits->count; i++)
		array_free(&items[i].wait.recorder);
	array_free(waits);
}

void runqueue_records_free(struct runqueue_records *records)
{
	free_waits(&records->waits);
	free_waits(&records->last);
}

static void pack_run(struct pack *pack, uint32_t *cpu, struct cpu_run *run)
{
	pack_u32(pack, cpu);
	pack_u64(pack, &run->begin_ns);
	pack_u64(pack, &run->end_ns);
	pack_i32(pack, &run->tid);
}

static void pack_recorder(struct pack *pack, struct array *recorder)
{
	uint32_t count = (uint32_t)recorder->count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct time_window *part = pack->is_reading ?
						   array_add(recorder) :
						   array_at(recorder, i);

		pack_check(pack, part);
		if (!part)
			return;
		pack_u64(pack, &part->since_ns);
		pack_u64(pack, &part->until_ns);
	}
}

static void pack_wait(struct pack *pack, struct read_wait *read)
{
	struct cpu_wait *wait = &read->wait;

	task_pack_facts(pack, &read->task);
	pack_u32(pack, &read->task.index);
	pack_u64(pack, &wait->begin_ns);
	pack_u64(pack, &wait->end_ns);
	pack_i32(pack, &wait->cpu);
	pack_bool(pack, &wait->was_running);
	pack_recorder(pack, &wait->recorder);
}

static void write_wait(struct pack *pack, const struct cpu_wait *wait)
{
	struct read_wait kept = { .wait = *wait, .task = *wait->task };

	pack_wait(pack, &kept);
}

static void read_wait(struct pack *pack, struct array *waits)
{
	struct read_wait *read = array_add(waits);

	pack_check(pack, read);
	if (!read)
		return;
	read->wait.recorder = ARRAY_OF(struct time_window);
	pack_wait(pack, read);
}

static void keep(const struct runqueue_records *records, uint64_t begin_ns,
		 uint64_t end_ns)
{
	const struct kept_span span = kept_span_of(begin_ns, end_ns);

	kept_file_writer_add(records->writer, &span);
}

void runqueue_records_keep_wait(const struct runqueue_records *records,
				const struct cpu_wait *wait)
{
	struct pack *pack = kept_file_writer_pack(records->writer);
	uint8_t kind = RECORD_WAIT;

	pack_small(pack, &kind, RECORD_KINDS - 1);
	write_wait(pack, wait);
	keep(records, wait->begin_ns, wait->end_ns);
}

void runqueue_records_keep_run(const struct runqueue_records *records,
			       uint32_t cpu, const struct cpu_run *run)
{
	struct pack *pack = kept_file_writer_pack(records->writer);
	struct cpu_run kept = *run;
	uint8_t kind = RECORD_RUN;

	pack_small(pack, &kind, RECORD_KINDS - 1);
	pack_run(pack, &cpu, &kept);
	keep(records, run->begin_ns, run->end_ns);
}

static void read_run(struct cpu_runs *runs, struct pack *pack)
{
	struct cpu_run run;
	uint32_t cpu;

	pack_run(pack, &cpu, &run);
	if (!pack->failed)
		pack_check(pack, cpu_runs_add(runs, cpu, &run) == 0);
}

void runqueue_records_read(struct runqueue_records *records,
			   struct cpu_runs *runs, struct pack *pack)
{
	uint8_t kind;

	pack_small(pack, &kind, RECORD_KINDS - 1);
	if (pack->failed)
		return;
	if (kind == RECORD_WAIT)
		read_wait(pack, &records->waits);
	else
		read_run(runs, pack);
}

static void write_last(const struct cpu_runs *runs,
		       const struct cpu_waits *waits, struct pack *pack)
{
	for (uint32_t cpu = 0; cpu < runs->cpus.count; cpu++) {
		const struct cpu_run_list *list = array_at(&runs->cpus, cpu);
		struct cpu_run now = list->now;
		uint8_t kind = RECORD_RUN;

		if (!list->has_now)
			continue;
		pack_small(pack, &kind, RECORD_KINDS - 1);
		pack_run(pack, &cpu, &now);
	}
	for (size_t i = 0; i < waits->threads.count; i++) {
		const struct cpu_wait_state *state =
			array_at(&waits->threads, i);
		uint8_t kind = RECORD_WAIT;

		if (!state->is_waiting)
			continue;
		pack_small(pack, &kind, RECORD_KINDS - 1);
		write_wait(pack, &state->wait);
	}
}

static void read_last(struct runqueue_records *records, struct cpu_runs *runs,
		      struct pack *pack)
{
	while (!pack->failed && byte_reader_left(&pack->reader)) {
		struct cpu_run run;
		uint32_t cpu;
		uint8_t kind;

		pack_small(pack, &kind, RECORD_KINDS - 1);
		if (kind == RECORD_WAIT) {
			read_wait(pack, &records->last);
			continue;
		}
		pack_run(pack, &cpu, &run);
		if (!pack->failed)
			pack_check(pack, cpu_runs_go_on(runs, cpu, &run) == 0);
	}
}

void runqueue_records_pack_last(struct runqueue_records *records,
				struct cpu_runs *runs,
				const struct cpu_waits *waits,
				struct pack *pack)
{
	if (pack->is_reading)
		read_last(records, runs, pack);
	else
		write_last(runs, waits, pack);
}

static int hand_on(const struct array *waits, take_cpu_wait *take, void *ctx)
{
	struct read_wait *items = waits->items;
	int status = 0;

	for (size_t i = 0; i < waits->count && !status; i++) {
		items[i].wait.task = &items[i].task;
		status = take(ctx, &items[i].wait);
	}
	return status;
}

int runqueue_records_hand_on(struct runqueue_records *records,
			     take_cpu_wait *take, void *ctx)
{
	int status = hand_on(&records->waits, take, ctx);

	return status ? status : hand_on(&records->last, take, ctx);
}
