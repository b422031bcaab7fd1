/* SPDX-License-Identifier: MIT */
#include "execution/stream/stream_start.h"
#include "common/error.h"
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow_source.h"
#include "decoder/flow/switch_feed.h"
#include "execution/stream/stream_checkpoint.h"

enum {
	/* This long after its record a switch has happened. */
	CERTAIN_NS = 20000,
	/* Limit on the number of sync points tried, and their distance. */
	TRIES = 32,
	APART_BYTES = 1 << 15,
};

/* Consumes the switch records up to @time_ns. Returns 1 if the last of them has
 * happened by then, 0 if it may still be under way, so that the running task is
 * uncertain, or -ERROR_MEMORY.
 */
static int take_switches(struct switch_feed *feed, uint64_t time_ns,
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
 * @distance bytes before @time_ns on, and sets the state of @place to it.
 * Returns 1, 0 if there is none, or -ERROR_MEMORY.
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
		status = take_switches(feed, *at_ns, place, &last_ns);
		distance -= distance < APART_BYTES ? distance : APART_BYTES;
	}
	if (status < 0)
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
