/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_rows.h"

#include "common/array.h"
#include "common/number_map.h"

#include <stdlib.h>
#include <string.h>

struct interrupt_rows {
	struct array works;		 /* struct interrupt_row, of all pids */
	struct array rows;		 /* struct interrupt_row */
	struct number_map *functions;	 /* kind, function, irq: from 1 */
	struct number_map *work_numbers; /* those, victim: from 1 */
	struct number_map *row_numbers;	 /* work, pid: from 1 */
	struct charge_callback *callback; /* or NULL */
};

struct interrupt_rows *interrupt_rows_new(void)
{
	struct interrupt_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->works = ARRAY_OF(struct interrupt_row);
	rows->rows = ARRAY_OF(struct interrupt_row);
	rows->functions = number_map_new();
	rows->work_numbers = number_map_new();
	rows->row_numbers = number_map_new();
	if (!rows->functions || !rows->work_numbers || !rows->row_numbers) {
		interrupt_rows_free(rows);
		return NULL;
	}
	return rows;
}

void interrupt_rows_free(struct interrupt_rows *rows)
{
	if (!rows)
		return;
	array_free(&rows->works);
	array_free(&rows->rows);
	number_map_free(rows->functions);
	number_map_free(rows->work_numbers);
	number_map_free(rows->row_numbers);
	free(rows);
}

/* Returns the number of a pair, 0 when out of memory. */
static uint64_t number_of(struct number_map *map, uint32_t a, uint32_t b)
{
	uint64_t *number = number_map_add(map, (uint64_t)a << 32 | b);

	if (number && !*number)
		*number = number_map_count(map);
	return number ? *number : 0;
}

/* Appends to @array the item that a new @number stands for. */
static bool make_room(struct array *array, uint64_t number,
		      const struct interrupt_row *like)
{
	struct interrupt_row *row;

	if (!number || number <= array->count)
		return number;
	row = array_add(array);
	if (row)
		*row = *like;
	return row;
}

uint32_t interrupt_rows_work(struct interrupt_rows *rows,
			     const struct interrupt_work *work)
{
	const struct interrupt_row row = {
		.kind = work->kind,
		.is_thread_work = work->is_thread_work,
		.irq = work->irq,
		.function = work->function,
		.victim_pid = work->victim_pid,
		.victim_tid = work->victim_tid,
		.pid = -1,
	};
	uint64_t function =
		number_of(rows->functions,
			  work->function << 8 | (uint32_t)work->kind << 1 |
				  work->is_thread_work,
			  (uint32_t)work->irq);
	uint64_t number =
		number_of(rows->work_numbers, (uint32_t)function, work->victim);

	if (!function || !make_room(&rows->works, number, &row))
		return INTERRUPT_WORK_NONE;
	return (uint32_t)number - 1;
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
	add_time(array_at(&rows->works, number), 1, ns);
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
	struct interrupt_row *work = array_at(&rows->works, charge->work);
	uint64_t number =
		number_of(rows->row_numbers, charge->work, (uint32_t)pid);
	struct interrupt_row like = share_of(work, pid);
	struct interrupt_row *row;

	if (!make_room(&rows->rows, number, &like))
		return false;
	row = array_at(&rows->rows, number - 1);
	add_time(row, charge->count, charge->ns);
	row->certain_ns[charge->certainty] += charge->ns;
	work->certain_ns[charge->certainty] += charge->ns;
	if (rows->callback)
		rows->callback->take(rows->callback, work, pid, charge);
	return true;
}

static const struct interrupt_row *row_at(const struct array *rows,
					  size_t index)
{
	return index < rows->count ? array_at(rows, index) : NULL;
}

const struct interrupt_row *interrupt_rows_at(const struct interrupt_rows *rows,
					      size_t index)
{
	return row_at(&rows->rows, index);
}

const struct interrupt_row *
interrupt_rows_work_at(const struct interrupt_rows *rows, size_t index)
{
	return row_at(&rows->works, index);
}
