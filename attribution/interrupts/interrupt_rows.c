/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_rows.h"

#include "common/keyed_array.h"

#include <stdlib.h>
#include <string.h>

/* The sum of one kind of work on one task's time. */
struct work_sum {
	uint32_t kind;
	uint32_t is_thread_work;
	uint32_t function;
	int32_t irq;
	uint32_t victim;
	struct interrupt_row row;
};

/* The part of it that was for one process. */
struct share_sum {
	uint32_t work;
	int32_t pid;
	struct interrupt_row row;
};

struct interrupt_rows {
	struct keyed_array works;	  /* struct work_sum */
	struct keyed_array shares;	  /* struct share_sum */
	struct charge_callback *callback; /* or NULL */
};

struct interrupt_rows *interrupt_rows_new(void)
{
	struct interrupt_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->works = KEYED_ARRAY_OF(struct work_sum, victim);
	rows->shares = KEYED_ARRAY_OF(struct share_sum, pid);
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

static struct interrupt_row *work_at(const struct interrupt_rows *rows,
				     size_t number)
{
	struct work_sum *works = rows->works.items.items;

	return &works[number].row;
}

uint32_t interrupt_rows_work(struct interrupt_rows *rows,
			     const struct interrupt_work *work)
{
	const struct work_sum like = {
		.kind = work->kind,
		.is_thread_work = work->is_thread_work,
		.function = work->function,
		.irq = work->irq,
		.victim = work->victim,
		.row = {
			.kind = work->kind,
			.is_thread_work = work->is_thread_work,
			.irq = work->irq,
			.function = work->function,
			.victim_pid = work->victim_pid,
			.victim_tid = work->victim_tid,
			.pid = -1,
		},
	};
	const struct work_sum *works;
	const struct work_sum *sum = keyed_array_add(&rows->works, &like);

	works = rows->works.items.items;
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
	add_time(work_at(rows, number), 1, ns);
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
	struct interrupt_row *work = work_at(rows, charge->work);
	struct share_sum *share = keyed_array_add(
		&rows->shares, &(struct share_sum){
				       .work = charge->work,
				       .pid = pid,
				       .row = share_of(work, pid),
			       });

	if (!share)
		return false;
	add_time(&share->row, charge->count, charge->ns);
	share->row.certain_ns[charge->certainty] += charge->ns;
	work->certain_ns[charge->certainty] += charge->ns;
	if (rows->callback)
		rows->callback->take(rows->callback, work, pid, charge);
	return true;
}

const struct interrupt_row *interrupt_rows_at(const struct interrupt_rows *rows,
					      size_t index)
{
	const struct share_sum *shares = rows->shares.items.items;

	return index < rows->shares.items.count ? &shares[index].row : NULL;
}

const struct interrupt_row *
interrupt_rows_work_at(const struct interrupt_rows *rows, size_t index)
{
	return index < rows->works.items.count ? work_at(rows, index) : NULL;
}
