/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_COMMAND_H
#define KT_CMD_TOP_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

/* Starts @argv, ended by NULL.  Its input is empty; what it writes goes to
 * standard error, or nowhere if @is_quiet.
 *
 * Returns its process, or -1 with the reason on standard error.
 */
pid_t top_command_start(char *const *argv, bool is_quiet);

/* Returns whether it has ended. */
bool top_command_has_ended(pid_t pid);

/* Asks it to end. */
void top_command_stop(pid_t pid);

#endif
