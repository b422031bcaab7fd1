/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/claim_map.h"
#include "attribution/interrupts/interrupt_roles.h"
#include "attribution/interrupts/object_tracker.h"

/* From the interrupt that raises a soft interrupt to what that then does: a map
 * by CPU and vector.
 */
static void close_softirqs(void *state)
{
	claim_map_free(state);
}

static void *open_softirqs(struct claims *claims)
{
	return claim_map_new(claims);
}

static uint64_t key_of(uint32_t cpu, uint64_t vector)
{
	return (uint64_t)cpu << 8 | vector;
}

static void event(void *state, const struct moment *moment)
{
	uint64_t vector = (uint64_t)moment->event->values[SOFTIRQ_VECTOR];
	uint64_t key = key_of(moment->cpu, vector);
	struct claim *claim;

	if (moment->event->event != EVENT_SOFTIRQ_RAISE || !moment->piece ||
	    !interrupt_piece_is_open(moment->piece))
		return;
	/* The poll that it asked for says more. */
	if (vector == NET_RX_SOFTIRQ && moment->piece->polls)
		return;
	claim = claim_map_find(state, key);
	if (claim) {
		moment_effect(moment, claim, 1);
		return;
	}
	claim = claim_open(moment->claims);
	claim_map_set(state, key, claim);
	moment_effect(moment, claim, 1);
	claim_drop(moment->claims, claim);
}

static void begin(void *state, const struct moment *moment)
{
	struct claim *claim;

	if (moment->piece->role != ROLE_ACTION)
		return;
	claim = claim_map_take(
		state, key_of(moment->cpu,
			      interrupt_role_vector(moment->roles,
						    moment->piece->function)));
	if (claim)
		interrupt_piece_cause(moment->claims, moment->piece, claim);
}

const struct object_tracker track_softirqs = {
	.open = open_softirqs,
	.close = close_softirqs,
	.event = event,
	.begin = begin,
};
