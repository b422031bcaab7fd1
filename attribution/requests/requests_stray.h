/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_STRAY_H
#define KT_ATTRIBUTION_REQUESTS_STRAY_H

struct message;
struct party;
struct requests;

/* Messages by TCP that no packet of their own brings to their reader. */

/* Returns what @reader reads of a packet with @message: if that was read before, one
 * that was added to it.
 */
struct message *requests_rest_of(struct requests *requests,
				 struct message *message,
				 const struct party *reader);

/* Returns the oldest that @sender sent and that has had no packet so far,
 * borrowed, or NULL.
 */
struct message *requests_held_back(const struct party *sender);

#endif
