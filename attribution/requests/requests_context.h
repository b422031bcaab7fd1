/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_CONTEXT_H
#define KT_ATTRIBUTION_REQUESTS_CONTEXT_H

#include "attribution/time/task_contexts.h"

#include <stdbool.h>
#include <stdint.h>

struct event_record;
struct party;
struct requests;
struct task;

/* Finds the kernel context in which something happens, not counting the tracer
 * and the scheduler.
 */

/* Returns the thread @tid, which runs on @cpu or did so last, or NULL. */
struct party *requests_party_on(struct requests *requests, int32_t cpu,
				int32_t tid, uint64_t time_ns);

/* Returns the endpoint of the task in which @event happened, or NULL. */
struct party *requests_party_at(struct requests *requests,
				const struct event_record *event);

/* Returns the kernel context that @party is in. */
enum context_kind requests_context_of(const struct requests *requests,
				      const struct party *party);

/* Returns whether @party (or NULL) acts for itself now, not in an interrupt. */
bool requests_is_own(const struct requests *requests,
		     const struct party *party);

/* Returns the number of the interrupt, soft or hard, in which @event happened;
 * 0: none.
 */
uint64_t requests_interrupt_at(const struct requests *requests,
			       const struct event_record *event);

/* Return the number of the soft interrupt that @task (or NULL) is in, or in
 * which @event happened; 0: none.
 */
uint64_t requests_softirq_of(const struct requests *requests,
			     const struct task *task);
uint64_t requests_softirq_at(const struct requests *requests,
			     const struct event_record *event);

/* Returns whether the current work of @party is part of its send. Work of an
 * interrupt during the send is not, except of the soft interrupts that carry
 * network packets.
 */
bool requests_is_sending(const struct requests *requests,
			 const struct party *party);

#endif
