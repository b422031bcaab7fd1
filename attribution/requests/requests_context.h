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

/* Where in the kernel it is that something happens: less the tracer and what
 * switches tasks.
 */

/* Returns the thread @tid, which runs on @cpu or did so last, or NULL. */
struct party *requests_party_on(struct requests *requests, int32_t cpu,
				int32_t tid, uint64_t time_ns);

/* Returns that of the task that @event happened in, or NULL. */
struct party *requests_party_at(struct requests *requests,
				const struct event_record *event);

/* Returns the kernel context that @party is in. */
enum context_kind requests_context_of(const struct requests *requests,
				      const struct party *party);

/* Returns whether what @party (or NULL) does now is its own, not an interrupt's. */
bool requests_is_own(const struct requests *requests,
		     const struct party *party);

/* Returns the number of the interrupt, soft or hard, that @event happened in; 0:
 * none.
 */
uint64_t requests_interrupt_at(const struct requests *requests,
			       const struct event_record *event);

/* Returns the number of the soft interrupt that @task (or NULL) is in, or that
 * @event happened in; 0: none.
 */
uint64_t requests_softirq_of(const struct requests *requests,
			     const struct task *task);
uint64_t requests_softirq_at(const struct requests *requests,
			     const struct event_record *event);

/* Returns whether what @party does now is part of its send, not of an interrupt in
 * it: of the soft interrupts, those that carry network packets are.
 */
bool requests_is_sending(const struct requests *requests,
			 const struct party *party);

#endif
