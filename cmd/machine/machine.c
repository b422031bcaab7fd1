/* SPDX-License-Identifier: MIT */
#include "cmd/machine/machine.h"
#include "cmd/command.h"
#include "cmd/machine/machine_script.h"

static int run_machine(int argc, char **argv)
{
	(void)argc;
	return machine_script_run(argv);
}

const struct command machine_command = {
	.name = "machine",
	.summary = "run a command in a virtual machine with a trace unit",
	.run = run_machine,
};
