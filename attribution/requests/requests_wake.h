/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_WAKE_H
#define KT_ATTRIBUTION_REQUESTS_WAKE_H

struct event_record;
struct requests;

/* Takes an EVENT_SCHED_WAKING: who is woken from waiting for messages has one of
 * the waker's, if that sends one.
 */
void requests_waking(struct requests *requests,
		     const struct event_record *event);

#endif
