/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/slice_records.h"

#include "common/bytes.h"
#include "common/kept_file.h"

#include <string.h>

void slice_records_free(struct slice_records *records)
{
	array_free(&records->slices);
	number_map_free(&records->by_serial);
}

static void pack_flag(struct pack *pack, uint32_t *flag)
{
	uint8_t bit = (uint8_t)*flag;

	pack_small(pack, &bit, 1);
	*flag = bit;
}

static void pack_work(struct pack *pack, struct interrupt_row *work)
{
	pack_u32(pack, &work->kind);
	pack_check(pack, work->kind < INTERRUPT_KINDS);
	pack_flag(pack, &work->is_thread_work);
	pack_i32(pack, &work->irq);
	pack_u32(pack, &work->function);
	pack_u32(pack, &work->victim);
	pack_i32(pack, &work->victim_pid);
	pack_i32(pack, &work->victim_tid);
}

static void pack_time(struct pack *pack, struct time_window *time)
{
	pack_u64(pack, &time->since_ns);
	pack_u64(pack, &time->until_ns);
	pack_check(pack, time->since_ns <= time->until_ns);
}

/* Reads or writes a part. It is at most 1 and must not be NaN. */
static void pack_part(struct pack *pack, double *part)
{
	uint64_t bits;

	memcpy(&bits, part, sizeof(bits));
	pack_u64(pack, &bits);
	memcpy(part, &bits, sizeof(bits));
	pack_check(pack, *part >= 0 && *part <= 1);
}

static void add(const struct slice_records *records,
		const struct slice_span *span)
{
	const struct kept_span when =
		kept_span_of(span->begin_ns, span->end_ns);

	kept_file_writer_add(records->writer, &when);
}

void slice_records_keep_slice(const struct slice_records *records,
			      const struct interrupt_row *work,
			      const struct slice_span *span,
			      const struct array *times)
{
	struct pack *pack = kept_file_writer_pack(records->writer);
	struct slice_span kept_span = *span;
	struct interrupt_row kept = *work;
	uint32_t count = (uint32_t)times->count;
	uint8_t kind = RECORD_SLICE;

	pack_small(pack, &kind, SLICE_RECORD_KINDS - 1);
	pack_work(pack, &kept);
	pack_u64(pack, &kept_span.serial);
	pack_u64(pack, &kept_span.begin_ns);
	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count; i++)
		pack_time(pack, array_at(times, i));
	add(records, span);
}

static void pack_share(struct pack *pack, int32_t *pid,
		       struct interrupt_charge *charge)
{
	pack_i32(pack, pid);
	pack_small(pack, &charge->certainty, CERTAINTIES - 1);
	pack_part(pack, &charge->count);
	pack_u64(pack, &charge->from_ns);
	pack_u64(pack, &charge->ns);
}

void slice_records_keep_share(const struct slice_records *records, int32_t pid,
			      const struct interrupt_charge *charge)
{
	struct pack *pack = kept_file_writer_pack(records->writer);
	struct interrupt_charge kept = *charge;
	uint8_t kind = RECORD_SHARE;

	pack_small(pack, &kind, SLICE_RECORD_KINDS - 1);
	pack_u64(pack, &kept.span.serial);
	pack_share(pack, &pid, &kept);
	add(records, &charge->span);
}

enum slice_record_kind slice_records_read_kind(struct pack *pack)
{
	uint8_t kind = 0;

	pack_small(pack, &kind, SLICE_RECORD_KINDS - 1);
	return pack->failed ? SLICE_RECORD_KINDS : (enum slice_record_kind)kind;
}

void slice_records_read_slice(struct pack *pack, struct time_window window,
			      uint32_t functions, struct read_slice *slice)
{
	struct slice_span *span = &slice->span;
	uint32_t count = 0;

	*slice = (struct read_slice){ .work.pid = -1 };
	pack_work(pack, &slice->work);
	pack_check(pack, slice->work.function < functions);
	pack_u64(pack, &span->serial);
	pack_u64(pack, &span->begin_ns);
	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct time_window time = { 0 };

		pack_time(pack, &time);
		span->own_ns += time.until_ns - time.since_ns;
		span->shown_ns +=
			time_window_part(window, time.since_ns, time.until_ns);
	}
	span->is_shown = span->shown_ns ||
			 time_window_has(window, span->begin_ns);
}

bool slice_records_know(struct slice_records *records,
			const struct read_slice *slice, uint32_t number)
{
	const struct known_slice known = { number, slice->span };
	uint64_t *place;

	if (array_append(&records->slices, &known) < 0)
		return false;
	place = number_map_add(&records->by_serial, slice->span.serial);
	if (place)
		*place = records->slices.count;
	return place;
}

void slice_records_read_share(const struct slice_records *records,
			      struct pack *pack, int32_t *pid,
			      struct interrupt_charge *charge)
{
	const uint64_t *place;
	uint64_t serial = 0;

	*charge = (struct interrupt_charge){ .work = 0 };
	pack_u64(pack, &serial);
	pack_share(pack, pid, charge);
	if (pack->failed)
		return;
	place = number_map_find(&records->by_serial, serial);
	if (place) {
		const struct known_slice *known =
			array_at(&records->slices, *place - 1);

		charge->work = known->work;
		charge->span = known->span;
	}
	/* The share must be within the slice's own time. */
	pack_check(pack, !place || (charge->from_ns <= charge->span.own_ns &&
				    charge->ns <= charge->span.own_ns -
							  charge->from_ns));
}
