/* SPDX-License-Identifier: MIT */
#include "cmd/report/step_pass.h"

#include "attribution/events/event_handler.h"
#include "attribution/trackers.h"
#include "cmd/report/attribution_command.h"
#include "cmd/report/table_pass.h"

bool step_pass_is_enough(const struct table_run *runs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!runs[i].request->table->is_done)
			return false;
	return true;
}

static void take(struct step_callback *callback, const struct call_step *step)
{
	const struct step_pass *pass = (const struct step_pass *)callback;

	for (size_t i = 0; i < pass->handler_count; i++)
		pass->handlers[i]->step(pass->handlers[i], step);
}

static bool is_done(const struct step_callback *callback, uint64_t time_ns)
{
	const struct step_pass *pass = (const struct step_pass *)callback;

	for (size_t i = 0; i < pass->count; i++) {
		const struct table_run *run = &pass->runs[i];

		if (!run->request->table->is_done(run->handler, time_ns))
			return false;
	}
	return true;
}

struct step_pass step_pass_of(const struct trackers *trackers,
			      const struct table_run *runs, size_t count)
{
	struct step_pass pass = {
		.callback = { .take = take,
			      .is_done = is_done,
			      .ignores_bounds = true },
		.runs = runs,
		.count = count,
	};

	pass.handlers = trackers_handlers(trackers, &pass.handler_count);
	return pass;
}
