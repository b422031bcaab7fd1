/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"

#include <stdio.h>
#include <string.h>

static const struct command *const commands[] = {
	&record_command,     &report_command, &timeline_command,
	&flamegraph_command, &export_command, &dump_command,
	&verify_command,     &doctor_command, &machine_command,
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(*commands) };

static void print_usage(FILE *out)
{
	fputs("usage: ktrace-hw COMMAND [OPTIONS]\n\n", out);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-12s %s\n", commands[i]->name,
			commands[i]->summary);
	fputs("\nktrace-hw COMMAND --help lists a command's options.\n", out);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
		print_usage(stdout);
		return EXIT_OK;
	}
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(commands[i]->name, argv[1]) == 0)
			return commands[i]->run(argc - 1, argv + 1);
	fprintf(stderr,
		"ktrace-hw: no command '%s'; ktrace-hw --help lists them\n",
		argv[1]);
	return EXIT_USAGE;
}
