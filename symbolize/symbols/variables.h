/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_VARIABLES_H
#define KT_SYMBOLIZE_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording;

/* The names of variables by address: of the kernel, from kallsyms, and of
 * programs and libraries, from the symbols of their files.
 *
 * Records have mappings of code only. The data of a file is mapped after its
 * code, so that the nearest code below an address leads to its file, whose
 * program headers tell whether the address is of it. Memory from an allocator
 * has no name.
 *
 * All is read on first use. For one thread.
 */
struct variables;

/* Borrows @recording. Returns NULL when out of memory. */
struct variables *variables_new(const struct recording *recording);
void variables_free(struct variables *variables);

/* The process in place of which variables_find() looks into the kernel. */
enum { VARIABLES_OF_KERNEL = -1 };

/* Writes the variable at @address in process @pid, as it was at the end of the
 * recording, to @text, cut to @size: "_PyRuntime+0x5a8", or "rtnl_mutex" at its
 * start. Returns false if it is unknown.
 */
bool variables_find(struct variables *variables, int32_t pid, uint64_t address,
		    char *text, size_t size);

/* Returns the address, relative to gs, of the counter that says whether the task
 * of a CPU may be preempted: __preempt_count, or pcpu_hot.preempt_count (Linux
 * 6.2 to 6.14, arch/x86/include/asm/current.h). 0: the recording's kernel has
 * none, or it is not known.
 */
uint64_t kernel_preempt_counter(const struct recording *recording);

#endif
