/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_disk.h"

#include "attribution/events/block_range.h"
#include "attribution/events/known_events.h"
#include "attribution/requests/hold.h"
#include "attribution/requests/requests_context.h"
#include "attribution/requests/requests_state.h"
#include "common/error.h"

struct asked {
	struct block_range range;
	struct hold *by;
};

/* The request that an interrupt completed last. */
struct done {
	uint64_t interrupt; /* 0: none */
	struct hold *by;
};

/* Older ones were completed without an event. */
enum { MOST_ASKED = 256 };

void requests_disk_open(struct requests *requests)
{
	requests->asked = ARRAY_OF(struct asked);
	requests->done = ARRAY_OF(struct done);
}

void requests_disk_free(struct requests *requests)
{
	const struct asked *asked = requests->asked.items;
	const struct done *done = requests->done.items;

	for (size_t i = 0; i < requests->asked.count; i++)
		hold_drop(asked[i].by);
	for (size_t i = 0; i < requests->done.count; i++)
		hold_drop(done[i].by);
	array_free(&requests->asked);
	array_free(&requests->done);
}

static void forget(struct requests *requests, size_t index)
{
	const struct asked *asked = array_at(&requests->asked, index);

	hold_drop(asked->by);
	array_remove(&requests->asked, index, 1);
}

void requests_disk_asked(struct requests *requests, struct hold *hold,
			 const struct event_record *event)
{
	const struct asked asked = { block_range_of(event), hold };

	if (array_append(&requests->asked, &asked) < 0) {
		requests->status = -ERROR_MEMORY;
		return;
	}
	hold_refer(hold);
	if (requests->asked.count > MOST_ASKED)
		forget(requests, 0);
}

/* Removes all requests that @range completes. Returns their segment with a
 * reference, which the caller owns; NULL: there were none, or they were several
 * threads'.
 */
static struct hold *finish(struct requests *requests,
			   const struct block_range *range, bool is_exact)
{
	struct hold *by = NULL;
	bool is_several = false;

	for (size_t i = requests->asked.count; i-- > 0;) {
		const struct asked *asked = array_at(&requests->asked, i);

		if (!block_range_is_done(&asked->range, range, is_exact))
			continue;
		is_several |= by && by->task != asked->by->task;
		hold_drop(by);
		by = hold_refer(asked->by);
		forget(requests, i);
	}
	if (!is_several)
		return by;
	hold_drop(by);
	return NULL;
}

void requests_disk_done(struct requests *requests,
			const struct event_record *event)
{
	struct block_range range = block_range_of(event);
	struct done *done = array_reach(&requests->done, (size_t)event->cpu);

	if (!done) {
		requests->status = -ERROR_MEMORY;
		return;
	}
	hold_drop(done->by);
	done->interrupt = requests_interrupt_at(requests, event);
	done->by = finish(requests, &range, true);
	if (!done->by)
		done->by = finish(requests, &range, false);
}

struct hold *requests_disk_asker(const struct requests *requests,
				 const struct event_record *event)
{
	uint64_t interrupt = requests_interrupt_at(requests, event);
	const struct done *done =
		(size_t)event->cpu < requests->done.count ?
			array_at(&requests->done, (size_t)event->cpu) :
			NULL;

	return interrupt && done && done->interrupt == interrupt ? done->by :
								   NULL;
}
