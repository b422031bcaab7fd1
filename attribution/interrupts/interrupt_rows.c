/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_rows.h"

#include "common/keyed_array.h"

#include <stdlib.h>
#include <string.h>

struct interrupt_rows {
	struct keyed_array works;  /* struct interrupt_row, of all: for -1 */
	struct keyed_array shares; /* the parts that were for one process */
	struct charge_callback *callback; /* or NULL */
};

struct interrupt_rows *interrupt_rows_new(void)
{
	struct interrupt_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->works = KEYED_ARRAY_OF(struct interrupt_row, pid);
	rows->shares = KEYED_ARRAY_OF(struct interrupt_row, pid);
	return rows;
}

void interrupt_rows_free(struct interrupt_rows *rows)
{
	if (!rows)
		return;
	keyed_array_free(&rows->works);
	keyed_array_free(&rows->shares);
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
			  uint64_t ns)
{
	add_time(array_at(&rows->works.items, number), 1, ns);
}

/* The part of @work that is for a process, as yet without any sum. */
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
	struct interrupt_row *share = keyed_array_add(&rows->shares, &like);

	if (!share)
		return false;
	add_time(share, charge->count, charge->ns);
	share->certain_ns[charge->certainty] += charge->ns;
	work->certain_ns[charge->certainty] += charge->ns;
	if (rows->callback)
		rows->callback->take(rows->callback, work, pid, charge);
	return true;
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
