/* SPDX-License-Identifier: MIT */
#include "tables/processes/time_record.h"

#include "common/bytes.h"
#include "common/error.h"
#include "common/kept_file.h"
#include "report/steps/call_step.h"
#include "report/steps/task_pack.h"

/* For indices of tasks without records. */
#define NO_TASK ((struct task){ .tid = -1, .pid = -1, .cpu = -1 })

void time_records_free(struct time_records *records)
{
	array_free(&records->kept);
	array_free(&records->read);
}

static void pack_span(struct pack *pack, struct time_record *record)
{
	struct time_span *span = &record->span;

	pack_u64(pack, &span->end_ns);
	pack_small(pack, &span->time_class, TIME_CLASSES - 1);
	pack_small(pack, &span->reason, UNKNOWN_REASONS - 1);
	pack_small(pack, &record->resolved, TIME_CLASSES - 1);
	pack_bool(pack, &span->is_provisional);
	pack_bool(pack, &span->is_behind_recorder);
	pack_u32(pack, &span->begin_error_ns);
	pack_u32(pack, &span->end_error_ns);
}

static void pack_record(struct pack *pack, struct time_record *record,
			uint32_t *index)
{
	struct time_span *span = &record->span;

	pack_small(pack, &record->kind, TIME_RECORD_KINDS - 1);
	pack_u32(pack, index);
	pack_i32(pack, &span->cpu);
	pack_u64(pack, &span->begin_ns);
	if (record->kind == RECORD_SPAN)
		pack_span(pack, record);
	else
		span->end_ns = span->begin_ns;
}

int time_records_keep(struct time_records *records,
		      const struct time_record *record)
{
	const struct time_span *span = &record->span;
	const struct kept_span when =
		kept_span_of(span->begin_ns, span->end_ns);
	uint32_t index = span->task->index;
	const struct task **slot = array_reach(&records->kept, index);
	struct time_record kept = *record;

	if (!slot)
		return -ERROR_MEMORY;
	*slot = span->task;
	pack_record(kept_file_writer_pack(records->writer), &kept, &index);
	kept_file_writer_add(records->writer, &when);
	return 0;
}

void time_records_read(const struct time_records *records, struct pack *pack,
		       struct time_record *record)
{
	uint32_t index = 0;

	*record = (struct time_record){ 0 };
	pack_record(pack, record, &index);
	pack_check(pack, index < records->read.count);
	if (!pack->failed)
		record->span.task = array_at(&records->read, index);
}

static void pack_task(struct time_records *records, struct pack *pack,
		      uint32_t index)
{
	struct task task = NO_TASK;
	const struct task *kept;
	struct task *read;

	if (!pack->is_reading) {
		kept = *(const struct task **)array_at(&records->kept, index);
		if (kept)
			task = *kept;
	}
	task_pack_facts(pack, &task);
	if (!pack->is_reading || pack->failed)
		return;
	task.index = index;
	read = array_add(&records->read);
	pack_check(pack, read);
	if (read)
		*read = task;
}

void time_records_pack_tasks(struct time_records *records, struct pack *pack)
{
	uint32_t count = (uint32_t)records->kept.count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++)
		pack_task(records, pack, i);
}
