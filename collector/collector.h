/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_COLLECTOR_H
#define KT_COLLECTOR_COLLECTOR_H

#include "collector/collector_options_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct log;

/* Records: opens the kernel's events, drains their rings, copies the kernel's
 * code, and writes a perf.data directory (docs/formats.md).
 *
 *	 kernel ─ rings ─► ring_drain ─► recording_output ─► recording
 *	   │                   │ hits        ▲
 *	   │                   └► hit_keeper ┤ snapshots
 *	   └─ code, tasks, sockets ──────────┘
 *
 * collector_run() takes these steps; an error in one ends the recording:
 *
 *	recording_setup_open()		opens the events; trace is off
 *	recording_output_begin()	copies the kernel's code, writes the start
 *	recording_loop_activate()	waits for the start instant
 *	event_list_enable()		sideband first, the trace last
 *	recording_loop_run()		drains rings until the end
 *	finish()			stops the trace, drains what is left
 *	recording_loop_wait_for_command()
 *
 * Invariants:
 *  1. The kernel's code is copied while the events that report its changes are
 *    open, and compared with the copy before they are closed: each change is in
 *    the recording, or the code counts as unknown.
 *  2. The trace starts after the events that explain it, and is stopped before
 *     the rings are read for the last time.
 *  3. Reports of CPUs that come online are listened to before the online CPUs
 *     are listed, so that no CPU is missed in between.
 *  4. Each loss of trace or records is itself a record of the recording.
 *
 * Threads: all of it runs in the calling thread, which has real-time priority,
 * if permitted, from before the start until the rings are drained; another
 * thread copies the code that programs generate (generated_code_internal.h),
 * and if requested, a thread for each CPU writes its trace (trace_writer.h).
 * Memory: the rings, one trace buffer per CPU, and lists that grow with the
 * events, modules and tasks.
 */

/* Checks whether @source is available on this machine, without side effects.
 *
 * Returns NULL, or the reason why it is not, and in @fix the remedy.
 */
const char *collector_refusal(enum collector_source source, const char **fix);

/* Makes a recording. Returns when the recording is complete and the command, if
 * any, has ended. A second SIGINT or SIGTERM ends the wait for the command.
 *
 * Takes over the handling of SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD and
 * SIGUSR2 of the calling process, which must have one thread. Returns 0 and
 * @result; or a negative enum error with the reason in @log, and @result as far
 * as it is known.
 */
int collector_run(const struct collector_options *options,
		  const struct log *log, struct collector_result *result);

#endif
