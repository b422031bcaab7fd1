/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_MACHINE_SCRIPT_H
#define KT_CMD_MACHINE_SCRIPT_H

#include <limits.h>
#include <stddef.h>

/* The virtual machine's own program, machine/host/machine, which is beside
 * this one in the source tree and when installed.
 */

/* This is what becomes the exit code when the machine cannot be started. */
enum { EXIT_MACHINE = 125 };

/* Sets @path to this program's own file.  Returns 0 or -1. */
int machine_find_self(char path[PATH_MAX]);

/* Sets @path to the first of the @count @places that can be executed, names
 * relative to this program's folder.  Returns 0 or -1.
 */
int machine_find_beside(const char *const *places, size_t count,
			char path[PATH_MAX]);

/* Becomes the script with the arguments @argv, ended by NULL; its name, the
 * first, is set.
 *
 * Returns only if that fails: an exit code, said to standard error.
 */
int machine_script_run(char **argv);

#endif
