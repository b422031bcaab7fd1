/* SPDX-License-Identifier: MIT */
#include "execution/atoms/atom_point.h"
#include "decoder/code/code_space.h"
#include "execution/walk/execution.h"
#include "execution/walk/walk.h"

struct atom_state atom_point_first(void)
{
	return (struct atom_state){
		.told = BLOCK_NONE,
		.instructions = 1,
		.task = -1,
		.next_change_ns = UINT64_MAX,
	};
}

void atom_point_take(struct atom_point *point,
		     const struct execution *execution)
{
	const struct atom_state *atoms = &execution->atoms;

	*point = (struct atom_point){ .state = atom_point_first() };
	if (!atoms->is_on)
		return;
	point->state = *atoms;
	point->state.tasks = NULL;
	point->state.told = BLOCK_NONE;
	point->state.instructions -= atoms->cycles.counted;
	point->state.cycles.counted = 0;
	if (atoms->told != BLOCK_NONE) {
		point->told_ip = execution->blocks[atoms->told].ip;
		point->told_set =
			block_graph_info(execution->graph, atoms->told)->set;
	}
	point->has_pid = atoms->tasks;
	if (point->has_pid)
		point->pid = code_space_pid(execution->code);
}

/* Replaces the state by that of an execution of the same unit. */
static void put_state(const struct atom_state *state, struct atom_state *atoms)
{
	const struct atom_state own = *atoms;

	*atoms = *state;
	atoms->is_on = own.is_on;
	atoms->has_returns = own.has_returns;
	atoms->counts_cycles = own.counts_cycles;
	atoms->clock = own.clock;
	atoms->tasks = own.tasks;
}

int atom_point_put(const struct atom_point *point, struct execution *execution,
		   uint64_t next_change_ns)
{
	struct atom_state *atoms = &execution->atoms;
	struct code_space *code = execution->code;
	int status = 0;

	if (!atoms->is_on)
		return 0;
	put_state(&point->state, atoms);
	if (point->has_pid && code_space_pid(code) != point->pid)
		status = code_space_set_process(code, point->pid,
						next_change_ns - 1);
	atoms->next_change_ns = code_space_next_change_ns(code);
	atoms->told = BLOCK_NONE;
	if (point->told_ip)
		atoms->told = walk_find_set(execution, point->told_ip,
					    point->told_set);
	return status;
}

static bool is_same_place(const struct atom_state *a,
			  const struct atom_state *b)
{
	return a->is_running == b->is_running &&
	       a->must_start == b->must_start &&
	       a->awaits_target == b->awaits_target &&
	       a->pops_target == b->pops_target &&
	       a->is_expected == b->is_expected && a->set == b->set &&
	       a->listed_mode == b->listed_mode && a->task == b->task &&
	       a->named_tasks == b->named_tasks;
}

static bool is_same_gap(const struct atom_gap *a, const struct atom_gap *b)
{
	if (!a->is_open || !b->is_open)
		return a->is_open == b->is_open;
	return a->reason == b->reason && a->position == b->position &&
	       a->low_ns == b->low_ns && a->high_ns == b->high_ns;
}

static bool is_same_time(const struct atom_state *a, const struct atom_state *b)
{
	return a->low_ns == b->low_ns && a->known_ns == b->known_ns &&
	       a->bound_low_ns == b->bound_low_ns &&
	       a->bound_high_ns == b->bound_high_ns &&
	       a->after_low_ns == b->after_low_ns &&
	       a->after_high_ns == b->after_high_ns &&
	       a->instructions == b->instructions &&
	       a->work_seen == b->work_seen;
}

static bool are_same_cycles(const struct atom_cycles *a,
			    const struct atom_cycles *b)
{
	return a->is_known == b->is_known && a->stamped == b->stamped &&
	       a->carried == b->carried && a->counted == b->counted &&
	       a->work == b->work && a->weighed == b->weighed;
}

bool atom_point_is_same(const struct atom_point *a, const struct atom_point *b)
{
	return is_same_place(&a->state, &b->state) &&
	       is_same_gap(&a->state.gap, &b->state.gap) &&
	       is_same_time(&a->state, &b->state) &&
	       are_same_cycles(&a->state.cycles, &b->state.cycles) &&
	       a->told_ip == b->told_ip && a->told_set == b->told_set &&
	       a->has_pid == b->has_pid && a->pid == b->pid;
}
