/* SPDX-License-Identifier: MIT */
#include "execution/atoms/atom_times_internal.h"

#include "common/error.h"
#include "decoder/code/code_space.h"
#include "decoder/recording/recording.h"
#include "execution/walk/execution.h"
#include "execution/walk/walk.h"

void atom_times_set_bounds(struct execution *execution, uint64_t low_ns,
			   uint64_t high_ns)
{
	execution->bounds.at_branch = false;
	execution->bounds.has_index = false;
	execution->atoms.bound_low_ns = low_ns;
	execution->atoms.bound_high_ns = high_ns;
}

void atom_times_stamp_record(struct execution *execution, uint64_t work)
{
	const struct atom_state *atoms = &execution->atoms;
	uint64_t ran = block_work_instructions(work) - atoms->work_seen;

	if (atoms->clock == RECORDING_TIME_INSTRUCTIONS)
		atom_times_set_bounds(execution, atoms->instructions + ran,
				      atoms->instructions + ran);
}

/* Returns the time at which the block that has just ended started. The atom of
 * a block is written at its end, so the block may have started before the last
 * time stamp: by as much time as the cycles since the last count take, at most.
 */
static uint64_t begin_of_block(const struct execution *execution)
{
	const struct atom_state *atoms = &execution->atoms;
	uint64_t done_ns = instruction_pace_ns(&execution->times.pace,
					       atoms->cycles.carried);
	uint64_t most_ns = atoms->known_ns - atoms->after_low_ns;

	return atoms->known_ns - (done_ns < most_ns ? done_ns : most_ns);
}

/* Sets the current time to @known_ns. */
static void set_known(struct execution *execution, uint64_t known_ns)
{
	struct atom_cycles *cycles = &execution->atoms.cycles;

	execution->times.pace.counted = cycles->weighed;
	event_times_set_known(&execution->times, known_ns);
	cycles->work = 0;
	cycles->weighed = 0;
}

void atom_times_begin(struct execution *execution, bool is_block)
{
	struct atom_state *atoms = &execution->atoms;
	bool may_run = is_block && atoms->known_ns && atoms->is_running &&
		       atoms->clock == RECORDING_TIME_NANOSECONDS;

	if (atoms->known_ns)
		set_known(execution, may_run ? begin_of_block(execution) :
					       atoms->known_ns);
	atoms->known_ns = 0;
	atoms->work_seen = block_work_instructions(execution->times.work);
	if (atoms->clock == RECORDING_TIME_INSTRUCTIONS)
		atom_times_set_bounds(execution, atoms->instructions,
				      atoms->instructions);
	else
		atom_times_set_bounds(execution,
				      may_run ? atoms->after_low_ns :
						atoms->low_ns,
				      UINT64_MAX);
}

void atom_times_go_on(struct execution *execution)
{
	const struct atom_state *atoms = &execution->atoms;

	if (atoms->clock != RECORDING_TIME_INSTRUCTIONS &&
	    atoms->bound_low_ns != atoms->low_ns)
		atom_times_set_bounds(execution, atoms->low_ns, UINT64_MAX);
}

void atom_times_end(struct execution *execution)
{
	struct atom_state *atoms = &execution->atoms;
	uint64_t work = block_work_instructions(execution->times.work);

	atoms->instructions += work - atoms->work_seen;
	atoms->work_seen = work;
	atoms->after_low_ns = atoms->low_ns;
	atoms->after_high_ns = UINT64_MAX;
}

void atom_times_after(struct execution *execution)
{
	const struct atom_state *atoms = &execution->atoms;

	if (atoms->clock == RECORDING_TIME_INSTRUCTIONS)
		atom_times_set_bounds(execution, atoms->instructions,
				      atoms->instructions);
	else
		atom_times_set_bounds(execution, atoms->after_low_ns,
				      atoms->after_high_ns);
}

/* Records that the time is @now_ns: the upper bound of all earlier records that
 * have none yet, and the lower bound of later ones.
 */
static void atom_times_set_now(struct execution *execution, uint64_t now_ns)
{
	struct atom_state *atoms = &execution->atoms;
	struct event_times *times = &execution->times;

	for (uint32_t i = times->bounds_count;
	     i > 0 && times->bounds[i - 1].span == times->span_count; i--)
		if (times->bounds[i - 1].high_ns == UINT64_MAX)
			times->bounds[i - 1].high_ns = now_ns;
	if (atoms->after_high_ns == UINT64_MAX)
		atoms->after_high_ns = now_ns;
	if (atoms->gap.high_ns == UINT64_MAX)
		atoms->gap.high_ns = now_ns;
	atoms->low_ns = now_ns;
	atoms->known_ns = now_ns;
}

int atom_times_update_code(struct execution *execution, uint64_t time_ns)
{
	struct atom_state *atoms = &execution->atoms;

	if (time_ns < atoms->next_change_ns)
		return 0;
	if (walk_set_code(execution, time_ns) < 0)
		return -ERROR_MEMORY;
	atoms->next_change_ns = code_space_next_change_ns(execution->code);
	if (atoms->reported != BLOCK_NONE)
		atoms->reported = walk_find(
			execution, execution->blocks[atoms->reported].ip);
	return 0;
}

int atom_times_stamp(struct execution *execution, uint64_t ticks)
{
	uint64_t time_ns;

	if (execution->atoms.clock != RECORDING_TIME_NANOSECONDS || !ticks)
		return 0;
	time_ns = time_conversion_ns(execution->conversion, ticks);
	if (time_ns < execution->atoms.low_ns)
		return 0;
	atom_times_set_now(execution, time_ns);
	return atom_times_update_code(execution, time_ns);
}

struct share {
	uint64_t parts;
	uint64_t whole;
};

/* A work_change that multiplies the instructions of @work after @from by a
 * struct share: their share of the cycles.
 */
static uint64_t scaled(uint64_t work, uint64_t from, const void *ctx)
{
	const struct share *share = ctx;
	uint64_t done =
		block_work_instructions(work) - block_work_instructions(from);

	return work - done + done * share->parts / share->whole;
}

/* Returns the value that replaces @work. The part of @work after @from is
 * counted differently, as @ctx describes.
 */
typedef uint64_t work_change(uint64_t work, uint64_t from, const void *ctx);

/* Changes the work of records since the last count. */
static void change_work(struct execution *execution, work_change *change,
			const void *ctx)
{
	struct event_times *times = &execution->times;
	uint64_t from = execution->atoms.cycles.work;

	/* Records of part of that work may already have their times. */
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

/* Starts the next count of cycles at the current position. */
static void begin_count(struct execution *execution)
{
	struct atom_cycles *cycles = &execution->atoms.cycles;

	cycles->carried = 0;
	cycles->counted = execution->atoms.instructions;
	cycles->work = execution->times.work;
}

/* In a trace timed by cycles: advances the time to the end of the cycles
 * counted so far, which cover everything up to the end of the last block.
 */
static void advance(struct execution *execution)
{
	struct atom_state *atoms = &execution->atoms;

	atoms->cycles.total += atoms->cycles.carried;
	atom_times_set_now(execution, atoms->cycles.total);
	atoms->after_low_ns = atoms->cycles.total;
	atoms->after_high_ns = atoms->cycles.total;
}

/* Applies a count of @count cycles to what ran since the last count. If nothing
 * ran, the cycles passed before the next block, and are added to its count.
 */
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

/* A work_change that adds as many slow blocks as the instructions of @work
 * after @from may contain.
 */
static uint64_t with_slow_blocks(uint64_t work, uint64_t from, const void *ctx)
{
	enum { INSTRUCTIONS_PER_BLOCK = 8 };
	uint64_t done =
		block_work_instructions(work) - block_work_instructions(from);

	(void)ctx;
	return work + done / INSTRUCTIONS_PER_BLOCK * BLOCK_WORK_SLOW;
}

/* Handles a cycle counter that overflowed before anything was written: the CPU
 * slept at some time since the last count.
 */
static void weigh_unknown(struct execution *execution)
{
	change_work(execution, with_slow_blocks, NULL);
	execution->times.work += BLOCK_WORK_SLOW;
}

void atom_cycles_consume(struct execution *execution, uint64_t cycles)
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

void atom_cycles_consume_stamped(struct execution *execution, uint64_t cycles)
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
