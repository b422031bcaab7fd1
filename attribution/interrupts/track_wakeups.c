/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/claim_map.h"
#include "attribution/interrupts/object_tracker.h"
#include "report/text/task_names.h"

#include <string.h>

/* Whom interrupt work wakes, for want of better; and the threads of threaded
 * handlers, from the interrupt that wakes them.
 */
static void *open_wakeups(struct claims *claims)
{
	return claim_map_new(claims);
}

static void close_wakeups(void *state)
{
	claim_map_free(state);
}

static void wake(struct claim_map *threads, const struct moment *moment,
		 int32_t tid)
{
	static const char handler[] = "irq/";
	const char *comm = task_names_comm(moment->names, tid, moment->time_ns);
	struct interrupt_piece *piece = moment->piece;
	struct claim *woken = moment_woken(moment, tid);

	if (piece && !strncmp(comm, handler, sizeof(handler) - 1))
		claim_map_set(threads, (uint32_t)tid, moment_claim(moment));
	else if (piece && interrupt_piece_is_open(piece) && woken)
		stakes_add(moment->claims, &piece->woken, woken, 1,
			   CERTAIN_INFERRED);
}

static void event(void *state, const struct moment *moment)
{
	if (moment->event->event == EVENT_SCHED_WAKING)
		wake(state, moment, (int32_t)moment->event->values[WAKING_TID]);
}

static void begin(void *state, const struct moment *moment)
{
	struct claim *claim;

	if (moment->piece->kind != INTERRUPT_THREAD)
		return;
	claim = claim_map_take(state, (uint32_t)moment->tid);
	if (claim)
		interrupt_piece_own(moment->piece, claim, CERTAIN_EXACT);
	claim_drop(moment->claims, claim);
}

const struct object_tracker track_wakeups = {
	.open = open_wakeups,
	.close = close_wakeups,
	.event = event,
	.begin = begin,
};
