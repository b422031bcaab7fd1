/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_GENERATED_CODE_H
#define KT_COLLECTOR_GENERATED_CODE_H

struct log;
struct output_folder;
struct target;
struct trace_clock;

/* Copies the code that programs generate while they are recorded (JIT), and the
 * names that they give it, into files of the recording:
 *
 *	code/<pid>.generated	pages by time (common/generated_chunk.h)
 *	code/<pid>.map		lines of /tmp/perf-PID.map (generated_files.h)
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
 *	it calls exec, ends	the record of exec, a pidfd	one reading
 *	the recording ends	generated_code_end()		one reading
 *
 * The memory of a process that ends remains readable because it is pinned
 * (memory_pin.h). The timer's period is 10 ms, or 100 times the duration of a
 * reading if that is longer. It is doubled when nothing has changed, but not
 * beyond 100 ms.
 *
 * Errors while recording are logged once, and end the copying, but not the
 * recording. At most GENERATED_MOST_BYTES are written, which is logged, of at most
 * GENERATED_MOST_PROCESSES at a time, which have six descriptors each.
 */
struct generated_code;

#define GENERATED_MOST_BYTES (UINT64_C(512) << 20)
enum { GENERATED_MOST_PROCESSES = 256 };

/* Starts copying for the processes of @target, in the folder code/ of @folder,
 * with times of @clock. Must be called before the recorded command starts.
 * Borrows everything. Logs the reason why there will be no copies, if so.
 *
 * Returns NULL if there will be none.
 */
struct generated_code *generated_code_start(const struct target *target,
					    const struct trace_clock *clock,
					    const struct output_folder *folder,
					    const struct log *log);

/* Reads everything for the last time, and ends the thread. NULL is allowed. */
void generated_code_end(struct generated_code *code);

#endif
