/* SPDX-License-Identifier: MIT */
#include "attribution/wall/wall_flame.h"

#include "attribution/events/witness_relay.h"
#include "attribution/table.h"
#include "attribution/wall/wall_tree.h"
#include "report/profile/profile_report.h"
#include "report/text/colors.h"
#include "symbolize/symbols.h"

#include <stdlib.h>
#include <string.h>

struct wall_flame {
	struct witness_relay relay;
	const struct attribution_input *input;
	struct wall_tree *tree;
	const char *title;
};

static void close_flame(struct witness *witness)
{
	struct wall_flame *flame = (struct wall_flame *)witness;

	wall_tree_free(flame->tree);
	free(flame);
}

static struct witness *open_flame(const struct attribution_input *input,
				  bool only_off_cpu, const char *title)
{
	struct wall_flame *flame = calloc(1, sizeof(*flame));

	if (!flame)
		return NULL;
	flame->input = input;
	flame->title = title;
	flame->tree = wall_tree_new(input, only_off_cpu);
	if (!flame->tree) {
		close_flame(&flame->relay.witness);
		return NULL;
	}
	flame->relay = witness_relay_to(wall_tree_witness(flame->tree));
	return &flame->relay.witness;
}

static struct witness *open_wall(const struct attribution_input *input)
{
	return open_flame(input, false, "Wall time of all threads");
}

static struct witness *open_off_cpu(const struct attribution_input *input)
{
	return open_flame(input, true, "Time off CPUs of all threads");
}

static int render(struct witness *witness,
		  const struct attribution_output *output)
{
	struct wall_flame *flame = (struct wall_flame *)witness;
	const struct attribution_input *input = flame->input;
	const struct profile_renderer *renderer =
		profile_renderer_find("flamegraph", input->argument);
	const struct profile_report report = {
		.colors = &colors_none,
		.recording = input->recording,
		.functions = symbols_functions(input->symbols),
		.names = input->names,
		.stacks = output->stacks,
		.tree = wall_tree_calls(flame->tree),
		.filter = input->filter,
		.by_process = true,
		.title = output->title ? output->title : flame->title,
		.has_states = true,
		.top = output->top,
	};
	int status = wall_tree_end(flame->tree);

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
	.check = check,
	.open = open_wall,
	.render = render,
	.close = close_flame,
};

const struct attribution_table off_cpu_flame = {
	.name = "off-cpu",
	.argument = "FORMAT",
	.help = "where threads slept or waited for a CPU",
	.check = check,
	.open = open_off_cpu,
	.render = render,
	.close = close_flame,
};
