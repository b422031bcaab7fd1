/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_roles.h"
#include "attribution/interrupts/object_tracker.h"

/* Writeback, from the processes that make pages dirty to the kworker that
 * writes them.
 *
 * The work item of a device is queued by the process that makes its first page
 * dirty, by sync(2), or by the item itself: none of these shows whose pages the
 * item writes. The tracker counts the pages that each process has made dirty
 * and that have not been written since. The trace has neither the page nor its
 * file, so a page that the kernel writes is subtracted from all processes in
 * proportion, and one that a process writes or drops from its own: the shares
 * are inferred.
 *
 * Invariant: every share belongs to a known process or nobody, so that memory
 * grows with processes only.
 */
struct writeback {
	struct owners *owners;
	struct array dirty; /* struct owner_share: weight in pages */
};

static void open_writeback(void *state, struct owners *owners)
{
	*(struct writeback *)state =
		(struct writeback){ owners, ARRAY_OF(struct owner_share) };
}

static void close_writeback(void *state)
{
	struct writeback *writeback = state;

	owner_shares_free(writeback->owners, &writeback->dirty);
}

/* Returns the process that runs, or nobody within interrupt work. */
static struct owner *process_of(const struct event_context *context)
{
	return event_context_is_task(context) ? event_context_owner(context) :
						owner_nobody(context->owners);
}

static struct owner_share *find(const struct writeback *writeback,
				const struct owner *owner)
{
	struct owner_share *shares = writeback->dirty.items;

	for (size_t i = 0; i < writeback->dirty.count; i++)
		if (shares[i].owner == owner)
			return &shares[i];
	return NULL;
}

/* Subtracts one page from all processes in proportion to their counts. */
static void clean_any(struct writeback *writeback)
{
	struct owner_share *shares = writeback->dirty.items;
	double pages = 0;

	for (size_t i = 0; i < writeback->dirty.count; i++)
		pages += shares[i].weight;
	if (pages <= 1) {
		owner_shares_free(writeback->owners, &writeback->dirty);
		writeback->dirty = ARRAY_OF(struct owner_share);
		return;
	}
	for (size_t i = 0; i < writeback->dirty.count; i++)
		shares[i].weight *= (pages - 1) / pages;
}

/* Subtracts one page, or the rest of one, from @own. */
static void clean_own(struct writeback *writeback, struct owner_share *own)
{
	const struct owner_share *last =
		array_at(&writeback->dirty, writeback->dirty.count - 1);

	own->weight--;
	if (own->weight > 0)
		return;
	owner_drop(writeback->owners, own->owner);
	*own = *last;
	writeback->dirty.count--;
}

static void clean(struct writeback *writeback,
		  const struct event_context *context)
{
	struct owner_share *own = find(writeback, process_of(context));

	if (event_context_is_task(context) && own)
		clean_own(writeback, own);
	else
		clean_any(writeback);
}

static void role(void *state, const struct event_context *context,
		 enum interrupt_role role, bool has_ended)
{
	struct writeback *writeback = state;

	if (has_ended)
		return;
	if (role == ROLE_DIRTIES)
		owner_shares_add(context->owners, &writeback->dirty,
				 process_of(context), 1, CERTAIN_INFERRED);
	else if (role == ROLE_CLEANS)
		clean(writeback, context);
}

/* If no dirty page is known, the work is nobody's. */
static void event(void *state, const struct event_context *context)
{
	const struct writeback *writeback = state;
	struct interrupt_slice *slice = context->slice;
	struct owner *writers;

	if (context->event->event != EVENT_WORK_BEGIN || !slice ||
	    slice->kind != INTERRUPT_WORK ||
	    interrupt_role_service(context->roles, slice->function) !=
		    SERVES_WRITERS)
		return;
	writers = owner_open(context->owners);
	owner_resolve(context->owners, writers, &writeback->dirty,
		      CERTAIN_INFERRED);
	interrupt_slice_own(slice, writers, CERTAIN_INFERRED);
	owner_drop(context->owners, writers);
}

const struct object_tracker track_writeback = {
	.state_bytes = sizeof(struct writeback),
	.open = open_writeback,
	.close = close_writeback,
	.event = event,
	.role = role,
};
