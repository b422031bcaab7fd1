/* SPDX-License-Identifier: MIT */
#include "symbolize/gate/gate_feed.h"

#include <stddef.h>

/* Reads the next mark after those already read, if there is one. */
static int fill(struct gate_feed *feed)
{
	unsigned int place = (feed->first + feed->count) % 2;
	int status = feed->source(feed->ctx, &feed->steps[place]);

	if (status <= 0)
		return status;
	feed->count++;
	return 0;
}

int gate_feed_begin(struct gate_feed *feed, gate_step_source *source, void *ctx)
{
	int error;

	*feed = (struct gate_feed){ .source = source, .ctx = ctx };
	error = fill(feed);
	return error ? error : fill(feed);
}

const struct gate_step *gate_feed_first(const struct gate_feed *feed)
{
	return feed->count ? &feed->steps[feed->first] : NULL;
}

const struct gate_step *gate_feed_second(const struct gate_feed *feed)
{
	return feed->count > 1 ? &feed->steps[1 - feed->first] : NULL;
}

int gate_feed_advance(struct gate_feed *feed)
{
	feed->first = 1 - feed->first;
	feed->count--;
	return fill(feed);
}
