/* SPDX-License-Identifier: MIT */
#include "execution/atoms/atom_cycles.h"
#include "execution/atoms/atom_times.h"
#include "execution/walk/execution.h"

struct share {
	uint64_t parts;
	uint64_t whole;
};

/* Returns the work from @from to @work, with its instructions scaled to a share
 * of the cycles.
 */
static uint64_t scaled(uint64_t work, uint64_t from, const void *ctx)
{
	const struct share *share = ctx;
	uint64_t done =
		block_work_instructions(work) - block_work_instructions(from);

	return work - done + done * share->parts / share->whole;
}

/* Returns the new value for @work, with the part after @from counted
 * differently, see @ctx.
 */
typedef uint64_t work_change(uint64_t work, uint64_t from, const void *ctx);

/* Changes the work of records since the last count. */
static void change_work(struct execution *execution, work_change *change,
			const void *ctx)
{
	struct event_times *times = &execution->times;
	uint64_t from = execution->atoms.cycles.work;

	/* Part of it may already have its time. */
	if (from > times->work)
		from = 0;
	for (size_t i = times->count; i > times->finished; i--) {
		uint64_t *work = &times->records[i - 1].time_ns;

		if (*work <= from)
			break;
		*work = change(*work, from, ctx);
	}
	times->work = change(times->work, from, ctx);
}

/* Scales the work since the last count: its instructions by @parts / @whole. */
static void weigh(struct execution *execution, uint64_t parts, uint64_t whole)
{
	const struct share share = { parts, whole };

	change_work(execution, scaled, &share);
	execution->atoms.cycles.weighed += parts;
}

/* The next count starts here. */
static void begin_count(struct execution *execution)
{
	struct atom_cycles *cycles = &execution->atoms.cycles;

	cycles->carried = 0;
	cycles->counted = execution->atoms.instructions;
	cycles->work = execution->times.work;
}

/* The count covers everything up to the end of the last block. */
static void advance(struct execution *execution)
{
	struct atom_state *atoms = &execution->atoms;

	atoms->cycles.total += atoms->cycles.carried;
	atom_times_set_now(execution, atoms->cycles.total);
	atoms->after_low_ns = atoms->cycles.total;
	atoms->after_high_ns = atoms->cycles.total;
}

/* If nothing ran, the cycles are the time that the next block waited. */
static void add_cycles(struct execution *execution, uint64_t count)
{
	struct atom_state *atoms = &execution->atoms;
	struct atom_cycles *cycles = &atoms->cycles;
	uint64_t ran = atoms->instructions - cycles->counted;

	cycles->carried += count;
	if (!ran)
		return;
	if (atoms->clock == RECORDING_TIME_CYCLES)
		advance(execution);
	else if (atoms->clock == RECORDING_TIME_NANOSECONDS)
		weigh(execution, cycles->carried, ran);
	begin_count(execution);
}

void atom_cycles_lose(struct execution *execution)
{
	struct atom_state *atoms = &execution->atoms;
	struct atom_cycles *cycles = &atoms->cycles;

	/* The clock continues while nothing is traced. */
	if (atoms->clock == RECORDING_TIME_CYCLES) {
		cycles->total += cycles->carried;
		cycles->carried = 0;
		atom_times_set_now(execution, cycles->total);
		return;
	}
	cycles->is_known = false;
	cycles->stamped = 0;
	begin_count(execution);
}

/* Adds as many slow blocks as this much work may contain. */
static uint64_t with_slow_blocks(uint64_t work, uint64_t from, const void *ctx)
{
	enum { INSTRUCTIONS_PER_BLOCK = 8 };
	uint64_t done =
		block_work_instructions(work) - block_work_instructions(from);

	(void)ctx;
	return work + done / INSTRUCTIONS_PER_BLOCK * BLOCK_WORK_SLOW;
}

/* The counter overflowed before anything could be written: the CPU slept at
 * some time since the last count.
 */
static void weigh_unknown(struct execution *execution)
{
	change_work(execution, with_slow_blocks, NULL);
	execution->times.work += BLOCK_WORK_SLOW;
}

void atom_cycles_take(struct execution *execution, uint64_t cycles)
{
	struct atom_cycles *counter = &execution->atoms.cycles;

	if (!cycles && counter->is_known)
		weigh_unknown(execution);
	if (cycles && counter->is_known && cycles >= counter->stamped)
		add_cycles(execution, cycles - counter->stamped);
	else
		atom_cycles_lose(execution);
	counter->is_known = true;
	counter->stamped = 0;
}

void atom_cycles_take_stamped(struct execution *execution, uint64_t cycles)
{
	struct atom_state *atoms = &execution->atoms;
	struct atom_cycles *counter = &atoms->cycles;

	if (cycles && (!counter->is_known || cycles < counter->stamped)) {
		atom_cycles_lose(execution);
		counter->is_known = true;
		counter->stamped = cycles;
	} else if (cycles) {
		add_cycles(execution, cycles - counter->stamped);
		counter->stamped = cycles;
	} else if (atoms->instructions != counter->counted) {
		atom_cycles_lose(execution);
	}
}
