/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_FUNCTION_LABEL_H
#define KT_REPORT_FUNCTION_LABEL_H

#include <stdint.h>
#include <stdio.h>

struct function_table;

/* How a function is written in a report. */
struct function_label {
	char text[512]; /* longer names are cut */
};

/* Returns "vfs_read", or with @pid not negative "137k:vfs_read" (kernel) or
 * "137u:main" (user); states have no process: "[asleep]".
 */
struct function_label function_label_of(const struct function_table *functions,
					uint32_t function, int32_t pid);

/* The same with @prefix in the place of the process; NULL: none. */
struct function_label
function_label_under(const struct function_table *functions, uint32_t function,
		     const char *prefix);

/* Returns its name alone, or that of the state that it stands for (see
 * frame_state.h).
 */
const char *function_text(const struct function_table *functions,
			  uint32_t function);

/* Writes the name of @function, which is no state, as text for people (NAME_TEXT). */
void function_name_write(const struct function_table *functions,
			 uint32_t function, FILE *out);

#endif
