/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_COMMAND_PATH_H
#define KT_CMD_COMMAND_PATH_H

/* Checks whether execvp(3) would find @command and could execute it.
 *
 * Returns 0, or -1 with errno: ENOENT, EACCES.
 */
int command_path_check(const char *command);

#endif
