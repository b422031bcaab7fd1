/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/profile_command.h"

static bool take_folded(void *ctx, int index, const char *argument)
{
	const char **format = ctx;

	(void)index;
	(void)argument;
	*format = "folded";
	return true;
}

static int run_flamegraph(int argc, char **argv)
{
	static const struct own_option own[] = {
		{ "folded", NULL, "lines \"a;b;c ns\" for other tools" },
	};
	const char *report = "flamegraph";
	const char *format = "svg";
	const struct option_set set = {
		.command = "flamegraph",
		.purpose = "Draws where kernel time went, as an SVG file that "
			   "zooms and searches.\n--format: svg (default), "
			   "folded.",
		.own = own,
		.own_count = sizeof(own) / sizeof(*own),
		.take = take_folded,
		.ctx = &format,
	};

	return run_profile_command(&set, &report, &format, argc, argv);
}

const struct command flamegraph_command = {
	.name = "flamegraph",
	.summary = "draw where kernel time went (SVG, --folded)",
	.run = run_flamegraph,
};
