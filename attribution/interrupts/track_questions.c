/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/object_tracker.h"

/* A task that has sent a query to a device and waits. */
struct question {
	int32_t tid;
	struct owner *owner;
};

/* Queries to devices that answer each query once, such as a 9p server, from the
 * sender to the interrupt that delivers the answer. Which query it answers is
 * not recorded: it is inferred to be for the waiting tasks.
 */
struct questions {
	struct owners *owners;
	struct array waiting; /* struct question */
};

static void open_questions(void *state, struct owners *owners)
{
	*(struct questions *)state =
		(struct questions){ owners, ARRAY_OF(struct question) };
}

static void close_questions(void *state)
{
	struct questions *questions = state;
	const struct question *items = questions->waiting.items;

	for (size_t i = 0; i < questions->waiting.count; i++)
		owner_drop(questions->owners, items[i].owner);
	array_free(&questions->waiting);
}

static void forget(struct questions *questions, int32_t tid)
{
	struct question *items = questions->waiting.items;
	size_t count = questions->waiting.count;

	for (size_t i = 0; i < count; i++) {
		if (items[i].tid != tid)
			continue;
		owner_drop(questions->owners, items[i].owner);
		items[i] = items[count - 1];
		questions->waiting.count--;
		return;
	}
}

static void ask(struct questions *questions,
		const struct event_context *context)
{
	struct question *question;

	forget(questions, context->tid);
	question = array_add(&questions->waiting);
	if (question)
		*question = (struct question){
			context->tid, owner_refer(event_context_owner(context))
		};
	else
		owners_fail(questions->owners);
}

static void answer(const struct questions *questions,
		   const struct event_context *context)
{
	const struct question *items = questions->waiting.items;
	struct interrupt_slice *slice = context->slice;

	if (!slice || !interrupt_slice_is_open(slice))
		return;
	for (size_t i = 0; i < questions->waiting.count; i++)
		owner_shares_add(context->owners, &slice->effects,
				 items[i].owner, 1, CERTAIN_INFERRED);
}

static void role(void *state, const struct event_context *context,
		 enum interrupt_role role, bool has_ended)
{
	if (role == ROLE_ASKS && has_ended)
		forget(state, context->tid);
	else if (role == ROLE_ASKS)
		ask(state, context);
	else if (role == ROLE_ANSWERS)
		answer(state, context);
}

const struct object_tracker track_questions = {
	.state_bytes = sizeof(struct questions),
	.open = open_questions,
	.close = close_questions,
	.role = role,
};
