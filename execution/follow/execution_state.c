/* SPDX-License-Identifier: MIT */
#include "execution/follow/execution_state.h"
#include "decoder/code/code_space.h"
#include "execution/follow/follow_code.h"
#include "execution/walk/walk.h"

#include <string.h>

static uint64_t ip_of(const struct execution *execution, uint32_t block)
{
	return block == BLOCK_NONE ? 0 : execution->blocks[block].ip;
}

static uint8_t set_of(const struct execution *execution, uint32_t block)
{
	if (block == BLOCK_NONE)
		return 0;
	return block_graph_info(execution->graph, block)->set;
}

static uint32_t find(struct execution *execution, uint64_t ip, uint8_t set)
{
	return ip ? walk_find_set(execution, ip, set) : BLOCK_NONE;
}

void execution_state_take(struct execution_state *state,
			  struct execution *execution, uint64_t position)
{
	*state = (struct execution_state){
		.position = position,
		.block_ip = ip_of(execution, execution->block),
		.from_ip = ip_of(execution, execution->from),
		.block_set = set_of(execution, execution->block),
		.from_set = set_of(execution, execution->from),
		.last_ip = walk_last_ip(execution),
		.return_address = execution->return_address,
		.nmi_return = execution->nmi_return,
		.listed_set = execution->listed_set,
		.targets_ahead = execution->targets_ahead,
		.page_table = execution->page_table,
		.guest_page_table = execution->guest_page_table,
		.machine = execution->machine,
		.guest = execution->guest,
		.is_table_lost = execution->evidence.is_table_lost,
		.sync_low_ns = execution->sync_low_ns,
		.sync_high_ns = execution->sync_high_ns,
		.next_change_ns = code_space_next_change_ns(execution->code),
		.before = execution->before,
		.passage = execution->passage,
		.exit = execution->exit,
		.set = execution->set,
		.next_set = execution->next_set,
		.at_branch = execution->at_branch,
		.is_lost = execution->is_lost,
		.is_off = execution->is_off,
		.outside = execution->outside,
		.is_rebased = execution->is_rebased,
		.fold = execution->fold,
		.folds = execution->folds,
		.last_ns = event_times_floor_ns(&execution->times),
		.waiting = (uint32_t)event_times_waiting(&execution->times),
		.known_ns = execution->times.known_ns,
		.work = execution->times.work,
		.pace = execution->times.pace,
	};
	atom_point_take(&state->atoms, execution);
}

void execution_state_unknown(struct execution_state *state, uint64_t position,
			     uint64_t time_ns)
{
	*state = (struct execution_state){
		.position = position,
		.nmi_return = NO_NMI,
		.listed_set = INSTRUCTION_SETS,
		.is_table_lost = true,
		.sync_low_ns = time_ns,
		.sync_high_ns = time_ns,
		.next_change_ns = time_ns + 1,
		.before.high = UINT64_MAX,
		.passage = PASSAGE_OTHER,
		.exit = EXIT_UNSEEN,
		.set = INSTRUCTION_X86_64,
		.next_set = INSTRUCTION_X86_64,
		.is_lost = true,
		.pace = INSTRUCTION_PACE_FIRST,
		.atoms.state = atom_point_first(),
	};
}

int execution_state_put(const struct execution_state *state,
			struct execution *execution)
{
	struct event_times *times = &execution->times;
	int status;

	execution->block = BLOCK_NONE;
	execution->atoms.told = BLOCK_NONE;
	execution->before = state->before;
	execution->at_branch = state->at_branch;
	execution->has_bounds = false;
	execution->sync_low_ns = state->sync_low_ns;
	execution->sync_high_ns = state->sync_high_ns;
	execution->evidence.is_table_lost = state->is_table_lost;
	status = follow_restore_code(execution, state->next_change_ns);
	if (!status)
		status = atom_point_put(&state->atoms, execution,
					state->next_change_ns);
	if (status < 0)
		return status;
	return_stack_clear(&execution->returns);
	execution->unseen_calls = 0;
	execution->set = state->set;
	execution->next_set = state->next_set;
	execution->from = find(execution, state->from_ip, state->from_set);
	execution->block = find(execution, state->block_ip, state->block_set);
	execution->last_ip = state->last_ip;
	execution->return_address = state->return_address;
	execution->nmi_return = state->nmi_return;
	execution->listed_set = state->listed_set;
	execution->targets_ahead = state->targets_ahead;
	execution->page_table = state->page_table;
	execution->guest_page_table = state->guest_page_table;
	execution->machine = state->machine;
	execution->guest = state->guest;
	execution->passage = state->passage;
	execution->exit = state->exit;
	execution->is_lost = state->is_lost;
	execution->is_off = state->is_off;
	execution->outside = state->outside;
	execution->is_rebased = state->is_rebased;
	execution->fold = state->fold;
	execution->folds = state->folds;
	event_times_init(times);
	times->last_ns = state->last_ns;
	times->known_ns = state->known_ns;
	times->work = state->work;
	times->pace = state->pace;
	times->elsewhere = state->waiting;
	return 0;
}

static bool is_same_fold(const struct thunk_fold *a, const struct thunk_fold *b)
{
	if (!a->active || !b->active)
		return a->active == b->active;
	return a->exit == b->exit && a->from == b->from &&
	       a->return_address == b->return_address;
}

static bool are_same_folds(const struct thunk_fold_stack *a,
			   const struct thunk_fold_stack *b)
{
	if (a->count != b->count)
		return false;
	for (unsigned int i = 0; i < a->count; i++)
		if (a->saved[i].address != b->saved[i].address ||
		    !is_same_fold(&a->saved[i].fold, &b->saved[i].fold))
			return false;
	return true;
}

static bool is_same_moment(const struct moment *a, const struct moment *b)
{
	return a->low == b->low && a->high == b->high &&
	       a->known_ns == b->known_ns;
}

static bool is_same_place(const struct execution_state *a,
			  const struct execution_state *b)
{
	return a->position == b->position && a->block_ip == b->block_ip &&
	       a->from_ip == b->from_ip && a->last_ip == b->last_ip &&
	       a->block_set == b->block_set && a->from_set == b->from_set &&
	       a->nmi_return == b->nmi_return &&
	       a->next_change_ns == b->next_change_ns &&
	       a->passage == b->passage && a->exit == b->exit &&
	       a->set == b->set && a->next_set == b->next_set &&
	       a->is_lost == b->is_lost && a->is_off == b->is_off &&
	       a->outside == b->outside && a->is_rebased == b->is_rebased &&
	       a->is_table_lost == b->is_table_lost &&
	       a->sync_low_ns == b->sync_low_ns &&
	       a->sync_high_ns == b->sync_high_ns &&
	       is_same_fold(&a->fold, &b->fold) &&
	       are_same_folds(&a->folds, &b->folds);
}

/* The return address only matters for a call or interruption that has not
 * arrived yet, and that sets it anyway.
 */
bool execution_state_is_same(const struct execution_state *a,
			     const struct execution_state *b)
{
	return is_same_place(a, b) && is_same_moment(&a->before, &b->before) &&
	       a->at_branch == b->at_branch && a->last_ns == b->last_ns &&
	       a->known_ns == b->known_ns && a->work == b->work &&
	       a->waiting == b->waiting &&
	       atom_point_is_same(&a->atoms, &b->atoms) &&
	       a->pace.rate == b->pace.rate && a->listed_set == b->listed_set &&
	       a->targets_ahead == b->targets_ahead &&
	       a->page_table == b->page_table && a->guest == b->guest &&
	       a->guest_page_table == b->guest_page_table &&
	       a->machine == b->machine;
}
