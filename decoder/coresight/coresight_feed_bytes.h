/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_FEED_BYTES_H
#define KT_DECODER_CORESIGHT_FEED_BYTES_H

#include "decoder/coresight/coresight_feed.h"

/* Feeds the bytes of the feed's window to OpenCSD: from a sync point up to
 * damage, without cancelled execution.
 */

/* Returns the number of the window's first byte: the position of the window's
 * first frame.
 */
uint64_t coresight_feed_first(const struct coresight_feed *feed);

/* Returns whether the unit speculates and execution is to be decoded. */
bool coresight_feed_speculates(const struct coresight_feed *feed);

/* Returns whether the unit traced speculative execution that is still
 * unresolved.
 */
bool coresight_feed_waits(const struct coresight_feed *feed);

/* Allocates feed->speculation. Returns false when out of memory. */
bool coresight_feed_new_speculation(struct coresight_feed *feed);

/* Passes @op, the end of the trace or a reset, to OpenCSD. */
void coresight_feed_tell(struct coresight_feed *feed, ocsd_datapath_op_t op);

/* Handles damage at the next byte. */
void coresight_feed_fail(struct coresight_feed *feed);

/* Feeds the rest of the window, up to damage. The window must not be used up.
 */
void coresight_feed_bytes(struct coresight_feed *feed);

/* Skips to the next sync point in the window, or to its end. */
void coresight_feed_find_sync(struct coresight_feed *feed);

#endif
