/* SPDX-License-Identifier: MIT */
#include "attribution/wall/wall_flame.h"

#include "attribution/events/event_handler.h"
#include "attribution/table.h"
#include "attribution/wall/wall_tree.h"
#include "common/error.h"
#include "report/profile/profile_report.h"
#include "report/text/colors.h"
#include "symbolize/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

struct wall_flame {
	struct event_handler handler;
	const struct attribution_input *input;
	struct wall_tree *tree;
	const char *title;
	struct call_tree *shown;
	uint64_t part_ns[PROFILE_PARTS];
};

static void close_flame(struct event_handler *handler)
{
	struct wall_flame *flame = (struct wall_flame *)handler;

	wall_tree_free(flame->tree);
	call_tree_free(flame->shown);
}

static bool open_flame(struct event_handler *handler,
		       const struct attribution_input *input, bool only_off_cpu,
		       const char *title)
{
	struct wall_flame *flame = (struct wall_flame *)handler;

	flame->input = input;
	flame->title = title;
	flame->tree = wall_tree_new(input, only_off_cpu);
	return flame->tree;
}

static bool open_wall(struct event_handler *handler,
		      const struct attribution_input *input)
{
	return open_flame(handler, input, false, "Wall time of all threads");
}

static bool open_off_cpu(struct event_handler *handler,
			 const struct attribution_input *input)
{
	return open_flame(handler, input, true, "Time off CPUs of all threads");
}

/* Leaves the tracer's functions out where its tasks are. */
static int end_tree(struct wall_flame *flame, const struct profile_scope *scope)
{
	int status = wall_tree_end(flame->tree);

	if (status < 0)
		return status;
	flame->shown = profile_scope_apply(scope, wall_tree_calls(flame->tree),
					   flame->part_ns);
	return flame->shown ? 0 : -ERROR_MEMORY;
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct wall_flame *flame = (struct wall_flame *)handler;
	const struct attribution_input *input = flame->input;
	const struct profile_renderer *renderer =
		profile_renderer_find("flamegraph", input->argument);
	const struct profile_scope scope = {
		.kinds = input->kinds,
		.shows = {
			[PROFILE_WORK] = true,
			[PROFILE_IDLE] = true,
			[PROFILE_TRACER] = !input->filter->left_out_recorder,
		},
	};
	int status = end_tree(flame, &scope);
	const struct profile_report report = {
		.colors = &colors_none,
		.recording = input->recording,
		.functions = symbols_functions(input->symbols),
		.names = input->names,
		.stacks = output->stacks,
		.tree = flame->shown,
		.filter = input->filter,
		.by_process = true,
		.groups = input->groups,
		.title = output->title ? output->title : flame->title,
		.has_states = true,
		.scope = &scope,
		.part_ns = flame->part_ns,
		.top = output->top,
	};

	if (!status)
		render_left_out(&report, stderr);
	return status ? status : renderer->render(&report, output->out);
}

static bool check(const struct attribution_input *input, char *message,
		  size_t size)
{
	if (profile_renderer_find("flamegraph", input->argument))
		return true;
	snprintf(message, size, "there is svg and folded, not '%s'",
		 input->argument);
	return false;
}

const struct attribution_table wall_flame = {
	.name = "wall",
	.argument = "FORMAT",
	.help = "all of the threads' time: on CPUs, runnable, asleep",
	.is_of_tasks = true,
	.has_groups = true,
	.check = check,
	.size = sizeof(struct wall_flame),
	.open = open_wall,
	.render = render,
	.close = close_flame,
};

const struct attribution_table off_cpu_flame = {
	.name = "off-cpu",
	.argument = "FORMAT",
	.help = "where threads slept or waited for a CPU",
	.is_of_tasks = true,
	.has_groups = true,
	.check = check,
	.size = sizeof(struct wall_flame),
	.open = open_off_cpu,
	.render = render,
	.close = close_flame,
};
