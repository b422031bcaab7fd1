/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_GENERATED_CODE_INTERNAL_H
#define KT_COLLECTOR_GENERATED_CODE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct log;
struct output_folder;
struct target;
struct trace_clock;

/* Copies the code that programs generate while they are recorded (JIT), and the
 * names that they give it, into files of the recording:
 *
 *	code/<pid>.generated	pages by time (common/formats/generated_chunk.h)
 *	code/<pid>.map		lines of /tmp/perf-PID.map (generated_files_copy())
 *	code/<pid>.dump		its jitdump
 *
 * A thread of its own reads the memory of each process that has an executable
 * mapping without a file:
 *
 *	when			learned by			cost
 *	it becomes executable	the kernel's record of mmap	a wake-up for each
 *				or mprotect			executable mapping
 *	it is listed		2 ms after that reading		another reading
 *	while it runs		a timer				1 % of a CPU at most
 *	new and changed pages	a timer of 0.1 to 1 ms, 5 ms	5 % of a CPU at most,
 *				if nothing has changed		1 % if nothing has
 *	HotSpot has new code	a BPF program, when its		one reading of new and
 *				compiler sleeps (code_watch)	changed pages
 *	it calls exec, ends	the record of exec, a pidfd	one reading
 *	the recording ends	generated_code_end()		one reading
 *
 * The memory of a process that ends remains readable because it is pinned
 * (process_memory_internal.h). The timer's period is 10 ms, or 100 times the
 * duration of a reading if that is longer. It is doubled when nothing has
 * changed, but not beyond 100 ms.
 *
 * Between two readings the bytes that changed are unknown. A compiler that
 * patches its functions when they first run, as HotSpot does, makes the first
 * milliseconds of each function unknown, so pages that are new or changed
 * during the last 20 ms are read more often.
 *
 * Errors while recording are logged once, and end the copying, but not the
 * recording. At most GENERATED_MOST_BYTES are written; reaching that limit is
 * logged. At most GENERATED_MOST_PROCESSES are read at a time, and each takes
 * six descriptors; the first process that is left out because of this is logged.
 */
struct generated_code;

/* Starts copying for the processes of @target, in the folder code/ of @folder,
 * with times of @clock. Must be called before the recorded command starts.
 * Borrows everything.
 *
 * Returns NULL if nothing can be copied, after logging why (unless memory ran
 * out).
 */
struct generated_code *generated_code_start(const struct target *target,
					    const struct trace_clock *clock,
					    const struct output_folder *folder,
					    const struct log *log);

/* Reads everything for the last time, and ends the thread. NULL is allowed. */
void generated_code_end(struct generated_code *code);

/* The files in which a process names the code that it generates. They are
 * copied because they belong to the traced process's file system, and a
 * container or a virtual machine may be gone later.
 *
 *	/tmp/perf-PID.map	the process appends lines: address, size, name
 *	jit-PID.dump		jitdump: names, code and times; it is mapped
 *
 * PID is the process's number in its own namespace, and /tmp is its own. A file
 * is read only if it is a regular file with one link and the process's
 * effective user owns it. Paths are resolved within the root folder of the
 * process; the last component must not be a symbolic link.
 */
struct generated_files {
	pid_t pid;   /* in the recording */
	pid_t inner; /* in its own namespace */
	uid_t owner; /* its effective user, if has_owner */
	int root;    /* its root folder; -1: gone */
	uint64_t map_inode;
	uint64_t map_size; /* copied already */
	/* time of the last generated_files_copy(), by its clock */
	uint64_t looked_ns;
	int dump; /* jitdump; -1: none */
	bool is_dump_copied;
	bool has_owner;
};

/* Opens the files of process @pid, which must not have ended; must be closed. */
void generated_files_open(struct generated_files *names, pid_t pid);

void generated_files_close(struct generated_files *names);

/* Appends the new lines of the perf map to the file <pid>.map of @folder, after
 * a line "# SINCE UNTIL": the times, by @clock, of the previous call and of
 * this one. If @is_last, also copies the jitdump, to <pid>.dump, and writes
 * <pid>.dump_clock: a time of CLOCK_MONOTONIC, the jitdump's clock, and the
 * same time by @clock. *@left, the number of bytes that may still be written,
 * is reduced, and set to 0 if a file is cut because of it.
 *
 * Returns 0, or -ERROR_SYSTEM with errno if writing failed.
 */
int generated_files_copy(struct generated_files *names,
			 const struct output_folder *folder,
			 const struct trace_clock *clock, bool is_last,
			 uint64_t *left);

#endif
