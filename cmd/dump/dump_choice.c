/* SPDX-License-Identifier: MIT */
#include "cmd/dump/dump_stages.h"
#include "cmd/pipeline/session.h"

bool dump_wants(struct dump *dump, uint64_t time_ns)
{
	const struct time_window *window = &dump->session->window;

	if (!dump->left || time_ns < window->since_ns ||
	    time_ns >= window->until_ns)
		return false;
	dump->left--;
	return true;
}

bool dump_is_done(const struct dump *dump, uint64_t time_ns)
{
	return !dump->left || (time_ns >= dump->session->window.until_ns &&
			       !dump->session->decodes_all);
}

bool dump_wants_cpu(const struct dump *dump, int32_t cpu)
{
	return step_filter_cpu(&dump->session->filter, (uint32_t)cpu);
}
