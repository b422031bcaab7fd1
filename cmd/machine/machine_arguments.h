/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_MACHINE_ARGUMENTS_H
#define KT_CMD_MACHINE_ARGUMENTS_H

#include <limits.h>

struct array;

/* The arguments of the virtual machine's program, a list of texts.  Without
 * memory for them the program ends.
 */

/* Appends @text; a NULL ends the list. */
void machine_add(struct array *arguments, const char *text);

/* Appends the words of @text, which it cuts up. */
void machine_add_words(struct array *arguments, char *text);

/* Sets @path to where the machine of architecture @arch, NULL for this one's,
 * finds this program.  A machine with files of its own has the host's in a
 * folder.
 *
 * Returns 0, or -1 with the reason on standard error.
 */
int machine_find_recorder(const char *arch, char path[PATH_MAX]);

#endif
