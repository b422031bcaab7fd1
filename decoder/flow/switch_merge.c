/* SPDX-License-Identifier: MIT */
#include "decoder/flow/switch_merge.h"
#include "common/error.h"
#include "decoder/flow/flow_batch.h"
#include "decoder/flow/switch_feed.h"

int switch_merge(struct switch_feed *feed, struct flow_batch *batch, bool all,
		 uint64_t end_ns)
{
	const struct flow_item *item;

	while ((item = switch_feed_peek(feed)) &&
	       (all || item->time_ns <= flow_batch_last_ns(batch))) {
		bool is_beyond = item->time_ns > end_ns &&
				 item->detail != FLOW_SWITCH_AWAY;

		if (!is_beyond && !flow_batch_insert(batch, item))
			return 0;
		if (switch_feed_advance(feed) < 0)
			return -ERROR_MEMORY;
	}
	return 1;
}
