/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_STORE_STORE_COMMANDS_H
#define KT_CMD_STORE_STORE_COMMANDS_H

#include "cmd/store/store_options_internal.h"

/* The subcommands of `ktrace-hw store`: main's store command looks them up by
 * name and passes them the rest of its arguments.
 */
extern const struct store_command store_add_command;
extern const struct store_command store_report_command;
extern const struct store_command store_diff_command;
extern const struct store_command store_slow_command;
extern const struct store_command store_requests_command;
extern const struct store_command store_sql_command;
extern const struct store_command store_ddl_command;

#endif
