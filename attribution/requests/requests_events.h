/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_EVENTS_H
#define KT_ATTRIBUTION_REQUESTS_EVENTS_H

struct requests;

/* Sets what @requests handles: steps, events and spans. */
void requests_follow(struct requests *requests);

#endif
