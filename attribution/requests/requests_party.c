/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_party.h"

#include "attribution/requests/requests_deferred.h"
#include "attribution/requests/requests_state.h"
#include "attribution/requests/requests_unheard.h"
#include "common/array.h"
#include "common/error.h"
#include "decoder/recording/sideband.h"
#include "report/steps/call_step.h"
#include "report/steps/recorder_task.h"

/* Limits the segments of a request, which may be an endless stream of messages.
 * Further segments are not assigned to it.
 */
enum { MOST_HOLDS = 1024 };

/* Starts the first segment: a child works for the request that its parent
 * worked for when it was created.
 */
static void begin(struct requests *requests, struct party *party,
		  uint64_t time_ns)
{
	struct hold *parent = number_map_take_pointer(
		&requests->children, (uint64_t)party->task->tid);
	struct clock_mark *mark = thread_clock_mark(&party->clock, time_ns);

	party->hold = mark ? hold_new(party->task, &party->clock, mark) : NULL;
	if (!party->hold) {
		clock_mark_drop(mark);
		hold_drop(parent);
		requests->status = -ERROR_MEMORY;
		return;
	}
	party->hold->is_start = true;
	if (parent && parent->request && !parent->request->is_ended)
		requests_give(requests, party->hold, parent->request, parent);
	hold_drop(parent);
}

static struct party *add_party(struct requests *requests,
			       const struct task *task, uint64_t time_ns)
{
	bool is_recorder = requests->options.recorder &&
			   recorder_task_is(requests->options.names,
					    requests->options.recorder,
					    task->tid);
	struct party *party = party_new(task, is_recorder);

	if (!party)
		return NULL;
	begin(requests, party, time_ns);
	if (party->hold)
		return party;
	party_free(party);
	return NULL;
}

struct party *requests_party(struct requests *requests, const struct task *task,
			     uint64_t time_ns)
{
	struct party **slot = array_reach(&requests->parties, task->index);

	if (slot && !*slot)
		*slot = add_party(requests, task, time_ns);
	if (slot && *slot)
		return *slot;
	requests->status = -ERROR_MEMORY;
	return NULL;
}

static struct party *party_at(const struct requests *requests, size_t index)
{
	return *(struct party **)array_at(&requests->parties, index);
}

struct party *requests_known_party(const struct requests *requests,
				   const struct task *task)
{
	return task && task->index < requests->parties.count ?
		       party_at(requests, task->index) :
		       NULL;
}

struct party *requests_next_party(const struct requests *requests,
				  size_t *index)
{
	while (*index < requests->parties.count) {
		struct party *party = party_at(requests, (*index)++);

		if (party)
			return party;
	}
	return NULL;
}

struct hold *requests_cut(struct requests *requests, struct party *party,
			  uint64_t time_ns)
{
	return requests_cut_at(requests, party,
			       thread_clock_mark(&party->clock, time_ns));
}

struct hold *requests_cut_at(struct requests *requests, struct party *party,
			     struct clock_mark *mark)
{
	struct hold *ended = party->hold;
	struct hold *hold = mark ? hold_new(party->task, &party->clock, mark) :
				   NULL;

	if (!hold) {
		clock_mark_drop(mark);
		requests->status = -ERROR_MEMORY;
		return NULL;
	}
	ended->end = clock_mark_refer(mark);
	party->hold = hold;
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

void requests_resume(struct requests *requests, struct party *party)
{
	struct hold *before = party->before;

	if (party->hold->is_waiting) {
		party->hold->is_waiting = false;
		party->hold->is_start = false;
		return;
	}
	if (party->hold->request || !before ||
	    (before->request ? before->request->is_ended : !party->found_ns))
		return;
	requests_give(requests, party->hold, before->request, before);
	party->hold->is_start = false;
}

void requests_wait(struct requests *requests, struct party *party)
{
	requests_resume(requests, party);
	party->hold->is_start = true;
	party->hold->is_waiting = true;
}

/* Returns whether a thread of @pid has sent a message since @request that nobody
 * has read yet: @request may still be answered.
 */
static bool may_be_answered(const struct requests *requests, int32_t pid,
			    const struct request *request)
{
	enum message_medium medium = (enum message_medium)request->medium;
	const struct party *party;
	size_t next = 0;

	while ((party = requests_next_party(requests, &next)))
		if (party->task->pid == pid &&
		    requests_unheard_of(party, medium, request->sent->time_ns,
					NULL, false))
			return true;
	return false;
}

void requests_leave(struct requests *requests, struct party *party,
		    uint64_t time_ns)
{
	for (size_t i = 0; i < party->asked.count; i++)
		request_in(&party->asked, i)->is_ended = true;
	for (size_t i = 0; i < party->taken.count; i++) {
		struct request *request = request_in(&party->taken, i);

		request->is_ended |=
			!may_be_answered(requests, party->task->pid, request);
	}
	hold_drop(requests_cut(requests, party, time_ns));
	hold_drop(party->before);
	party->before = NULL;
	party->found_ns = 0;
}

void requests_fork(struct requests *requests, struct party *parent,
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
