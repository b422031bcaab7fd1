/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_FEED_BYTES_H
#define KT_DECODER_CORESIGHT_FEED_BYTES_H

#include "decoder/coresight/coresight_feed.h"

/* The bytes of the feed's window, as OpenCSD gets them: from a synchronisation
 * point on, without what did not happen, up to what makes no sense.
 */

/* Bytes of a window are numbered from here on: the position of its first
 * frame.
 */
uint64_t coresight_feed_first(const struct coresight_feed *feed);

/* Returns whether the unit speculates, and what ran is wanted. */
bool coresight_feed_speculates(const struct coresight_feed *feed);

/* Returns whether the unit traced execution ahead, and not yet whether it
 * happened.
 */
bool coresight_feed_waits(const struct coresight_feed *feed);

/* Sets feed->speculation.  Returns false if there is no memory. */
bool coresight_feed_new_speculation(struct coresight_feed *feed);

/* Ends what OpenCSD was given so far. */
void coresight_feed_tell(struct coresight_feed *feed, ocsd_datapath_op_t op);

/* What comes next makes no sense. */
void coresight_feed_fail(struct coresight_feed *feed);

/* Feeds what is left of the window, up to damage; something must be. */
void coresight_feed_bytes(struct coresight_feed *feed);

/* Goes on to where OpenCSD can begin in the window, or to the window's end. */
void coresight_feed_find_sync(struct coresight_feed *feed);

#endif
