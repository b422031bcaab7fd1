/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_LINES_H
#define KT_SYMBOLIZE_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct function;

/* A place in source code. */
struct source_line {
	const char *file; /* as the compiler was told; owner: the lines */
	int line;	  /* from 1 */
};

/* Lines of source code by address, from the debug information of vmlinux,
 * kernel modules and user programs, which is looked for on this machine: in
 * the file itself, by build id, by .gnu_debuglink, and where distributions
 * put that of kernels.  Nothing is opened before it is asked for, and what is
 * missing is no error.
 *
 * Not for several threads.
 */
struct lines;

/* @kernel_release is uname -r's of the recording, borrowed.  Returns NULL
 * when out of memory.
 */
struct lines *lines_new(const char *kernel_release);
void lines_free(struct lines *lines);

/* Sets *@line to where the code @offset bytes behind @function's entry comes
 * from; with @offset 0, to where the function itself is declared.  Returns
 * false if nothing is known.
 */
bool lines_find(struct lines *lines, const struct function *function,
		uint64_t offset, struct source_line *line);

#endif
