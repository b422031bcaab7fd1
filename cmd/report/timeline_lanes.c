/* SPDX-License-Identifier: MIT */
#include "cmd/report/timeline_lanes.h"

#include "attribution/events/known_events.h"
#include "attribution/events/step_join.h"
#include "attribution/trackers.h"
#include "cmd/pipeline/session.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/symbols/symbols.h"
#include "tables/lanes.h"
#include "tables/table.h"

#include <stdlib.h>

/* This callback is never done: an event may report much later what happened to
 * a thread.
 */
struct timeline_lanes {
	struct step_callback callback;
	struct step_callback *next;
	struct known_events *events;
	struct context_kinds *kinds;
	struct attribution_input input;
	struct lanes *lanes;
	struct step_join *join;
};

static void take(struct step_callback *callback, const struct call_step *step)
{
	struct timeline_lanes *lanes = (struct timeline_lanes *)callback;
	struct step_callback *join = step_join_callback(lanes->join);

	lanes->next->take(lanes->next, step);
	join->take(join, step);
}

static bool open_parts(struct timeline_lanes *lanes, uint64_t min_ns,
		       struct lane_callback *callback)
{
	const struct lanes_options options = {
		.input = &lanes->input,
		.min_ns = min_ns,
	};

	if (!lanes->events || !lanes->kinds)
		return false;
	lanes->input.trackers = trackers_new(&lanes->input);
	if (lanes->input.trackers)
		lanes->lanes = lanes_new(&options, callback);
	if (!lanes->lanes)
		return false;
	lanes->join = trackers_join(lanes->input.trackers);
	return lanes->join;
}

struct timeline_lanes *timeline_lanes_new(const struct session *session,
					  uint64_t min_ns,
					  struct lane_callback *callback,
					  struct step_callback *next)
{
	struct timeline_lanes *lanes = calloc(1, sizeof(*lanes));

	if (!lanes)
		return NULL;
	lanes->callback.take = take;
	lanes->callback.needs_begin = true;
	lanes->next = next;
	lanes->events = known_events_new(session->recording);
	lanes->kinds = context_kinds_new(symbols_functions(session->symbols),
					 symbols_arch(session->symbols));
	lanes->input = (struct attribution_input){
		.recording = session->recording,
		.symbols = session->symbols,
		.names = session->names,
		.events = lanes->events,
		.kinds = lanes->kinds,
		.filter = &session->filter,
		.window = session->window,
	};
	if (open_parts(lanes, min_ns, callback))
		return lanes;
	timeline_lanes_free(lanes);
	return NULL;
}

void timeline_lanes_free(struct timeline_lanes *lanes)
{
	if (!lanes)
		return;
	step_join_free(lanes->join);
	lanes_free(lanes->lanes);
	trackers_free(lanes->input.trackers);
	context_kinds_free(lanes->kinds);
	known_events_free(lanes->events);
	free(lanes);
}

struct step_callback *timeline_lanes_callback(struct timeline_lanes *lanes)
{
	return &lanes->callback;
}

int timeline_lanes_end(struct timeline_lanes *lanes)
{
	int status = step_join_end(lanes->join);
	int next = trackers_end(lanes->input.trackers);

	status = status ? status : next;
	next = lanes_end(lanes->lanes);
	return status ? status : next;
}
