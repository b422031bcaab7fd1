/* SPDX-License-Identifier: MIT */
#include "execution/stream/stream_checkpoint.h"

#include "common/bytes.h"
#include "common/error.h"
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow.h"
#include "decoder/flow/flow_source.h"
#include "decoder/flow/switch_feed.h"
#include "execution/instruction/instruction.h"

enum {
	MOST_FOLDS = sizeof(((struct thunk_fold_stack *)0)->saved) /
		     sizeof(((struct thunk_fold_stack *)0)->saved[0])
};

static void pack_exit(struct pack *pack, uint8_t *exit)
{
	pack_small(pack, exit, EXIT_UNTRACED);
	pack_check(pack, *exit <= FLOW_EXIT_FAR_JUMP || *exit >= EXIT_ASYNC);
}

static void pack_fold(struct pack *pack, struct thunk_fold *fold,
		      uint32_t functions)
{
	pack_bool(pack, &fold->active);
	pack_exit(pack, &fold->exit);
	pack_u32(pack, &fold->from);
	pack_check(pack, fold->from < functions);
	pack_u64(pack, &fold->return_address);
}

static void pack_folds(struct pack *pack, struct thunk_fold_stack *folds,
		       uint32_t functions)
{
	uint8_t count = (uint8_t)folds->count;

	pack_small(pack, &count, MOST_FOLDS);
	folds->count = count;
	for (unsigned int i = 0; i < folds->count; i++) {
		pack_fold(pack, &folds->saved[i].fold, functions);
		pack_u64(pack, &folds->saved[i].address);
	}
}

static void pack_place(struct pack *pack, struct execution_state *state,
		       uint64_t size)
{
	pack_u64(pack, &state->position);
	pack_check(pack, state->position < size);
	pack_u64(pack, &state->block_ip);
	pack_u64(pack, &state->from_ip);
	pack_u64(pack, &state->last_ip);
	pack_u64(pack, &state->return_address);
	pack_u64(pack, &state->nmi_return);
	pack_u32(pack, &state->targets_ahead);
	pack_u64(pack, &state->page_table);
	pack_u64(pack, &state->guest_page_table);
	pack_u64(pack, &state->machine);
	pack_u64(pack, &state->sync_low_ns);
	pack_u64(pack, &state->sync_high_ns);
	pack_u64(pack, &state->next_change_ns);
	pack_small(pack, &state->edge_kind, EDGE_KIND_OTHER);
	pack_exit(pack, &state->exit);
	pack_small(pack, &state->block_set, INSTRUCTION_SETS - 1);
	pack_small(pack, &state->from_set, INSTRUCTION_SETS - 1);
	pack_small(pack, &state->set, INSTRUCTION_SETS - 1);
	pack_small(pack, &state->next_set, INSTRUCTION_SETS - 1);
	pack_small(pack, &state->listed_set, INSTRUCTION_SETS);
	pack_bool(pack, &state->at_branch);
	pack_bool(pack, &state->is_lost);
	pack_bool(pack, &state->is_off);
	pack_bool(pack, &state->outside);
	pack_bool(pack, &state->has_wrong_ip_base);
	pack_small(pack, &state->guest, GUEST_UNKNOWN);
	pack_bool(pack, &state->is_table_lost);
}

static void pack_times(struct pack *pack, struct execution_state *state)
{
	pack_u64(pack, &state->before.low);
	pack_u64(pack, &state->before.high);
	pack_u64(pack, &state->before.known_ns);
	pack_u64(pack, &state->last_ns);
	pack_u64(pack, &state->known_ns);
	pack_u64(pack, &state->work);
	pack_u32(pack, &state->waiting);
	pack_u64(pack, &state->pace.rate);
	pack_u64(pack, &state->pace.sum_ns);
	pack_u64(pack, &state->pace.sum_instructions);
	pack_bool(pack, &state->pace.is_across);
}

static void pack_gap(struct pack *pack, struct atom_gap *gap)
{
	pack_bool(pack, &gap->is_open);
	pack_small(pack, &gap->reason, FLOW_GAP_GENERATED);
	pack_u64(pack, &gap->position);
	pack_u64(pack, &gap->low_ns);
	pack_u64(pack, &gap->high_ns);
}

static void pack_cycles(struct pack *pack, struct atom_cycles *cycles)
{
	pack_bool(pack, &cycles->is_known);
	pack_u64(pack, &cycles->stamped);
	pack_u64(pack, &cycles->carried);
	pack_u64(pack, &cycles->work);
	pack_u64(pack, &cycles->weighed);
}

static void pack_atom_place(struct pack *pack, struct atom_state *atoms)
{
	uint64_t task = (uint64_t)atoms->task;

	pack_bool(pack, &atoms->is_running);
	pack_bool(pack, &atoms->must_start);
	pack_bool(pack, &atoms->awaits_target);
	pack_bool(pack, &atoms->pops_target);
	pack_bool(pack, &atoms->is_expected);
	pack_small(pack, &atoms->set, INSTRUCTION_SETS - 1);
	pack_u64(pack, &atoms->listed_mode);
	pack_u64(pack, &task);
	atoms->task = (int64_t)task;
	pack_bool(pack, &atoms->named_tasks);
}

static void pack_atom_times(struct pack *pack, struct atom_state *atoms)
{
	pack_u64(pack, &atoms->low_ns);
	pack_u64(pack, &atoms->known_ns);
	pack_u64(pack, &atoms->bound_low_ns);
	pack_u64(pack, &atoms->bound_high_ns);
	pack_u64(pack, &atoms->after_low_ns);
	pack_u64(pack, &atoms->after_high_ns);
	pack_u64(pack, &atoms->instructions);
	pack_u64(pack, &atoms->work_seen);
}

/* Writes or reads the state of atoms, which other trace units do not have. */
static void pack_atoms(struct pack *pack, struct atom_point *point)
{
	struct atom_state *atoms = &point->state;

	pack_bool(pack, &atoms->is_on);
	if (!atoms->is_on)
		return;
	pack_atom_place(pack, atoms);
	pack_gap(pack, &atoms->gap);
	pack_atom_times(pack, atoms);
	pack_cycles(pack, &atoms->cycles);
	pack_u64(pack, &point->reported_ip);
	pack_small(pack, &point->reported_set, INSTRUCTION_SETS - 1);
	pack_bool(pack, &point->has_pid);
	pack_i32(pack, &point->pid);
}

static void pack_tasks(struct pack *pack, struct task_switch *tasks)
{
	pack_i32(pack, &tasks->current.pid);
	pack_i32(pack, &tasks->current.tid);
	pack_i32(pack, &tasks->next.pid);
	pack_i32(pack, &tasks->next.tid);
	pack_bool(pack, &tasks->has_next);
	pack_bool(pack, &tasks->preempted);
	pack_u64(pack, &tasks->overdue_ns);
	pack_u64(pack, &tasks->untraced_ns);
	pack_i32(pack, &tasks->user.pid);
	pack_i32(pack, &tasks->user.tid);
	pack_bool(pack, &tasks->is_user);
}

void stream_checkpoint_pack(struct stream_checkpoint *checkpoint,
			    struct pack *pack, uint32_t functions,
			    uint64_t size)
{
	pack_bool(pack, &checkpoint->has_state);
	if (checkpoint->has_state) {
		pack_place(pack, &checkpoint->state, size);
		pack_times(pack, &checkpoint->state);
		pack_atoms(pack, &checkpoint->state.atoms);
		pack_fold(pack, &checkpoint->state.fold, functions);
		pack_folds(pack, &checkpoint->state.folds, functions);
		pack_tasks(pack, &checkpoint->tasks);
		pack_bool(pack, &checkpoint->is_running);
		pack_u64(pack, &checkpoint->last_ns);
		pack_u32(pack, &checkpoint->last_early_ns);
		pack_u32(pack, &checkpoint->last_late_ns);
		pack_u64(pack, &checkpoint->switches);
	}
	pack_u64(pack, &checkpoint->events);
}

enum {
	/* A switch has certainly happened this long after the time of its
	 * record.
	 */
	CERTAIN_NS = 20000,
	/* Limit on the number of sync points tried, and their distance. */
	TRIES = 32,
	APART_BYTES = 1 << 15,
};

/* Consumes the switch records up to @time_ns. Returns 1 if the last of them has
 * happened by then, 0 if it may still be under way, so that the running task is
 * uncertain, or -ERROR_MEMORY.
 */
static int consume_switches(struct switch_feed *feed, uint64_t time_ns,
			    struct stream_checkpoint *place, uint64_t *last_ns)
{
	const struct flow_item *item;

	while ((item = switch_feed_peek(feed)) && item->time_ns <= time_ns) {
		*last_ns = item->time_ns;
		task_switch_record(&place->tasks, item, false);
		place->switches++;
		if (switch_feed_advance(feed) < 0)
			return -ERROR_MEMORY;
	}
	return time_ns - *last_ns >= CERTAIN_NS;
}

/* Finds the first sync point where the running task is certain, from about
 * @distance bytes before @time_ns on, and sets the state of @place to it. Tries
 * at most TRIES sync points. Returns 1, 0 if there is no such sync point, or
 * -ERROR_MEMORY.
 */
static int find_certain(struct branch_source *source, struct switch_feed *feed,
			uint64_t time_ns, uint64_t distance,
			struct stream_checkpoint *place, uint64_t *at_ns)
{
	uint64_t last_ns = 0;
	uint64_t position = NO_SYNC;
	int status = 0;

	for (int i = 0; i < TRIES && !status; i++) {
		position = branch_source_sync_before(source, time_ns, distance,
						     at_ns);
		if (position == NO_SYNC)
			return 0;
		status = consume_switches(feed, *at_ns, place, &last_ns);
		distance -= distance < APART_BYTES ? distance : APART_BYTES;
	}
	if (status <= 0)
		return status;
	execution_state_unknown(&place->state, position, *at_ns);
	return 1;
}

int stream_start_find(const struct flow_input *input, uint64_t time_ns,
		      uint64_t distance, struct stream_checkpoint *place,
		      struct task_id *task, uint64_t *at_ns)
{
	struct branch_source *source;
	struct switch_feed *feed;
	int status = branch_source_open(input, &source);

	if (status < 0)
		return status;
	*place = (struct stream_checkpoint){
		.has_state = true,
		.tasks.current = *task,
	};
	feed = switch_feed_new(input->recording, input->stream);
	status = -ERROR_MEMORY;
	if (feed)
		status = find_certain(source, feed, time_ns, distance, place,
				      at_ns);
	*task = place->tasks.current;
	switch_feed_free(feed);
	branch_source_close(source);
	return status;
}
