/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_VARIABLES_H
#define KT_SYMBOLIZE_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording;

/* Finds names of variables by address: for the kernel in kallsyms, for programs
 * and libraries in the symbols of their files.
 *
 * A recording only has the mappings of code. The data of a file is mapped after
 * its code: so the file is the one whose code is nearest below the address, if
 * by its program headers the address is in the file. Allocated memory has no
 * name.
 *
 * Everything is read on first use. Not thread safe.
 */
struct variables;

/* Borrows @recording. Returns NULL when out of memory. */
struct variables *variables_new(const struct recording *recording);
void variables_free(struct variables *variables);

/* Passed to variables_find() instead of a pid to search the kernel's variables.
 */
enum { VARIABLES_OF_KERNEL = -1 };

/* Writes the variable at @address in process @pid, as it was at the end of the
 * recording, to @text, cut to @size: "_PyRuntime+0x5a8", or "rtnl_mutex" at its
 * start. Returns false if it is unknown.
 */
bool variables_find(struct variables *variables, int32_t pid, uint64_t address,
		    char *text, size_t size);

/* Returns the address, relative to gs, of a CPU's preemption counter:
 * __preempt_count, or pcpu_hot.preempt_count (Linux 6.2 to 6.14,
 * arch/x86/include/asm/current.h). Returns 0 if the kernel has no such counter,
 * or the recording no kallsyms.
 */
uint64_t kernel_preempt_counter(const struct recording *recording);

#endif
