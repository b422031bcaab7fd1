/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/claim_map.h"
#include "attribution/interrupts/object_tracker.h"

/* Work items, from who queues them to the kworker that executes them. */
static void *open_works(struct claims *claims)
{
	return claim_map_new(claims);
}

static void close_works(void *state)
{
	claim_map_free(state);
}

static void execute(struct claim_map *queued, const struct moment *moment)
{
	const struct event_record *event = moment->event;
	struct claim *claim =
		claim_map_take(queued, (uint64_t)event->values[WORK_ADDRESS]);
	struct interrupt_piece *piece = moment->piece;

	if (piece && piece->kind == INTERRUPT_WORK) {
		piece->function =
			moment_function(moment, event->values[WORK_FUNCTION]);
		if (claim)
			interrupt_piece_own(piece, claim, CERTAIN_EXACT);
	}
	claim_drop(moment->claims, claim);
}

static void event(void *state, const struct moment *moment)
{
	const struct event_record *record = moment->event;

	if (record->event == EVENT_WORK_QUEUE)
		claim_map_set(state, (uint64_t)record->values[WORK_ADDRESS],
			      moment_claim(moment));
	else if (record->event == EVENT_WORK_BEGIN)
		execute(state, moment);
}

const struct object_tracker track_works = {
	.open = open_works,
	.close = close_works,
	.event = event,
};
