/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/claim_map.h"
#include "attribution/interrupts/object_tracker.h"
#include "common/number_map.h"

#include <stdlib.h>

/* Timers of both kinds, from who arms them to their function. */
struct timers {
	struct claims *claims;
	struct claim_map *armed; /* by address */
	/* By CPU: the timer that was taken off last.  The kernel takes one
	 * off, which looks like cancelling it, before it calls its function,
	 * and puts it back after if that says so.
	 */
	struct number_map *last; /* its address */
	struct claim_map *last_claims;
};

static void close_timers(void *state)
{
	struct timers *timers = state;

	claim_map_free(timers->armed);
	claim_map_free(timers->last_claims);
	if (timers->last)
		number_map_free(timers->last);
	free(timers);
}

static void *open_timers(struct claims *claims)
{
	struct timers *timers = calloc(1, sizeof(*timers));

	if (!timers)
		return NULL;
	timers->claims = claims;
	timers->armed = claim_map_new(claims);
	timers->last = number_map_new();
	timers->last_claims = claim_map_new(claims);
	if (timers->armed && timers->last && timers->last_claims)
		return timers;
	close_timers(timers);
	return NULL;
}

static uint64_t address_of(const struct moment *moment)
{
	return (uint64_t)moment->event->values[TIMER_ADDRESS];
}

/* Whether the kernel's own code that runs timers runs, not a function of one
 * or a task.
 */
static bool is_running_timers(const struct moment *moment)
{
	return moment->piece && (moment->piece->role == ROLE_HARD ||
				 moment->piece->role == ROLE_ACTION);
}

/* Returns the claim of the timer, if it is the one taken off last. */
static struct claim *taken_off(const struct timers *timers,
			       const struct moment *moment)
{
	const uint64_t *last = number_map_find(timers->last, moment->cpu);

	return last && *last == address_of(moment) ?
		       claim_map_find(timers->last_claims, moment->cpu) :
		       NULL;
}

static void take_off(struct timers *timers, const struct moment *moment)
{
	struct claim *claim = claim_map_take(timers->armed, address_of(moment));
	uint64_t *last = number_map_add(timers->last, moment->cpu);

	if (!last) {
		claims_fail(timers->claims);
	} else if (is_running_timers(moment)) {
		*last = claim ? address_of(moment) : 0;
		if (claim)
			claim_map_set(timers->last_claims, moment->cpu, claim);
	}
	claim_drop(timers->claims, claim);
}

static void arm(struct timers *timers, const struct moment *moment)
{
	struct claim *claim = NULL;
	uint32_t function =
		moment_function(moment, moment->event->values[TIMER_FUNCTION]);

	if (interrupt_role_is_system(moment->roles, function))
		claim = claim_system(moment->claims);
	else if (is_running_timers(moment))
		claim = taken_off(timers, moment);
	claim_map_set(timers->armed, address_of(moment),
		      claim ? claim : moment_claim(moment));
}

static void expire(struct timers *timers, const struct moment *moment,
		   enum interrupt_kind kind)
{
	uint32_t function =
		moment_function(moment, moment->event->values[TIMER_FUNCTION]);

	/* High-resolution timers are not seen to be taken off before. */
	if (claim_map_find(timers->armed, address_of(moment)))
		take_off(timers, moment);
	if (moment->piece)
		interrupt_piece_expect(moment->claims, moment->piece, function,
				       kind, taken_off(timers, moment));
}

static void event(void *state, const struct moment *moment)
{
	const struct event_record *record = moment->event;

	if (record->event == EVENT_TIMER_START ||
	    record->event == EVENT_HRTIMER_START)
		arm(state, moment);
	if (record->event == EVENT_TIMER_CANCEL ||
	    record->event == EVENT_HRTIMER_CANCEL)
		take_off(state, moment);
	if (record->event == EVENT_TIMER_EXPIRE)
		expire(state, moment, INTERRUPT_TIMER);
	if (record->event == EVENT_HRTIMER_EXPIRE)
		expire(state, moment, INTERRUPT_HRTIMER);
	if (record->event == EVENT_TASKLET_ENTRY && moment->piece)
		interrupt_piece_expect(
			moment->claims, moment->piece,
			moment_function(moment,
					record->values[TASKLET_FUNCTION]),
			INTERRUPT_TASKLET, NULL);
}

const struct object_tracker track_timers = {
	.open = open_timers,
	.close = close_timers,
	.event = event,
};
