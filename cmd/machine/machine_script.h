/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_MACHINE_SCRIPT_H
#define KT_CMD_MACHINE_SCRIPT_H

#include <limits.h>
#include <stddef.h>

/* Runs the virtual machine's program, machine/host/machine. Its path relative
 * to this program is the same in the source tree and when installed.
 */

/* Exit code if the machine cannot be started. */
enum { EXIT_MACHINE = 125 };

/* Sets @path to this program's own file.  Returns 0 or -1. */
int machine_find_self(char path[PATH_MAX]);

/* Sets @path to the first of the @count executable @places; these are relative
 * to this program's folder. Returns 0 or -1.
 */
int machine_find_beside(const char *const *places, size_t count,
			char path[PATH_MAX]);

/* Replaces this process with the script. @argv ends with NULL; its first
 * element is set to the script's name.
 *
 * Returns only if that fails: an exit code, after a message on standard error.
 */
int machine_script_run(char **argv);

#endif
