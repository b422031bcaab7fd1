/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_COMMAND_H
#define KT_CMD_COMMAND_H

/* A subcommand. Each one has its own file in cmd/ and an entry in main.c's
 * table.
 */
struct command {
	const char *name;
	const char *summary; /* one line, for the list of commands */
	/* Runs the subcommand and returns the program's exit code. argv[0] is
	 * "ktrace-hw " followed by the subcommand's name.
	 */
	int (*run)(int argc, char **argv);
};

/* Exit codes of all commands. `record` and `machine run` also return that of
 * the command which they run.
 */
enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1, /* after a message on standard error */
	EXIT_USAGE = 2,	 /* wrong options, after a message */
};

extern const struct command record_command;
extern const struct command top_command;
extern const struct command machine_command;
extern const struct command doctor_command;
extern const struct command selftest_command;
extern const struct command report_command;
extern const struct command explain_command;
extern const struct command timeline_command;
extern const struct command annotate_command;
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
