/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_STORE_COMMANDS_H
#define KT_CMD_STORE_COMMANDS_H

#include "cmd/store/store_options.h"

/* The subcommands of `ktrace-hw store`, each a file. */
extern const struct store_command store_add_command;
extern const struct store_command store_report_command;
extern const struct store_command store_diff_command;
extern const struct store_command store_slow_command;
extern const struct store_command store_requests_command;
extern const struct store_command store_sql_command;
extern const struct store_command store_ddl_command;

struct answer;
struct store_target;

/* Opens the store that the only word of the command line names, asks it by @ask
 * and writes the answer.
 *
 * Returns the program's exit code.
 */
int store_answer(const struct store_options *options,
		 int (*ask)(const struct store_options *options,
			    struct store_target *target,
			    struct answer *answer));

/* Returns EXIT_OK once all that was printed is written, or says why it is not and
 * returns EXIT_FAILED.
 */
int store_flush_output(void);

#endif
