/* SPDX-License-Identifier: MIT */
#include "tables/profile/wall_place.h"

#include "attribution/time/time_span.h"
#include "common/error.h"
#include "report/profile/call_tree.h"
#include "report/text/frame_state.h"

static int book(struct call_tree *calls, uint32_t node, uint64_t time_ns)
{
	if (node == CALL_NODE_NONE)
		return -ERROR_MEMORY;
	call_tree_at(calls, node)->self_ns += time_ns;
	return 0;
}

static int book_state(struct call_tree *calls, const struct wall_place *place,
		      enum frame_state state, uint64_t time_ns)
{
	return book(calls,
		    call_tree_child(calls, place->node,
				    frame_state_function(state), false),
		    time_ns);
}

/* Adds the thread's parts since its last span, all of which are time on a CPU.
 */
static int book_parts(struct call_tree *calls, const struct wall_place *place,
		      uint64_t time_ns)
{
	uint64_t rest_ns = time_ns;

	for (size_t i = 0; i < place->parts.list.count; i++) {
		const struct call_part *part = array_at(&place->parts.list, i);
		/* A CPU's clock may lag behind the clock of the thread's
		 * previous CPU.
		 */
		uint64_t part_ns = part->on_cpu_ns < rest_ns ? part->on_cpu_ns :
							       rest_ns;

		rest_ns -= part_ns;
		if (book(calls, part->node, part_ns) < 0)
			return -ERROR_MEMORY;
	}
	return book(calls, place->node, rest_ns);
}

bool wall_place_is_off(const struct time_span *span)
{
	return span->time_class == TIME_RUNNABLE ||
	       span->time_class == TIME_ASLEEP ||
	       (span->time_class == TIME_UNKNOWN &&
		span->reason >= UNKNOWN_NO_EVENTS);
}

bool wall_place_has_function(const struct call_tree *calls,
			     const struct wall_place *place)
{
	return call_tree_at(calls, place->node)->parent != CALL_NODE_NONE;
}

int wall_place_book(const struct wall_place *place, struct call_tree *calls,
		    const struct time_span *span)
{
	uint64_t time_ns = span->end_ns - span->begin_ns;

	switch ((enum time_class)span->time_class) {
	case TIME_USER:
		/* Traced user code has functions; only untraced user code needs
		 * a frame.
		 */
		if (wall_place_has_function(calls, place) || place->parts_ns)
			return book_parts(calls, place, time_ns);
		return book_state(calls, place, FRAME_USER, time_ns);
	case TIME_SYSTEM_CALL:
	case TIME_FAULT:
	case TIME_KERNEL:
	case TIME_INTERRUPT:
	case TIME_TRACER:
		return book_parts(calls, place, time_ns);
	case TIME_GUEST:
		return book_state(calls, place, FRAME_GUEST, time_ns);
	case TIME_RUNNABLE:
	case TIME_THROTTLED:
		return book_state(calls, place, FRAME_RUNNABLE, time_ns);
	case TIME_ASLEEP:
		return book_state(calls, place, FRAME_ASLEEP, time_ns);
	case TIME_NOT_ASKED:
		return book_state(calls, place, FRAME_NOT_ASKED, time_ns);
	case TIME_UNKNOWN:
		return book_state(calls, place,
				  FRAME_UNKNOWN_GAP + span->reason, time_ns);
	case TIME_CLASSES:
		break;
	}
	return 0;
}
