/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/machine/machine.h"
#include "cmd/pipeline/console_log.h"
#include "cmd/top/top_loop.h"
#include "cmd/top/top_options.h"
#include "collector/collector.h"

static int run_top(int argc, char **argv)
{
	struct top_options options;
	int code = top_options_parse(&options, argc, argv);

	if (!code && options.help)
		top_options_help();
	else if (!code && options.machine)
		code = machine_top(&options);
	else if (!code && collector_check(&console_log))
		code = EXIT_FAILED;
	else if (!code)
		code = top_loop(&options);
	top_options_free(&options);
	return code;
}

const struct command top_command = {
	.name = "top",
	.summary = "show live where processes sleep, their system calls",
	.run = run_top,
};
