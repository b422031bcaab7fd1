/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/machine/machine.h"
#include "cmd/record/command_path.h"
#include "cmd/record/record_folder.h"
#include "cmd/record/record_options.h"
#include "cmd/record/record_plan.h"
#include "cmd/record/record_summary.h"
#include "collector/collector.h"
#include "common/error.h"
#include "common/files/output_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* `ktrace-hw record`: parses the options and chooses the source
 * (cmd/record/record_options.h), makes the folder (record_folder.h), runs the
 * collector, or the same command in the virtual machine (cmd/machine/), and
 * prints a summary.
 */

/* Exit codes in addition to the command's own, like those of env(1) and
 * timeout(1).
 */
enum {
	EXIT_RECORDING = 125,
	EXIT_CANNOT_EXECUTE = 126,
	EXIT_NO_COMMAND = 127,
	EXIT_SIGNAL = 128,
};

static int report_failed_exec(const char *command, int cause)
{
	say_of("record", "%s: %s", command, strerror(cause));
	return cause == ENOENT ? EXIT_NO_COMMAND : EXIT_CANNOT_EXECUTE;
}

static int status_code(int status)
{
	return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

static int exit_code(const struct record_options *options,
		     const struct collector_result *result)
{
	bool command = options->collector.command != NULL;

	switch (result->end) {
	case COLLECTOR_FAILED:
		return EXIT_RECORDING;
	case COLLECTOR_NOT_BEGUN:
		return EXIT_SIGNAL + result->signal;
	case COLLECTOR_NOT_EXECUTED:
		return report_failed_exec(options->collector.command[0],
					  result->exec_errno);
	case COLLECTOR_COMMAND_ENDED:
	case COLLECTOR_INTERRUPTED:
	case COLLECTOR_TIME_OVER:
	case COLLECTOR_SIZE_REACHED:
	case COLLECTOR_HITS_REACHED:
		return command ? status_code(result->command_status) : 0;
	case COLLECTOR_TARGET_GONE:
		return 0;
	}
	return EXIT_RECORDING;
}

static void announce(struct record_options *options)
{
	char text[RECORD_PLAN_SIZE];

	record_plan_choose(options);
	record_plan_describe(options, text);
	note_of("record", "%s", text);
}

static int record(struct record_options *options,
		  const struct output_folder *folder)
{
	struct collector_result result;

	announce(options);
	options->collector.folder = folder;
	collector_run(&options->collector, &console_log, &result);
	/* A recording without a trace would only hide the previous one. */
	if (!result.length_ns || result.end == COLLECTOR_NOT_EXECUTED) {
		record_folder_remove(folder);
	} else if (record_folder_check(folder)) {
		return EXIT_RECORDING;
	} else {
		record_summary(options->folder, &result,
			       options->collector.buffer_bytes);
	}
	return exit_code(options, &result);
}

/* If the machine failed before it recorded anything, removes the empty folder.
 */
static int record_in_machine(const struct record_options *options,
			     const struct output_folder *folder)
{
	int code = machine_record(options, folder);

	if (output_folder_is_empty(folder))
		output_folder_remove_empty(folder);
	else if (record_folder_check(folder))
		code = EXIT_RECORDING;
	return code;
}

/* The folder is locked until the recording is complete. */
static int record_to_folder(struct record_options *options)
{
	struct output_folder folder;
	int code;

	if (record_folder_make(&folder, options->folder))
		return EXIT_RECORDING;
	code = options->machine ? record_in_machine(options, &folder) :
				  record(options, &folder);
	output_folder_close(&folder);
	return code;
}

/* Checks the command first, so that a mistyped one does not move the previous
 * recording away. A machine of another architecture, or with options of its
 * own, has other files and is not checked.
 */
static int check_command(const struct record_options *options)
{
	bool is_elsewhere = options->machine_options ||
			    (options->arch && !strcmp(options->arch, "arm64"));

	return options->collector.command && !is_elsewhere ?
		       command_path_check(options->collector.command[0]) :
		       0;
}

static int choose_source(struct record_options *options)
{
	options->machine_may_be = options->collector.command &&
				  machine_is_installed();
	return record_source_choose(options);
}

static int run_record(int argc, char **argv)
{
	/* Not on the stack: with --user-stacks, each system call of the recorder
	 * is recorded with a copy of its stack, and writing these copies takes
	 * further calls.
	 */
	struct record_options *options = malloc(sizeof(*options));
	int code;

	if (!options) {
		say("%s", error_text(-ERROR_MEMORY));
		return EXIT_RECORDING;
	}
	code = record_options_parse(options, argc, argv);
	if (!code && options->help)
		record_options_help();
	else if (!code && choose_source(options))
		code = EXIT_RECORDING;
	else if (!code && check_command(options))
		code = report_failed_exec(options->collector.command[0], errno);
	else if (!code)
		code = record_to_folder(options);
	record_options_free(options);
	free(options);
	return code;
}

const struct command record_command = {
	.name = "record",
	.summary = "record what the kernel executes",
	.run = run_record,
};
