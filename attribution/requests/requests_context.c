/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_context.h"

#include "attribution/events/known_events.h"
#include "attribution/requests/requests_party.h"
#include "attribution/requests/requests_state.h"
#include "attribution/time/task_paths.h"
#include "attribution/time/task_time.h"

struct party *requests_party_on(struct requests *requests, int32_t cpu,
				int32_t tid, uint64_t time_ns)
{
	const struct task *task =
		tid > 0 ? task_time_task(requests->time, cpu, tid) : NULL;

	return task ? requests_party(requests, task, time_ns) : NULL;
}

struct party *requests_party_at(struct requests *requests,
				const struct event_record *event)
{
	return requests_party_on(requests, event->cpu, event->tid,
				 event->time_ns);
}

/* Returns the kernel context that @task is in, not counting the tracer and the
 * scheduler, or NULL.
 */
static const struct open_context *context_of(const struct requests *requests,
					     const struct task *task)
{
	size_t count;
	const struct open_context *contexts =
		task_time_contexts(requests->time, task->index, &count);

	while (count && (contexts[count - 1].kind == CONTEXT_TRACER ||
			 contexts[count - 1].kind == CONTEXT_SCHEDULE))
		count--;
	return count ? &contexts[count - 1] : NULL;
}

enum context_kind requests_context_of(const struct requests *requests,
				      const struct party *party)
{
	const struct open_context *context = context_of(requests, party->task);

	return context ? context->kind : CONTEXT_NONE;
}

bool requests_is_own(const struct requests *requests, const struct party *party)
{
	enum context_kind context =
		party ? requests_context_of(requests, party) :
			CONTEXT_INTERRUPT;

	return context == CONTEXT_NONE || context == CONTEXT_SYSTEM_CALL ||
	       context == CONTEXT_FAULT || context == CONTEXT_ITEM;
}

/* Returns the kernel context of the task of @event, or NULL. */
static const struct open_context *context_at(const struct requests *requests,
					     const struct event_record *event)
{
	const struct task *task =
		task_time_task(requests->time, event->cpu, event->tid);

	return task ? context_of(requests, task) : NULL;
}

uint64_t requests_interrupt_at(const struct requests *requests,
			       const struct event_record *event)
{
	const struct open_context *context = context_at(requests, event);

	return context && (context->kind == CONTEXT_SOFTIRQ ||
			   context->kind == CONTEXT_INTERRUPT) ?
		       context->serial :
		       0;
}

uint64_t requests_softirq_of(const struct requests *requests,
			     const struct task *task)
{
	const struct open_context *context = task ? context_of(requests, task) :
						    NULL;

	return context && context->kind == CONTEXT_SOFTIRQ ? context->serial :
							     0;
}

bool requests_is_sending(const struct requests *requests,
			 const struct party *party)
{
	enum context_kind context = requests_context_of(requests, party);

	return context == CONTEXT_NONE || context == CONTEXT_SYSTEM_CALL ||
	       (context == CONTEXT_SOFTIRQ &&
		party->send.function.medium >= MEDIUM_TCP);
}

uint64_t requests_softirq_at(const struct requests *requests,
			     const struct event_record *event)
{
	return requests_softirq_of(requests,
				   task_time_task(requests->time, event->cpu,
						  event->tid));
}
