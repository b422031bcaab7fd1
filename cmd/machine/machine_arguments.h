/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_MACHINE_ARGUMENTS_H
#define KT_CMD_MACHINE_ARGUMENTS_H

#include <limits.h>

struct array;

/* Builds the argument list of the virtual machine's program. Running out of
 * memory ends the program.
 */

/* Appends @text; a NULL ends the list. */
void machine_add(struct array *arguments, const char *text);

/* Splits @text into words in place and appends them. */
void machine_add_words(struct array *arguments, char *text);

/* Sets @path to the path at which the virtual machine of architecture @arch
 * (NULL: this machine's) finds this program. A machine with its own root file
 * system has the host's files in a folder.
 *
 * Returns 0, or -1 after a message on standard error.
 */
int machine_find_recorder(const char *arch, char path[PATH_MAX]);

#endif
