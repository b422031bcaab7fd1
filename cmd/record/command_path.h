/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_COMMAND_PATH_H
#define KT_CMD_COMMAND_PATH_H

#include <limits.h>

/* Writes the path of the executable file @command to @path: @command itself or,
 * without a slash, the file of that name in PATH or the system's standard path
 * (which has root's folders).
 *
 * Returns 0, or -1 with errno, such as ENOENT or EACCES.
 */
int command_path_find(const char *command, char path[PATH_MAX]);

/* Like command_path_find(), but only checks. */
int command_path_check(const char *command);

#endif
