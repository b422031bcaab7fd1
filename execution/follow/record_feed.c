/* SPDX-License-Identifier: MIT */
#include "execution/follow/record_feed.h"
#include "common/error.h"
#include "decoder/flow/branch_source.h"
#include "execution/follow/branch_reader.h"
#include "execution/follow/execution_open.h"
#include "execution/follow/execution_state.h"
#include "execution/follow/follow.h"
#include "execution/follow/follow_run.h"
#include "execution/follow/sync_watch.h"
#include "execution/walk/execution.h"

#include <stdlib.h>
#include <string.h>

/* Once everything watched was passed, branches are followed a few at a time, so
 * that little is followed in vain.
 */
enum { FEW_BRANCHES = 64 };

struct record_feed {
	struct branch_reader reader;
	/* struct stream_part, with its end in 256ths of a tick */
	uint64_t from;
	uint64_t until;
	bool at_end;
	struct sync_watch watch;
	struct execution execution;
};

int record_feed_open(const struct flow_input *input,
		     const struct symbols *symbols, bool lists_blocks,
		     struct record_feed **opened)
{
	struct record_feed *feed = calloc(1, sizeof(*feed));
	int error;

	if (!feed)
		return -ERROR_MEMORY;
	record_feed_watch(feed, NO_SYNC, NO_SYNC);
	feed->until = UINT64_MAX;
	error = branch_reader_open(&feed->reader, input);
	if (!error)
		error = execution_open(&feed->execution, input, symbols,
				       lists_blocks);
	if (error)
		record_feed_close(feed);
	else
		*opened = feed;
	return error;
}

int record_feed_renew(struct record_feed *feed, const struct flow_input *input,
		      struct stream_part part)
{
	branch_reader_close(&feed->reader);
	feed->at_end = false;
	record_feed_watch(feed, NO_SYNC, NO_SYNC);
	feed->from = part.from;
	if (execution_renew(&feed->execution, input) < 0)
		return -ERROR_MEMORY;
	feed->until = moment_ticks_after(&feed->execution, part.until_ns);
	return branch_reader_open(&feed->reader, input);
}

void record_feed_close(struct record_feed *feed)
{
	if (!feed)
		return;
	branch_reader_close(&feed->reader);
	execution_close(&feed->execution);
	free(feed);
}

/* Returns whether @branch is before the wanted part, and not needed for it. A
 * mode or page table holds until it is set again.
 */
static bool is_before(const struct record_feed *feed,
		      const struct trace_branch *branch, uint64_t position)
{
	return position < feed->from && branch->kind != TRACE_MODE &&
	       branch->kind != TRACE_ADDRESS_SPACE &&
	       branch->kind != TRACE_MACHINE;
}

static bool is_beyond(const struct record_feed *feed,
		      const struct trace_branch *branch)
{
	return branch->kind == TRACE_START && branch->low > feed->until &&
	       feed->execution.outside;
}

/* Ends the stream here. */
static int end_early(struct record_feed *feed, uint64_t position)
{
	static const struct trace_branch end = {
		.kind = TRACE_END,
		.is_timed = true,
		.high = UINT64_MAX,
	};

	return follow_branch(&feed->execution, &end, &end + 1, position);
}

/* Follows @branch and the ones after it in the batch, if they are of the most
 * frequent kinds. Returns 1, 0 if @branch is not, or -ERROR_MEMORY.
 */
static int follow_usual(struct record_feed *feed,
			const struct trace_branch *branch)
{
	const struct trace_branch *end = feed->reader.end;
	int count;

	if (feed->execution.atoms.is_on)
		return 0;
	if (sync_watch_is_over(&feed->watch) && end - branch > FEW_BRANCHES)
		end = branch + FEW_BRANCHES;
	count = follow_run(&feed->execution, branch, end,
			   feed->reader.position);
	if (count <= 0)
		return count;
	branch_reader_skip(&feed->reader, (uint32_t)count - 1);
	return 1;
}

static int follow_next(struct record_feed *feed)
{
	struct execution *execution = &feed->execution;
	int status;
	const struct trace_branch *branch =
		branch_reader_next(&feed->reader, &status);
	uint64_t position;

	if (!branch)
		return status;
	position = branch_reader_position(&feed->reader, branch);
	if (is_before(feed, branch, position))
		return 1;
	status = follow_usual(feed, branch);
	if (status)
		return status;
	if (is_beyond(feed, branch))
		return end_early(feed, position);
	status = follow_branch(execution, branch, feed->reader.end, position);
	if (branch->kind == TRACE_SYNC)
		sync_watch_pass(&feed->watch, execution, position);
	return status < 0 ? status : 1;
}

/* Returns whether enough records are finished to provide them. After the last
 * watched sync point only the records before it are needed.
 */
static bool has_enough(const struct record_feed *feed)
{
	const struct event_times *times = &feed->execution.times;

	return !event_times_wants_more(times) ||
	       (sync_watch_is_over(&feed->watch) &&
		times->finished >= feed->watch.wanted);
}

/* Follows branches until enough records are finished, or the end. */
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

static size_t ready_marks(const struct record_feed *feed)
{
	return event_marks_ready(&feed->execution.marks,
				 feed->execution.times.finished, feed->at_end);
}

/* Removes the records and marks that were provided. */
static void drop_taken(struct record_feed *feed)
{
	struct event_times *times = &feed->execution.times;
	size_t gone = times->finished;

	event_marks_drop(&feed->execution.marks, ready_marks(feed), gone);
	if (!gone)
		return;
	sync_watch_drop(&feed->watch, gone);
	event_times_drop(times);
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
	/* A pause may be detected after the last record was provided. */
	if (!execution->times.finished && !execution->marks.count)
		return 0;
	event_times_write(&execution->times);
	*run = (struct record_run){
		.records = room ? room : execution->times.records,
		.count = execution->times.finished,
		.marks = execution->marks.marks,
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
	feed->at_end = false;
	feed->execution.marks.count = 0;
	return branch_reader_seek(&feed->reader, position);
}

int record_feed_begin(struct record_feed *feed, uint64_t position,
		      uint64_t rate)
{
	execution_begin(&feed->execution, rate);
	return seek(feed, position);
}

/* Reads from the position @from up to and including the sync point at
 * @position. Only the unit's settings on the way are followed. Returns 1, 0 if
 * there is no such sync point, or -ERROR_MEMORY.
 */
static int reach_sync(struct record_feed *feed, uint64_t from,
		      uint64_t position)
{
	int status = seek(feed, from);
	const struct trace_branch *branch;

	while (status >= 0 &&
	       (branch = branch_reader_next(&feed->reader, &status))) {
		uint64_t at = branch_reader_position(&feed->reader, branch);

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

	/* Bytes that look like a sync point, but are none, hid it: search from
	 * the start.
	 */
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
