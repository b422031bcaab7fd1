/* SPDX-License-Identifier: MIT */
#include "execution/atoms/atom_times.h"
#include "common/error.h"
#include "decoder/code/code_space.h"
#include "decoder/recording/time_conversion.h"
#include "execution/walk/execution.h"
#include "execution/walk/walk.h"

void atom_times_set_bounds(struct execution *execution, uint64_t low_ns,
			   uint64_t high_ns)
{
	execution->at_branch = false;
	execution->has_bounds = false;
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

/* A block is written when it ends: the last time stamp may have been taken
 * while it ran. The cycles since the last block limit how long it had run.
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
static void know(struct execution *execution, uint64_t known_ns)
{
	struct atom_cycles *cycles = &execution->atoms.cycles;

	execution->times.pace.counted = cycles->weighed;
	event_times_know(&execution->times, known_ns);
	cycles->work = 0;
	cycles->weighed = 0;
}

void atom_times_begin(struct execution *execution, bool is_block)
{
	struct atom_state *atoms = &execution->atoms;
	bool may_run = is_block && atoms->known_ns && atoms->is_running &&
		       atoms->clock == RECORDING_TIME_NANOSECONDS;

	if (atoms->known_ns)
		know(execution,
		     may_run ? begin_of_block(execution) : atoms->known_ns);
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

/* @now_ns becomes the upper bound of all records without one. */
void atom_times_set_now(struct execution *execution, uint64_t now_ns)
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
	if (atoms->told != BLOCK_NONE)
		atoms->told =
			walk_find(execution, execution->blocks[atoms->told].ip);
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
