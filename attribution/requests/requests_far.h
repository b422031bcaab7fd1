/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_FAR_H
#define KT_ATTRIBUTION_REQUESTS_FAR_H

#include <stdint.h>

struct connection_state;
struct party;
struct requests;

/* @party has sent to, or read from, a connection whose other end is on another
 * machine.
 */
void requests_far_sent(struct requests *requests, struct party *party,
		       struct connection_state *state, uint64_t time_ns);
void requests_far_taken(struct requests *requests, struct party *party,
			struct connection_state *state, uint64_t time_ns);

#endif
