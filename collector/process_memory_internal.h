/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_PROCESS_MEMORY_INTERNAL_H
#define KT_COLLECTOR_PROCESS_MEMORY_INTERNAL_H

#include "collector/recording_setup_internal.h"
#include "common/formats/generated_chunk.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Keeps the memory of processes readable through /proc/PID/mem after they ended
 * or called exec, which no descriptor does: the kernel frees the memory when
 * its last user leaves (exit_mm() in kernel/exit.c).
 *
 * A read from /proc/PID/mem is such a user as long as it lasts (mem_rw() in
 * fs/proc/base.c). So a thread reads into a page of the recorder that a
 * userfaultfd leaves unresolved, and waits there until the pin is released. The
 * process does not notice, except that its memory is freed by the recorder.
 *
 * Needs userfaultfd for faults in the kernel: root, CAP_SYS_PTRACE, or the
 * sysctl vm.unprivileged_userfaultfd.
 */
struct memory_pins;

/* Returns pins without any memory; NULL if the kernel does not permit pinning,
 * or when out of memory.
 */
struct memory_pins *memory_pins_new(void);

/* Releases all pins. NULL is allowed. */
void memory_pins_free(struct memory_pins *pins);

/* Copies of the code that one process generates in its memory, until its next
 * exec. Each page is copied when it is first seen and whenever it differs from
 * its last copy (common/formats/generated_chunk.h). Pages without memory are
 * not read.
 */
struct process_memory;

/* Opens the current memory of process @pid. The first process_memory_add() pins
 * it. @born_ns: the time, in the recording's clock, at which the recorder first
 * saw it. Borrows @pins. Returns NULL if the process has ended or may not be
 * read, or when out of memory.
 */
struct process_memory *process_memory_open(pid_t pid, uint64_t born_ns,
					   struct memory_pins *pins);

void process_memory_close(struct process_memory *memory);

/* Adds the addresses from @start to @end to the addresses that are read.
 * @is_writable: the process may write there. Returns 0 or -ERROR_MEMORY.
 */
int process_memory_add(struct process_memory *memory, uint64_t start,
		       uint64_t end, bool is_writable);

/* Adds the addresses of @parent, the process that forked this one. Returns 0 or
 * -ERROR_MEMORY.
 */
int process_memory_inherit(struct process_memory *memory,
			   const struct process_memory *parent);

/* Writes a chunk without bytes (GENERATED_IS_SAME) for each page that was read
 * again after its last chunk: the page had the same bytes until then. *@left is
 * reduced. Returns 0, or -ERROR_SYSTEM with errno if writing failed.
 */
int process_memory_finish(struct process_memory *memory, int fd,
			  uint64_t *left);

/* Size of one copy of a page in the file. */
enum {
	PROCESS_MEMORY_LEAST =
		GENERATED_PAGE_BYTES + sizeof(struct generated_chunk)
};

/* Reads the pages that are new or whose last chunk was written at @recent_ns or
 * later; if @recent_ns is 0, all pages. Writes chunks to @fd, with times of
 * @clock. *@left, the number of bytes that may still be written, is reduced. A
 * compiler mostly changes the code that it made last, so a reading of only the
 * recent pages finds most changes and takes little time.
 *
 * Returns 1 if bytes differed from the last read, else 0; -ERROR_MEMORY;
 * -ERROR_SYSTEM with errno if writing failed.
 */
int process_memory_read(struct process_memory *memory, uint64_t recent_ns,
			const struct trace_clock *clock, int fd,
			uint64_t *left);

/* Sets the @count words at @addresses to where the process, if it is Java's VM,
 * will write its next code: words that become other than 0. 0: none.
 */
void process_memory_next(const struct process_memory *memory,
			 uint64_t *addresses, size_t count);

#endif
