/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_STORE_COMMANDS_H
#define KT_CMD_STORE_COMMANDS_H

#include "cmd/store/store_options.h"

/* The subcommands of `ktrace-hw store`, each in its own file. */
extern const struct store_command store_add_command;
extern const struct store_command store_report_command;
extern const struct store_command store_diff_command;
extern const struct store_command store_slow_command;
extern const struct store_command store_requests_command;
extern const struct store_command store_sql_command;
extern const struct store_command store_ddl_command;

struct answer;
struct store_target;

/* Opens the store named by the only operand, queries it with @ask and writes
 * the answer.
 *
 * Returns the program's exit code.
 */
int store_answer(const struct store_options *options,
		 int (*ask)(const struct store_options *options,
			    struct store_target *target,
			    struct answer *answer));

/* Flushes standard output. Returns EXIT_OK, or EXIT_FAILED after a message. */
int store_flush_output(void);

#endif
