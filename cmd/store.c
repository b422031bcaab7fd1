/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/store/store_commands.h"
#include "common/closest_word.h"

#include <stdio.h>
#include <string.h>

/* The number of operands that each subcommand requires. */
static const struct {
	const struct store_command *command;
	size_t least_words;
	size_t most_words;
} subcommands[] = {
	{ &store_add_command, 1, SIZE_MAX }, { &store_report_command, 1, 1 },
	{ &store_diff_command, 1, 1 },	     { &store_slow_command, 1, 1 },
	{ &store_requests_command, 1, 1 },   { &store_sql_command, 2, 2 },
	{ &store_ddl_command, 0, 0 },
};

enum { SUBCOMMANDS = sizeof(subcommands) / sizeof(*subcommands) };

static void print_usage(FILE *out)
{
	fputs("usage: ktrace-hw store COMMAND [OPTION]...\n\nKeeps recordings "
	      "of many machines in one database.\n\n",
	      out);
	for (size_t i = 0; i < SUBCOMMANDS; i++)
		fprintf(out, "  %-8s %s\n", subcommands[i].command->name,
			subcommands[i].command->summary);
	fputs("\nktrace-hw store COMMAND --help lists a command's options:\n\n",
	      out);
	own_option_print(out, store_option_list, STORE_OPTIONS);
}

static int run_subcommand(size_t index, int argc, char **argv)
{
	const struct store_command *command = subcommands[index].command;
	struct store_options options;
	char name[64];
	int status;

	snprintf(name, sizeof(name), "%s %s", argv[0], command->name);
	argv[1] = name;
	status = store_options_read(&options, command, argc - 1, argv + 1) - 1;
	if (status < 0 &&
	    (options.words.count < subcommands[index].least_words ||
	     options.words.count > subcommands[index].most_words)) {
		fprintf(stderr, "usage: ktrace-hw store %s %s\n", command->name,
			command->words);
		status = EXIT_USAGE;
	}
	if (status < 0)
		status = command->run(&options);
	store_options_free(&options);
	return status;
}

static int run_store(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	struct closest_word closest = closest_word_to(name);
	char similar[CLOSEST_WORD_TEXT];

	if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
		print_usage(stdout);
		return EXIT_OK;
	}
	for (size_t i = 0; i < SUBCOMMANDS; i++) {
		if (!strcmp(subcommands[i].command->name, name))
			return run_subcommand(i, argc, argv);
		closest_word_offer(&closest, subcommands[i].command->name);
	}
	if (*name)
		say_of("store", "no command '%s'%s", name,
		       closest_word_text(&closest, "", similar));
	print_usage(stderr);
	return EXIT_USAGE;
}

const struct command store_command = {
	.name = "store",
	.summary = "keep a fleet's recordings in one database, and query it",
	.run = run_store,
};
