/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_FUNCTION_LABEL_H
#define KT_REPORT_FUNCTION_LABEL_H

#include <stdint.h>
#include <stdio.h>

struct function_table;

/* The name of a function in reports. */
struct function_label {
	char text[512]; /* truncated if longer */
};

/* Returns "vfs_read"; if @pid is not negative, "137k:vfs_read" (kernel) or
 * "137u:main" (user). States have no process: "[asleep]".
 */
struct function_label function_label_of(const struct function_table *functions,
					uint32_t function, int32_t pid);

/* Like function_label_of(), with @prefix instead of the process; NULL: none. */
struct function_label
function_label_under(const struct function_table *functions, uint32_t function,
		     const char *prefix);

/* Returns only the name of the function or state (frame_state.h). */
const char *function_text(const struct function_table *functions,
			  uint32_t function);

/* Writes the name of @function, which must not be a state, as text for people
 * (NAME_TEXT).
 */
void function_name_write(const struct function_table *functions,
			 uint32_t function, FILE *out);

#endif
