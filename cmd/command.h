/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_COMMAND_H
#define KT_CMD_COMMAND_H

/* One subcommand: a file of its own in cmd/, a line in main.c's table. */
struct command {
	const char *name;
	const char *summary; /* one line, for the list of commands */
	/* Runs it; argv[0] is "ktrace-hw " and the subcommand's name.
	 *
	 * Returns the program's exit code.
	 */
	int (*run)(int argc, char **argv);
};

/* Exit codes of the commands that only read. */
enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1, /* said to standard error */
	EXIT_USAGE = 2,	 /* wrong options; said likewise */
};

extern const struct command record_command;
extern const struct command top_command;
extern const struct command machine_command;
extern const struct command doctor_command;
extern const struct command report_command;
extern const struct command timeline_command;
extern const struct command flamegraph_command;
extern const struct command export_command;
extern const struct command diff_command;
extern const struct command sql_command;
extern const struct command store_command;
extern const struct command dump_command;
extern const struct command view_command;
extern const struct command verify_command;
extern const struct command serve_command;
extern const struct command archive_command;
extern const struct command completion_command;

#endif
