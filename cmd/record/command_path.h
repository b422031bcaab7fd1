/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_COMMAND_PATH_H
#define KT_CMD_COMMAND_PATH_H

/* Checks whether @command is an executable file: by its path or, without a
 * slash, in PATH or the system's standard path (which has root's folders).
 *
 * Returns 0, or -1 with errno, such as ENOENT or EACCES.
 */
int command_path_check(const char *command);

#endif
