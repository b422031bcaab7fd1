/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_rows.h"

#include "attribution/events/known_events.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/cache_file.h"
#include "common/maps.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording/tracepoint.h"

#include <stdlib.h>
#include <string.h>

enum slice_record_kind {
	RECORD_SLICE, /* a slice of interrupt work has ended */
	RECORD_SHARE, /* part of a slice that ended before, with its owner */
	SLICE_RECORD_KINDS,
};

/* Writes records of interrupt work to the cache, or reads them. Owners depend
 * on the whole recording, so the cached records do not depend on the window.
 */
struct slice_records {
	struct cache_file_writer *writer; /* NULL: nothing is cached */
	/* Slices that were read and are shown (struct known_slice), and their
	 * index plus 1 by serial.
	 */
	struct array slices;
	struct number_map by_serial;
};

struct known_slice {
	uint32_t work;
	struct slice_span span;
};

#define SLICE_RECORDS_NONE \
	((struct slice_records){ .slices = ARRAY_OF(struct known_slice) })

struct read_slice {
	struct interrupt_row work;
	struct slice_span span;
};

static void slice_records_free(struct slice_records *records)
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

/* Reads or writes a fraction. Fails if it is NaN or not in [0, 1]. */
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
	const struct cached_span when =
		cached_span_of(span->begin_ns, span->end_ns);

	cache_file_writer_add(records->writer, &when);
}

static void pack_span(struct pack *pack, struct slice_span *span)
{
	pack_u64(pack, &span->serial);
	pack_u64(pack, &span->outer);
	pack_u64(pack, &span->begin_ns);
	pack_u64(pack, &span->end_ns);
	pack_i32(pack, &span->cpu);
}

/* Writes one slice to the cache; @times (struct time_window) is the slice's own
 * time.
 */
static void slice_records_keep_slice(const struct slice_records *records,
				     const struct interrupt_row *work,
				     const struct slice_span *span,
				     const struct array *times)
{
	struct pack *pack = cache_file_writer_pack(records->writer);
	struct slice_span cached_span = *span;
	struct interrupt_row kept = *work;
	uint32_t count = (uint32_t)times->count;
	uint8_t kind = RECORD_SLICE;

	pack_small(pack, &kind, SLICE_RECORD_KINDS - 1);
	pack_work(pack, &kept);
	pack_span(pack, &cached_span);
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

static void slice_records_keep_share(const struct slice_records *records,
				     int32_t pid,
				     const struct interrupt_charge *charge)
{
	struct pack *pack = cache_file_writer_pack(records->writer);
	struct interrupt_charge kept = *charge;
	uint8_t kind = RECORD_SHARE;

	pack_small(pack, &kind, SLICE_RECORD_KINDS - 1);
	pack_u64(pack, &kept.span.serial);
	pack_share(pack, &pid, &kept);
	add(records, &charge->span);
}

/* Returns the kind of the next record; SLICE_RECORD_KINDS if the pack has
 * failed.
 */
static enum slice_record_kind slice_records_read_kind(struct pack *pack)
{
	uint8_t kind = 0;

	pack_small(pack, &kind, SLICE_RECORD_KINDS - 1);
	return pack->failed ? SLICE_RECORD_KINDS : (enum slice_record_kind)kind;
}

/* Reads the rest of a slice record. shown_ns is set to its time in @window. */
static void slice_records_read_slice(struct pack *pack,
				     struct time_window window,
				     uint32_t functions,
				     struct read_slice *slice)
{
	struct slice_span *span = &slice->span;
	uint32_t count = 0;

	*slice = (struct read_slice){ .work.pid = -1 };
	pack_work(pack, &slice->work);
	pack_check(pack, slice->work.function < functions);
	pack_span(pack, span);
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

/* Registers @slice as work @number, so that its shares can be read. Returns
 * false when out of memory.
 */
static bool slice_records_know(struct slice_records *records,
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

/* Reads the rest of a share record. If its slice is not registered, the charge
 * is not shown.
 */
static void slice_records_read_share(const struct slice_records *records,
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

struct interrupt_rows {
	/* struct interrupt_row, for all processes: pid -1 */
	struct keyed_array works;
	/* struct interrupt_row of one process each */
	struct keyed_array shares;
	struct charge_callback *callback; /* NULL: none */
	struct slice_records records;
};

struct interrupt_rows *interrupt_rows_new(void)
{
	struct interrupt_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->works = KEYED_ARRAY_OF(struct interrupt_row, pid);
	rows->shares = KEYED_ARRAY_OF(struct interrupt_row, pid);
	rows->records = SLICE_RECORDS_NONE;
	return rows;
}

void interrupt_rows_free(struct interrupt_rows *rows)
{
	if (!rows)
		return;
	keyed_array_free(&rows->works);
	keyed_array_free(&rows->shares);
	slice_records_free(&rows->records);
	free(rows);
}

uint32_t interrupt_rows_work(struct interrupt_rows *rows,
			     const struct interrupt_row *work)
{
	const struct interrupt_row *sum = keyed_array_add(&rows->works, work);
	const struct interrupt_row *works = rows->works.items.items;

	return sum ? (uint32_t)(sum - works) : INTERRUPT_WORK_NONE;
}

static void add_time(struct interrupt_row *row, double count, uint64_t ns)
{
	row->count += count;
	row->total_ns += ns;
	if (ns > row->max_ns)
		row->max_ns = ns;
}

void interrupt_rows_count(struct interrupt_rows *rows, uint32_t number,
			  const struct slice_span *span,
			  const struct array *times)
{
	struct interrupt_row *work = array_at(&rows->works.items, number);

	if (rows->records.writer)
		slice_records_keep_slice(&rows->records, work, span, times);
	if (span->is_shown)
		add_time(work, 1, span->shown_ns);
}

/* Rounds the end and the start of the charge's part down, and subtracts, so
 * that the parts of all charges add up to @of_ns.
 */
uint64_t interrupt_charge_part(const struct interrupt_charge *charge,
			       uint64_t of_ns)
{
	uint64_t own_ns = charge->span.own_ns;
	uint64_t until_ns = charge->from_ns + charge->ns;

	if (of_ns == own_ns || !own_ns)
		return charge->ns;
	return (uint64_t)((unsigned __int128)until_ns * of_ns / own_ns) -
	       (uint64_t)((unsigned __int128)charge->from_ns * of_ns / own_ns);
}

/* Returns the row of process @pid for @work, with all sums 0. */
static struct interrupt_row share_of(const struct interrupt_row *work,
				     int32_t pid)
{
	struct interrupt_row row = *work;

	row.pid = pid;
	row.count = 0;
	row.total_ns = 0;
	row.max_ns = 0;
	memset(row.certain_ns, 0, sizeof(row.certain_ns));
	return row;
}

void interrupt_rows_listen(struct interrupt_rows *rows,
			   struct charge_callback *callback)
{
	rows->callback = callback;
}

bool interrupt_rows_add(struct interrupt_rows *rows, int32_t pid,
			const struct interrupt_charge *charge)
{
	struct interrupt_row *work = array_at(&rows->works.items, charge->work);
	const struct interrupt_row like = share_of(work, pid);
	struct interrupt_row *share;
	uint64_t ns;

	if (rows->records.writer)
		slice_records_keep_share(&rows->records, pid, charge);
	if (!charge->span.is_shown)
		return true;
	share = keyed_array_add(&rows->shares, &like);
	if (!share)
		return false;
	ns = interrupt_charge_part(charge, charge->span.shown_ns);
	add_time(share, charge->count, ns);
	share->certain_ns[charge->certainty] += ns;
	work->certain_ns[charge->certainty] += ns;
	if (rows->callback)
		rows->callback->consume(rows->callback, work, pid, charge);
	return true;
}

void interrupt_rows_keep(struct interrupt_rows *rows,
			 struct cache_file_writer *writer)
{
	rows->records.writer = writer;
}

/* Counts a slice that was read, if it is shown, as in a pass. */
static void consume_slice(struct interrupt_rows *rows,
			  const struct read_slice *slice, struct pack *pack)
{
	uint32_t number;

	if (!slice->span.is_shown)
		return;
	number = interrupt_rows_work(rows, &slice->work);
	pack_check(pack,
		   number != INTERRUPT_WORK_NONE &&
			   slice_records_know(&rows->records, slice, number));
	if (!pack->failed)
		interrupt_rows_count(rows, number, &slice->span, NULL);
}

void interrupt_rows_read(struct interrupt_rows *rows, struct time_window window,
			 uint32_t functions, struct pack *pack)
{
	struct read_slice slice;
	struct interrupt_charge charge;
	int32_t pid;

	switch (slice_records_read_kind(pack)) {
	case RECORD_SLICE:
		slice_records_read_slice(pack, window, functions, &slice);
		if (!pack->failed)
			consume_slice(rows, &slice, pack);
		break;
	case RECORD_SHARE:
		slice_records_read_share(&rows->records, pack, &pid, &charge);
		if (!pack->failed && charge.span.is_shown)
			pack_check(pack,
				   interrupt_rows_add(rows, pid, &charge));
		break;
	case SLICE_RECORD_KINDS:
		break;
	}
}

static const struct interrupt_row *row_at(const struct keyed_array *rows,
					  size_t index)
{
	return index < rows->items.count ? array_at(&rows->items, index) : NULL;
}

const struct interrupt_row *interrupt_rows_at(const struct interrupt_rows *rows,
					      size_t index)
{
	return row_at(&rows->shares, index);
}

const struct interrupt_row *
interrupt_rows_work_at(const struct interrupt_rows *rows, size_t index)
{
	return row_at(&rows->works, index);
}

void irq_names_free(struct irq_names *names)
{
	keyed_array_free(&names->all);
}

int irq_names_consume(struct irq_names *names, const struct event_record *event)
{
	const struct sideband_record *record = event->sideband;
	struct irq_name name = { .irq = (int32_t)event->values[IRQ_NUMBER] };

	if (event->event != EVENT_IRQ_ENTRY || !record || !record->event ||
	    keyed_array_find(&names->all, &name.irq))
		return 0;
	tracepoint_text(tracepoint_field(record->event->tracepoint, "name"),
			record->sample.raw, record->sample.raw_size, name.text,
			sizeof(name.text));
	return keyed_array_add(&names->all, &name) ? 0 : -ERROR_MEMORY;
}

static void pack_text(struct pack *pack, char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		uint8_t byte = (uint8_t)text[i];

		pack_small(pack, &byte, UINT8_MAX);
		text[i] = (char)byte;
		if (!byte)
			return;
	}
	/* The name is not NUL-terminated. */
	pack_check(pack, false);
}

void irq_names_pack(struct irq_names *names, struct pack *pack)
{
	uint32_t count = (uint32_t)names->all.items.count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct irq_name name = { 0 };

		if (!pack->is_reading)
			name = *(struct irq_name *)array_at(&names->all.items,
							    i);
		pack_i32(pack, &name.irq);
		pack_text(pack, name.text, sizeof(name.text));
		if (pack->is_reading && !pack->failed)
			pack_check(pack, keyed_array_add(&names->all, &name));
	}
}

const char *irq_names_find(const struct irq_names *names, int32_t irq)
{
	const struct irq_name *name = keyed_array_find(&names->all, &irq);

	return name ? name->text : "";
}
