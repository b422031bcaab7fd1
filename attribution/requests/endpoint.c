/* SPDX-License-Identifier: MIT */
#include "attribution/requests/endpoint.h"

#include "attribution/requests/requests_deferred.h"
#include "attribution/requests/requests_state.h"
#include "common/error.h"
#include "decoder/recording/sideband.h"
#include "report/steps/call_step.h"
#include "report/steps/recorder_task.h"

#include <stdlib.h>

/* Creates the endpoint of @task, without a segment. Returns NULL when out of
 * memory.
 */
static struct thread_endpoint *endpoint_new(const struct task *task,
					    bool is_recorder)
{
	struct thread_endpoint *endpoint = calloc(1, sizeof(*endpoint));

	if (endpoint)
		*endpoint = (struct thread_endpoint){
			.task = task,
			.is_recorder = is_recorder,
			.clock = THREAD_CLOCK_NEW,
			.arrived = ARRAY_OF(struct message *),
			.unheard = ARRAY_OF(struct message *),
			.copied = ARRAY_OF(struct message *),
			.asked = ARRAY_OF(struct request *),
			.taken = ARRAY_OF(struct request *),
		};
	return endpoint;
}

void endpoint_free(struct thread_endpoint *endpoint)
{
	if (!endpoint)
		return;
	thread_clock_free(&endpoint->clock);
	hold_drop(endpoint->hold);
	hold_drop(endpoint->before);
	clock_mark_drop(endpoint->send_begin);
	clock_mark_drop(endpoint->transmitted);
	message_drop(endpoint->message);
	message_drop(endpoint->carries);
	clock_mark_drop(endpoint->item);
	hold_drop(endpoint->deferred);
	message_list_free(&endpoint->arrived);
	message_list_free(&endpoint->unheard);
	message_list_free(&endpoint->copied);
	request_list_free(&endpoint->asked);
	request_list_free(&endpoint->taken);
	free(endpoint);
}

bool endpoint_is_free(const struct thread_endpoint *endpoint)
{
	return !endpoint->hold->request || endpoint->hold->is_waiting;
}

struct message *endpoint_next_unheard(const struct thread_endpoint *sender,
				      size_t *index, enum message_medium medium)
{
	for (; *index < sender->unheard.count; (*index)++) {
		struct message *message = message_in(&sender->unheard, *index);

		if (message_is_guessable(message, medium))
			return message;
	}
	return NULL;
}

/* Limits the segments of a request, which may be an endless stream of messages.
 * Further segments are not assigned to it.
 */
enum { MOST_HOLDS = 1024 };

/* Starts the first segment: a child works for the request that its parent
 * worked for when it was created.
 */
static void begin(struct requests *requests, struct thread_endpoint *endpoint,
		  uint64_t time_ns)
{
	struct hold *parent = number_map_take_pointer(
		&requests->children, (uint64_t)endpoint->task->tid);
	struct clock_mark *mark = thread_clock_mark(&endpoint->clock, time_ns);

	endpoint->hold =
		mark ? hold_new(endpoint->task, &endpoint->clock, mark) : NULL;
	if (!endpoint->hold) {
		clock_mark_drop(mark);
		hold_drop(parent);
		requests->status = -ERROR_MEMORY;
		return;
	}
	endpoint->hold->is_start = true;
	if (parent && parent->request && !parent->request->is_ended)
		requests_give(requests, endpoint->hold, parent->request,
			      parent);
	hold_drop(parent);
}

static struct thread_endpoint *add_endpoint(struct requests *requests,
					    const struct task *task,
					    uint64_t time_ns)
{
	bool is_recorder = requests->options.recorder &&
			   recorder_task_is(requests->options.names,
					    requests->options.recorder,
					    task->tid);
	struct thread_endpoint *endpoint = endpoint_new(task, is_recorder);

	if (!endpoint)
		return NULL;
	begin(requests, endpoint, time_ns);
	if (endpoint->hold)
		return endpoint;
	endpoint_free(endpoint);
	return NULL;
}

struct thread_endpoint *requests_endpoint(struct requests *requests,
					  const struct task *task,
					  uint64_t time_ns)
{
	struct thread_endpoint **slot =
		array_reach(&requests->endpoints, task->index);

	if (slot && !*slot)
		*slot = add_endpoint(requests, task, time_ns);
	if (slot && *slot)
		return *slot;
	requests->status = -ERROR_MEMORY;
	return NULL;
}

static struct thread_endpoint *endpoint_at(const struct requests *requests,
					   size_t index)
{
	return *(struct thread_endpoint **)array_at(&requests->endpoints,
						    index);
}

struct thread_endpoint *requests_known_endpoint(const struct requests *requests,
						const struct task *task)
{
	return task && task->index < requests->endpoints.count ?
		       endpoint_at(requests, task->index) :
		       NULL;
}

struct thread_endpoint *requests_next_endpoint(const struct requests *requests,
					       size_t *index)
{
	while (*index < requests->endpoints.count) {
		struct thread_endpoint *endpoint =
			endpoint_at(requests, (*index)++);

		if (endpoint)
			return endpoint;
	}
	return NULL;
}

struct hold *requests_cut(struct requests *requests,
			  struct thread_endpoint *endpoint, uint64_t time_ns)
{
	return requests_cut_at(requests, endpoint,
			       thread_clock_mark(&endpoint->clock, time_ns));
}

struct hold *requests_cut_at(struct requests *requests,
			     struct thread_endpoint *endpoint,
			     struct clock_mark *mark)
{
	struct hold *ended = endpoint->hold;
	struct hold *hold =
		mark ? hold_new(endpoint->task, &endpoint->clock, mark) : NULL;

	if (!hold) {
		clock_mark_drop(mark);
		requests->status = -ERROR_MEMORY;
		return NULL;
	}
	ended->end = clock_mark_refer(mark);
	endpoint->hold = hold;
	return ended;
}

/* Like hold_give(). Returns whether it succeeded. */
static bool give(struct requests *requests, struct hold *hold,
		 struct request *request, struct hold *parent)
{
	if (hold->is_charged || (request && request->holds.count >= MOST_HOLDS))
		return false;
	if (hold_give(hold, request, parent) < 0) {
		requests->status = -ERROR_MEMORY;
		return false;
	}
	requests_deferred_follow(requests, hold);
	return true;
}

void requests_give(struct requests *requests, struct hold *hold,
		   struct request *request, struct hold *parent)
{
	hold->is_waiting = false;
	/* The segment is already the newest on the path. */
	if (parent == hold)
		parent = hold->parent;
	if (give(requests, hold, request, parent) && request &&
	    !request->is_answered)
		request->last = hold;
}

void requests_give_beside(struct requests *requests, struct hold *hold,
			  struct request *request, struct hold *parent)
{
	give(requests, hold, request, parent);
}

struct hold *requests_give_carrier(struct requests *requests,
				   const struct message *message,
				   struct request *request, struct hold *before)
{
	if (!message->carrier)
		return before;
	requests_give(requests, message->carrier, request, before);
	return message->carrier;
}

void requests_resume(struct requests *requests,
		     struct thread_endpoint *endpoint)
{
	struct hold *before = endpoint->before;

	if (endpoint->hold->is_waiting) {
		endpoint->hold->is_waiting = false;
		endpoint->hold->is_start = false;
		return;
	}
	if (endpoint->hold->request || !before ||
	    (before->request ? before->request->is_ended : !endpoint->found_ns))
		return;
	requests_give(requests, endpoint->hold, before->request, before);
	endpoint->hold->is_start = false;
}

void requests_wait(struct requests *requests, struct thread_endpoint *endpoint)
{
	requests_resume(requests, endpoint);
	endpoint->hold->is_start = true;
	endpoint->hold->is_waiting = true;
}

void requests_leave(struct requests *requests, struct thread_endpoint *endpoint,
		    uint64_t time_ns)
{
	const struct array *lists[] = { &endpoint->asked, &endpoint->taken };

	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < lists[i]->count; k++)
			request_in(lists[i], k)->is_ended = true;
	hold_drop(requests_cut(requests, endpoint, time_ns));
	hold_drop(endpoint->before);
	endpoint->before = NULL;
	endpoint->found_ns = 0;
}

void requests_fork(struct requests *requests, struct thread_endpoint *parent,
		   const struct sideband_record *record)
{
	uint64_t *slot =
		number_map_add(&requests->children, (uint64_t)record->tid);
	struct hold *hold = requests_cut(requests, parent, record->time_ns);

	if (!slot || !hold) {
		requests->status = -ERROR_MEMORY;
		hold_drop(hold);
		return;
	}
	requests_check(requests, roles_inherit(&requests->roles,
					       parent->task->pid, record->pid));
	requests_give(requests, parent->hold, hold->request, hold);
	hold_drop((struct hold *)(uintptr_t)*slot);
	*slot = (uintptr_t)hold;
}

bool requests_is_server(const struct requests *requests,
			const struct task *server, const struct task *client,
			enum message_medium medium)
{
	return roles_is_server(&requests->roles, server->pid, client->pid,
			       message_medium_is_socket(medium));
}
