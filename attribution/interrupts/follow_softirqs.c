/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/claim_map.h"
#include "attribution/interrupts/follow.h"
#include "common/number_map.h"

#include <stdlib.h>

/* enum in include/linux/interrupt.h; it is part of the kernel's interface. */
enum { NET_RX_SOFTIRQ = 3 };

/* From the interrupt that raises a soft interrupt to what that then does. */
struct softirqs {
	struct claim_map *raised;	/* by CPU and vector */
	struct number_map *running;	/* by CPU: its vector */
};

static void close_softirqs(void *state)
{
	struct softirqs *softirqs = state;

	claim_map_free(softirqs->raised);
	if (softirqs->running)
		number_map_free(softirqs->running);
	free(softirqs);
}

static void *open_softirqs(struct claims *claims)
{
	struct softirqs *softirqs = calloc(1, sizeof(*softirqs));

	if (!softirqs)
		return NULL;
	softirqs->raised = claim_map_new(claims);
	softirqs->running = number_map_new();
	if (softirqs->raised && softirqs->running)
		return softirqs;
	close_softirqs(softirqs);
	return NULL;
}

static uint64_t key_of(uint32_t cpu, uint64_t vector)
{
	return (uint64_t)cpu << 8 | vector;
}

static void raise(struct softirqs *softirqs, const struct moment *moment,
		  uint64_t vector)
{
	uint64_t key = key_of(moment->cpu, vector);
	struct claim *claim = claim_map_find(softirqs->raised, key);

	if (!moment->piece || !interrupt_piece_is_open(moment->piece))
		return;
	/* The poll that it asked for says more. */
	if (vector == NET_RX_SOFTIRQ && moment->piece->polls)
		return;
	if (!claim) {
		claim = claim_open(moment->claims);
		claim_map_set(softirqs->raised, key, claim);
		moment_effect(moment, claim, 1);
		claim_drop(moment->claims, claim);
		return;
	}
	moment_effect(moment, claim, 1);
}

static void event(void *state, const struct moment *moment)
{
	struct softirqs *softirqs = state;
	uint64_t vector = (uint64_t)moment->event->values[SOFTIRQ_VECTOR];
	uint64_t *running;

	if (moment->event->event == EVENT_SOFTIRQ_RAISE)
		raise(softirqs, moment, vector);
	if (moment->event->event != EVENT_SOFTIRQ_ENTRY)
		return;
	running = number_map_add(softirqs->running, moment->cpu);
	if (running)
		*running = vector;
	else
		claims_fail(moment->claims);
}

static void begin(void *state, const struct moment *moment)
{
	struct softirqs *softirqs = state;
	const uint64_t *vector;
	struct claim *claim;

	if (moment->piece->role != ROLE_ACTION)
		return;
	vector = number_map_find(softirqs->running, moment->cpu);
	claim = vector ? claim_map_take(softirqs->raised,
					key_of(moment->cpu, *vector)) :
			 NULL;
	if (claim)
		interrupt_piece_cause(moment->claims, moment->piece, claim);
}

const struct follower follow_softirqs = {
	.open = open_softirqs,
	.close = close_softirqs,
	.event = event,
	.begin = begin,
};
