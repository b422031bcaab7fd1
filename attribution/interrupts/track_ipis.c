/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/claim_map.h"
#include "attribution/interrupts/object_tracker.h"

#include <stdlib.h>

/* Interrupts that CPUs send each other, to those for whom the last of the
 * kind was sent.  Where a wake-up sends one, it is for whom is woken.
 */
struct ipis {
	struct claim_map *sent;	  /* by role of the IPI */
	struct claim_map *waking; /* by CPU, within a wake-up */
};

static void close_ipis(void *state)
{
	struct ipis *ipis = state;

	claim_map_free(ipis->sent);
	claim_map_free(ipis->waking);
	free(ipis);
}

static void *open_ipis(struct claims *claims)
{
	struct ipis *ipis = calloc(1, sizeof(*ipis));

	if (!ipis)
		return NULL;
	ipis->sent = claim_map_new(claims);
	ipis->waking = claim_map_new(claims);
	if (ipis->sent && ipis->waking)
		return ipis;
	close_ipis(ipis);
	return NULL;
}

static void event(void *state, const struct moment *moment)
{
	const struct event_record *event = moment->event;
	struct ipis *ipis = state;

	if (event->event == EVENT_SCHED_WAKING)
		claim_map_set(
			ipis->waking, moment->cpu,
			moment_process(moment,
				       (int32_t)event->values[WAKING_TID]));
}

static void send(struct ipis *ipis, const struct moment *moment,
		 enum interrupt_role ipi)
{
	struct claim *woken = claim_map_find(ipis->waking, moment->cpu);

	claim_map_set(ipis->sent, ipi, woken ? woken : moment_claim(moment));
}

static void role(void *state, const struct moment *moment,
		 enum interrupt_role role, bool has_ended)
{
	struct ipis *ipis = state;

	if (role == ROLE_WAKES && has_ended)
		claim_map_remove(ipis->waking, moment->cpu);
	else if (role == ROLE_SENDS_RESCHEDULE)
		send(ipis, moment, ROLE_IPI_RESCHEDULE);
	else if (role == ROLE_SENDS_CALL)
		send(ipis, moment, ROLE_IPI_CALL);
}

static void begin(void *state, const struct moment *moment)
{
	struct ipis *ipis = state;
	struct claim *claim = claim_map_find(ipis->sent, moment->piece->role);

	if (moment->piece->kind == INTERRUPT_IPI && claim)
		interrupt_piece_own(moment->piece, claim, CERTAIN_INFERRED);
}

const struct object_tracker track_ipis = {
	.open = open_ipis,
	.close = close_ipis,
	.event = event,
	.begin = begin,
	.role = role,
};
