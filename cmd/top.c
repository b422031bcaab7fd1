/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/machine/machine.h"
#include "cmd/top/top_loop.h"
#include "cmd/top/top_options.h"
#include "collector/collector.h"

static int check_unit(void)
{
	const char *fix;
	const char *refusal = collector_refusal(SOURCE_TRACE_UNIT, &fix);

	if (refusal)
		say_of("top",
		       "%s (%s); to use a virtual machine that has one: "
		       "ktrace-hw top --machine -- COMMAND",
		       refusal, fix);
	return refusal ? -1 : 0;
}

static int run_top(int argc, char **argv)
{
	struct top_options options;
	int code = top_options_parse(&options, argc, argv);

	if (!code && options.help)
		top_options_help();
	else if (!code && options.machine)
		code = machine_top(&options);
	else if (!code && check_unit())
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
