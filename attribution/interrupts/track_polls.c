/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_roles.h"
#include "attribution/interrupts/object_tracker.h"

#include <stdlib.h>

/* The network devices of a CPU that wait to be polled: net/core/dev.c polls
 * them in the order in which they asked for it.
 */
struct waiting {
	struct array polls; /* struct claim *, from first on */
	size_t first;
	bool is_raised; /* there will be another round */
};

/* From the interrupt that asks for a device to be polled to that poll. */
struct polls {
	struct claims *claims;
	struct array cpus; /* struct waiting, by CPU */
};

static void clear(struct polls *polls, struct waiting *waiting)
{
	struct claim **items = waiting->polls.items;

	for (size_t i = waiting->first; i < waiting->polls.count; i++)
		claim_drop(polls->claims, items[i]);
	waiting->first = 0;
	waiting->polls.count = 0;
}

static void *open_polls(struct claims *claims)
{
	struct polls *polls = calloc(1, sizeof(*polls));

	if (!polls)
		return NULL;
	polls->claims = claims;
	polls->cpus = ARRAY_OF(struct waiting);
	return polls;
}

static void close_polls(void *state)
{
	struct polls *polls = state;
	struct waiting *cpus = polls->cpus.items;

	for (size_t i = 0; i < polls->cpus.count; i++) {
		clear(polls, &cpus[i]);
		array_free(&cpus[i].polls);
	}
	array_free(&polls->cpus);
	free(polls);
}

static struct waiting *waiting_on(struct polls *polls, uint32_t cpu)
{
	while (polls->cpus.count <= cpu) {
		struct waiting *waiting = array_add(&polls->cpus);

		if (!waiting) {
			claims_fail(polls->claims);
			return NULL;
		}
		waiting->polls = ARRAY_OF(struct claim *);
	}
	return array_at(&polls->cpus, cpu);
}

/* Takes the reference to @claim. */
static void push(struct polls *polls, uint32_t cpu, struct claim *claim)
{
	struct waiting *waiting = waiting_on(polls, cpu);
	struct claim **slot = waiting ? array_add(&waiting->polls) : NULL;

	if (slot) {
		*slot = claim;
		return;
	}
	claims_fail(polls->claims);
	claim_drop(polls->claims, claim);
}

static void role(void *state, const struct moment *moment,
		 enum interrupt_role role, bool has_ended)
{
	struct claim *claim;

	if (role != ROLE_SCHEDULES_POLL || has_ended)
		return;
	claim = claim_open(moment->claims);
	if (moment->piece)
		moment->piece->polls = true;
	moment_effect(moment, claim, 1);
	push(state, moment->cpu, claim);
}

static bool is_round(const struct moment *moment)
{
	return moment->piece->role == ROLE_ACTION &&
	       interrupt_role_vector(moment->roles, moment->piece->function) ==
		       NET_RX_SOFTIRQ;
}

static void begin(void *state, const struct moment *moment)
{
	struct waiting *waiting;
	struct claim **claim;
	bool begins_round = is_round(moment);

	if (moment->piece->kind != INTERRUPT_NAPI && !begins_round)
		return;
	waiting = waiting_on(state, moment->cpu);
	if (waiting && begins_round)
		waiting->is_raised = false;
	if (begins_round || !waiting || waiting->first == waiting->polls.count)
		return;
	claim = array_at(&waiting->polls, waiting->first++);
	interrupt_piece_cause(moment->claims, moment->piece, *claim);
	if (waiting->first == waiting->polls.count)
		clear(state, waiting);
}

/* The devices that it knows of and the kernel's list are alike again when no
 * round is to come.
 */
static void end(void *state, const struct moment *moment)
{
	struct waiting *waiting =
		is_round(moment) ? waiting_on(state, moment->cpu) : NULL;

	if (waiting && !waiting->is_raised)
		clear(state, waiting);
}

static void event(void *state, const struct moment *moment)
{
	const struct event_record *record = moment->event;
	struct waiting *waiting;

	if (record->event == EVENT_SOFTIRQ_RAISE &&
	    record->values[SOFTIRQ_VECTOR] == NET_RX_SOFTIRQ) {
		waiting = waiting_on(state, moment->cpu);
		if (waiting)
			waiting->is_raised = true;
	}
	/* It is not done, and waits again. */
	if (record->event == EVENT_NAPI_POLL && record->values[NAPI_BUDGET] &&
	    record->values[NAPI_WORK] >= record->values[NAPI_BUDGET])
		push(state, moment->cpu, claim_open(moment->claims));
}

const struct object_tracker track_polls = {
	.open = open_polls,
	.close = close_polls,
	.event = event,
	.begin = begin,
	.end = end,
	.role = role,
};
