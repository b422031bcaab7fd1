/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "common/closest_word.h"
#include "common/files/file_signals.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct command *const commands[] = {
	&record_command,     &top_command,	  &explain_command,
	&report_command,     &view_command,	  &timeline_command,
	&flamegraph_command, &export_command,	  &sql_command,
	&store_command,	     &diff_command,	  &dump_command,
	&verify_command,     &doctor_command,	  &machine_command,
	&archive_command,    &serve_command,	  &annotate_command,
	&selftest_command,   &completion_command,
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(*commands) };

static void print_usage(FILE *out)
{
	fputs("usage: ktrace-hw COMMAND [OPTIONS]\n\n", out);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-12s %s\n", commands[i]->name,
			commands[i]->summary);
	fputs("\nktrace-hw help COMMAND lists a command's options; ktrace-hw "
	      "--version prints\nthe version.\n",
	      out);
}

static bool is_one_of(const char *word, const char *first, const char *second,
		      const char *third)
{
	return !strcmp(word, first) || !strcmp(word, second) ||
	       !strcmp(word, third);
}

/* Returns @code, the command's exit code; or EXIT_FAILED if that is 0 and
 * standard output could not be written.
 */
static int finish(int code)
{
	int written = written_stdout();

	return code ? code : written;
}

/* Runs @command with an @argv[0] that getopt_long() can print as the program's
 * name.
 */
static int run(const struct command *command, int argc, char **argv)
{
	char name[64];

	snprintf(name, sizeof(name), "ktrace-hw %s", command->name);
	argv[0] = name;
	return command->run(argc, argv);
}

static int run_named(const char *name, int argc, char **argv)
{
	struct closest_word closest = closest_word_to(name);
	char similar[CLOSEST_WORD_TEXT];

	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (!strcmp(commands[i]->name, name))
			return finish(run(commands[i], argc, argv));
		closest_word_offer(&closest, commands[i]->name);
	}
	closest_word_offer(&closest, "help");
	closest_word_offer(&closest, "version");
	say("no command '%s'%s; ktrace-hw --help lists them", name,
	    closest_word_text(&closest, "", similar));
	return EXIT_USAGE;
}

/* Runs "COMMAND WORD... --help" for "help COMMAND WORD...". */
static int help_command(int argc, char **argv)
{
	char help[] = "--help";
	const char *name = argv[2];

	for (int i = 2; i + 1 < argc; i++)
		argv[i] = argv[i + 1];
	argv[argc - 1] = help;
	return run_named(name, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	file_signals_handle();
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (argc > 2 && !strcmp(argv[1], "help"))
		return help_command(argc, argv);
	if (is_one_of(argv[1], "--help", "-h", "help")) {
		print_usage(stdout);
		return finish(EXIT_OK);
	}
	if (is_one_of(argv[1], "--version", "-V", "version")) {
		puts("ktrace-hw " KTRACE_VERSION);
		return finish(EXIT_OK);
	}
	return run_named(argv[1], argc - 1, argv + 1);
}
