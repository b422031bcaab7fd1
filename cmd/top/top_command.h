/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_COMMAND_H
#define KT_CMD_TOP_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

/* Starts the command @argv, which ends with NULL. Its standard input is empty;
 * its output goes to standard error, or is discarded if @is_quiet.
 *
 * Returns its process ID, or -1 after a message on standard error.
 */
pid_t top_command_start(char *const *argv, bool is_quiet);

/* Returns whether process @pid has ended. */
bool top_command_has_ended(pid_t pid);

/* Sends @pid a signal to end it. */
void top_command_stop(pid_t pid);

#endif
