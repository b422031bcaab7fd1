/* SPDX-License-Identifier: MIT */
#include "execution/follow/record_feed.h"
#include "common/error.h"
#include "decoder/code/code_space.h"
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/time_conversion.h"
#include "execution/atoms/follow_atoms.h"
#include "execution/follow/execution_state.h"
#include "execution/follow/follow.h"
#include "execution/follow/follow_code.h"
#include "execution/follow/follow_run.h"
#include "execution/follow/sync_watch.h"
#include "execution/walk/moment.h"
#include "symbolize/arch/arch.h"

#include <stdlib.h>
#include <string.h>

/* What is not needed of a run is decoded in small pieces. */
enum { FEW_BRANCHES = 64 };

struct record_feed {
	struct branch_source *source;
	uint64_t from;	/* struct stream_part, with its end in 256ths of a */
	uint64_t until; /* tick */
	struct trace_branch_batch batch;
	uint32_t at; /* the next of the batch */
	bool at_end;
	struct sync_watch watch;
	struct execution execution;
};

static void init_execution(struct record_feed *feed,
			   const struct flow_input *input,
			   const struct symbols *symbols, bool lists_blocks)
{
	struct execution *execution = &feed->execution;

	execution->blocks = block_graph_blocks(execution->graph);
	execution->symbols = symbols;
	execution_set_conversion(execution,
				 recording_time_conversion(input->recording));
	execution->lists_blocks = lists_blocks;
	execution->times.without_bounds = input->without_bounds;
	execution->filter = trace_filter_of(input->recording);
	execution_reset(execution);
	follow_update_code(execution);
}

int record_feed_open(const struct flow_input *input,
		     const struct symbols *symbols, bool lists_blocks,
		     struct record_feed **opened)
{
	struct record_feed *feed = calloc(1, sizeof(*feed));
	const struct arch *arch = arch_for(recording_arch(input->recording));
	int error;

	if (!feed)
		return -ERROR_MEMORY;
	record_feed_watch(feed, NO_SYNC, NO_SYNC);
	feed->until = UINT64_MAX;
	error = branch_source_open(input, &feed->source);
	if (!error)
		error = code_space_open(input, arch->kernel_start,
					CODE_VIEW_MEMORY,
					&feed->execution.code);
	if (error)
		goto fail;
	error = -ERROR_MEMORY;
	feed->execution.graph = block_graph_new(feed->execution.code, symbols);
	if (!feed->execution.graph)
		goto fail;
	init_execution(feed, input, symbols, lists_blocks);
	if (follow_atoms_init(&feed->execution, input) < 0)
		goto fail;
	*opened = feed;
	return 0;
fail:
	record_feed_close(feed);
	return error;
}

int record_feed_renew(struct record_feed *feed, const struct flow_input *input,
		      struct stream_part part)
{
	struct execution *execution = &feed->execution;

	branch_source_close(feed->source);
	feed->source = NULL;
	feed->at = 0;
	feed->batch.count = 0;
	feed->at_end = false;
	record_feed_watch(feed, NO_SYNC, NO_SYNC);
	execution->mark_count = 0;
	execution_set_conversion(execution,
				 recording_time_conversion(input->recording));
	return_stack_clear(&execution->returns);
	execution->fold = (struct thunk_fold){ 0 };
	execution->folds.count = 0;
	execution_reset(execution);
	feed->from = part.from;
	feed->until = moment_ticks_after(execution, part.until_ns);
	execution->may_be_ahead = true;
	execution->next_change = 0;
	follow_atoms_close(execution);
	if (follow_atoms_init(execution, input) < 0)
		return -ERROR_MEMORY;
	return branch_source_open(input, &feed->source);
}

void record_feed_close(struct record_feed *feed)
{
	if (!feed)
		return;
	branch_source_close(feed->source);
	follow_atoms_close(&feed->execution);
	block_graph_free(feed->execution.graph);
	code_space_close(feed->execution.code);
	free(feed);
}

/* The next branch, or NULL: *@status is why. */
static const struct trace_branch *next_branch(struct record_feed *feed,
					      int *status)
{
	*status = 1;
	while (feed->at == feed->batch.count) {
		feed->at = 0;
		feed->batch.count = 0;
		*status = branch_source_next(feed->source, &feed->batch);
		if (*status <= 0)
			return NULL;
	}
	return &feed->batch.branches[feed->at++];
}

/* How the code is to be read holds until it is said anew. */
static bool is_before(const struct record_feed *feed,
		      const struct trace_branch *branch, uint64_t position)
{
	return position < feed->from && branch->kind != TRACE_MODE &&
	       branch->kind != TRACE_ADDRESS_SPACE;
}

static bool is_beyond(const struct record_feed *feed,
		      const struct trace_branch *branch)
{
	return branch->kind == TRACE_START && branch->low > feed->until &&
	       feed->execution.outside;
}

/* As if the stream ended here. */
static int end_early(struct record_feed *feed, uint64_t position)
{
	static const struct trace_branch end = {
		.kind = TRACE_END,
		.is_timed = true,
		.high = UINT64_MAX,
	};

	return follow_branch(&feed->execution, &end, &end + 1, position);
}

/* Follows @branch and what is behind it in the batch, if they are what most
 * branches are.  Returns 1, 0 if @branch is not, or -ERROR_MEMORY.
 */
static int follow_usual(struct record_feed *feed,
			const struct trace_branch *branch)
{
	const struct trace_branch_batch *batch = &feed->batch;
	const struct trace_branch *end = batch->branches + batch->count;
	int count;

	if (feed->execution.atoms.is_on)
		return 0;
	if (sync_watch_is_over(&feed->watch) && end - branch > FEW_BRANCHES)
		end = branch + FEW_BRANCHES;
	count = follow_run(&feed->execution, branch, end, batch->position);
	if (count <= 0)
		return count;
	feed->at += (uint32_t)count - 1;
	return 1;
}

static int follow_next(struct record_feed *feed)
{
	struct execution *execution = &feed->execution;
	int status;
	const struct trace_branch *branch = next_branch(feed, &status);
	uint64_t position;

	if (!branch)
		return status;
	position = feed->batch.position + branch->position;
	if (is_before(feed, branch, position))
		return 1;
	status = follow_usual(feed, branch);
	if (status)
		return status;
	if (is_beyond(feed, branch))
		return end_early(feed, position);
	status = follow_branch(execution, branch,
			       feed->batch.branches + feed->batch.count,
			       position);
	if (branch->kind == TRACE_SYNC)
		sync_watch_pass(&feed->watch, execution, position);
	return status < 0 ? status : 1;
}

/* Behind what is watched nobody wants more than what is before. */
static bool has_enough(const struct record_feed *feed)
{
	const struct event_times *times = &feed->execution.times;

	return !event_times_wants_more(times) ||
	       (sync_watch_is_over(&feed->watch) &&
		times->finished >= feed->watch.wanted);
}

/* Follows branches until enough is finished, or the end. */
static int fill(struct record_feed *feed)
{
	struct event_times *times = &feed->execution.times;
	int status = 1;

	while (status > 0 && !has_enough(feed))
		status = follow_next(feed);
	feed->at_end = !status;
	if (!times->finished)
		event_times_flush(times);
	return status < 0 ? status : 0;
}

/* A mark comes with the record that follows it, if there is one. */
static size_t ready_marks(const struct record_feed *feed)
{
	const struct execution *execution = &feed->execution;
	size_t count = execution->mark_count;

	while (count && !feed->at_end &&
	       execution->marks[count - 1].index >= execution->times.finished)
		count--;
	return count;
}

/* Records and marks that were handed out go. */
static void drop_taken(struct record_feed *feed)
{
	struct execution *execution = &feed->execution;
	uint32_t gone = (uint32_t)execution->times.finished;
	size_t taken = ready_marks(feed);
	size_t left = execution->mark_count - taken;

	memmove(execution->marks, execution->marks + taken,
		left * sizeof(*execution->marks));
	execution->mark_count = left;
	if (!gone)
		return;
	for (size_t i = 0; i < left; i++)
		execution->marks[i].index -= gone;
	sync_watch_drop(&feed->watch, gone);
	event_times_drop(&execution->times);
}

int record_feed_next(struct record_feed *feed, struct record_run *run)
{
	return record_feed_next_in(feed, NULL, run);
}

int record_feed_next_in(struct record_feed *feed, union timed_record *room,
			struct record_run *run)
{
	struct execution *execution = &feed->execution;

	drop_taken(feed);
	event_times_finish_in(&execution->times, room);
	while (!execution->times.finished && !feed->at_end) {
		int status = fill(feed);

		if (status < 0)
			return status;
	}
	/* A pause may be known only when the last record was handed out. */
	if (!execution->times.finished && !execution->mark_count)
		return 0;
	event_times_write(&execution->times);
	*run = (struct record_run){
		.records = room ? room : execution->times.records,
		.count = execution->times.finished,
		.marks = execution->marks,
		.mark_count = ready_marks(feed),
	};
	return 1;
}

void record_feed_watch(struct record_feed *feed, uint64_t first,
		       uint64_t second)
{
	sync_watch_begin(&feed->watch, first, second);
}

void record_feed_watch_end(struct record_feed *feed, uint64_t second)
{
	sync_watch_begin_second(&feed->watch, second);
}

const struct execution_state *record_feed_state(const struct record_feed *feed,
						unsigned int which)
{
	return &feed->watch.states[which];
}

static int seek(struct record_feed *feed, uint64_t position)
{
	feed->at = 0;
	feed->batch.count = 0;
	feed->at_end = false;
	feed->execution.mark_count = 0;
	return branch_source_seek(feed->source, position);
}

int record_feed_begin(struct record_feed *feed, uint64_t position,
		      uint64_t rate)
{
	execution_reset(&feed->execution);
	feed->execution.times.pace.rate = rate;
	follow_atoms_reset(&feed->execution);
	feed->execution.may_be_ahead = true;
	feed->execution.next_change = 0;
	return seek(feed, position);
}

/* Reads on from before @position to right behind the synchronisation point
 * there; the unit's settings are said on the way.  Returns 1, 0 if there is
 * none, or -ERROR_MEMORY.
 */
static int reach_sync(struct record_feed *feed, uint64_t from,
		      uint64_t position)
{
	int status = seek(feed, from);
	const struct trace_branch *branch;

	while (status >= 0 && (branch = next_branch(feed, &status))) {
		uint64_t at = feed->batch.position + branch->position;

		if (branch->kind == TRACE_SESSION)
			status = follow_branch(&feed->execution, branch,
					       branch + 1, at);
		else if (branch->kind == TRACE_SYNC && at >= position)
			return at == position;
	}
	return status;
}

int record_feed_resume(struct record_feed *feed,
		       const struct execution_state *state)
{
	int status = reach_sync(feed, state->position, state->position);

	/* What looks like a synchronisation point is none, and hid it. */
	if (!status)
		status = reach_sync(feed, 0, state->position);
	if (status < 0)
		return status;
	return execution_state_put(state, &feed->execution);
}

bool record_feed_is_off(const struct record_feed *feed)
{
	return feed->execution.is_off;
}

uint64_t record_feed_end_ns(const struct record_feed *feed)
{
	return feed->execution.times.last_ns;
}
