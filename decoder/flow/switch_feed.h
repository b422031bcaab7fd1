/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_SWITCH_FEED_H
#define KT_DECODER_SWITCH_FEED_H

#include "decoder/flow/flow.h"

struct aux_stream;
struct recording;

/* The context switches of one stream as FLOW_SWITCH items in order of time,
 * one a switch, though the kernel writes one record as a task leaves and one
 * as the next comes.
 */
struct switch_feed;

/* Borrows both.  Returns NULL when out of memory. */
struct switch_feed *switch_feed_new(const struct recording *recording,
				    const struct aux_stream *stream);
void switch_feed_free(struct switch_feed *feed);

/* Returns the next switch, or NULL if there is none left. */
const struct flow_item *switch_feed_peek(const struct switch_feed *feed);

/* Goes on to the one after.  Returns 0 or -ERROR_MEMORY. */
int switch_feed_advance(struct switch_feed *feed);

#endif
