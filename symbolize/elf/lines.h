/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_ELF_LINES_H
#define KT_SYMBOLIZE_ELF_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function;
struct recording;

/* A source line. */
struct source_line {
	const char *file; /* as passed to the compiler; the lines own it */
	int line;	  /* from 1 */
};

/* Source lines by address, from the debug information of vmlinux, kernel
 * modules and user programs, and from the jitdumps of generated code. Debug
 * information is searched on this machine: in the file itself, by build id, by
 * .gnu_debuglink, and, for the kernel, where distributions install it. Files
 * are opened on first use; missing files are no error.
 *
 * Not thread safe.
 */
struct lines;

/* Returns an object that finds the lines of @recording: of its kernel, by
 * release and build id, of the programs in it, and of the code that they
 * generated. NULL: of programs only. The recording is borrowed. Returns NULL
 * when out of memory.
 */
struct lines *lines_new(const struct recording *recording);
void lines_free(struct lines *lines);

/* Returns the path of the debug data of the kernel of @recording, which the
 * caller frees; NULL if there is none.
 */
char *lines_kernel_path(const struct recording *recording);

/* Like lines_kernel_path(), for the kernel's module @module. */
char *lines_module_path(const struct recording *recording, const char *module);

/* Sets *@line to the source line of the code at @offset bytes after @function's
 * entry; for @offset 0, to the declaration of the function. For inlined code it
 * is the line of the outermost inlined call. Returns false if the line is
 * unknown.
 */
bool lines_find(struct lines *lines, const struct function *function,
		uint64_t offset, struct source_line *line);

/* A call that the compiler replaced by the function's code. */
struct inlined_call {
	const char *name; /* of the function; NULL: unknown; the lines own it */
	struct source_line line; /* of the call; file NULL: unknown */
	/* no other inlined call of the file has this number */
	uint64_t identity;
	/* offset of the call's first instruction from the function's entry;
	 * UINT64_MAX: unknown
	 */
	uint64_t entry_offset;
};

enum { INLINED_CALLS_MOST = 32 };

/* Sets @calls to the inlined calls around the code at @offset bytes after
 * @function's entry, outermost first, and *@line to the line of the code in the
 * innermost function.
 *
 * Returns the number of calls; if there are more than INLINED_CALLS_MOST, only
 * the outermost ones. If it is 0, *@line is not set.
 */
size_t lines_find_inlined(struct lines *lines, const struct function *function,
			  uint64_t offset,
			  struct inlined_call calls[INLINED_CALLS_MOST],
			  struct source_line *line);

#endif
