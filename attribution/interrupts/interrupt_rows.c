/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_rows.h"

#include "attribution/interrupts/slice_records.h"
#include "common/array.h"
#include "common/bytes.h"

#include <stdlib.h>
#include <string.h>

struct interrupt_rows {
	/* struct interrupt_row, for all processes: pid -1 */
	struct keyed_array works;
	/* struct interrupt_row of one process each */
	struct keyed_array shares;
	struct charge_callback *callback; /* or NULL */
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

/* The result is the rounded part up to the charge's end minus the rounded part
 * up to its start, so that rounding errors do not add up.
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

void interrupt_rows_tell(struct interrupt_rows *rows,
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
		rows->callback->take(rows->callback, work, pid, charge);
	return true;
}

void interrupt_rows_keep(struct interrupt_rows *rows,
			 struct kept_file_writer *writer)
{
	rows->records.writer = writer;
}

/* Counts the slice like a pass does, if it is shown. */
static void take_slice(struct interrupt_rows *rows,
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
			take_slice(rows, &slice, pack);
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
