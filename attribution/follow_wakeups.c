/* SPDX-License-Identifier: MIT */
#include "attribution/claim_map.h"
#include "attribution/follow.h"
#include "report/task_names.h"

#include <stdbool.h>
#include <string.h>

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Threads that work for others: that they are woken says nothing. */
static bool is_servant(const char *comm)
{
	static const char *const names[] = {
		"kworker/", "ksoftirqd/", "migration/", "rcu_", "rcuc/",
		"rcuog/", "rcuop/", "rcuos/",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (begins(comm, names[i]))
			return true;
	return false;
}

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
	const char *comm = task_names_comm(moment->names, tid,
					   moment->time_ns);
	struct interrupt_piece *piece = moment->piece;

	if (!piece)
		return;
	if (begins(comm, "irq/"))
		claim_map_set(threads, (uint32_t)tid, moment_claim(moment));
	else if (!piece->owner && !is_servant(comm))
		stakes_add(moment->claims, &piece->woken,
			   moment_process(moment, tid), 1, CERTAIN_INFERRED);
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

const struct follower follow_wakeups = {
	.open = open_wakeups,
	.close = close_wakeups,
	.event = event,
	.begin = begin,
};
