/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_WRITER_TRACE_WRITER_H
#define KT_COLLECTOR_WRITER_TRACE_WRITER_H

#include "collector/rings/cpu_rings.h"

#include <stdbool.h>
#include <stdint.h>

struct log;
struct output_folder;

/* The trace of one CPU in a file of its own, written by a thread of its own, so
 * that a slow write delays no other CPU:
 *
 *	trace unit ─► aux_ring ─► thread ─(buffer)─► data.INDEX or data.INDEX.zst
 *	                            │ pipe
 *	                            └─────► the recording's loop: records, restarts
 *
 * The file has AUXTRACE records, each followed by its trace, as `data` would
 * have them (recording_writer.h); compressed, it is one frame of Zstandard.
 * perf's directories have files of these names with records of events (perf
 * record --threads); perf reads trace only from `data`, to which `ktrace-hw
 * archive` appends these files.
 *
 * The thread runs on the CPUs that are near the ring's memory. It writes past the
 * page cache, if the file system can (O_DIRECT), which leaves no pages to be
 * written back later, and from the ring itself, without copying
 * (tests/bench/recorder.sh). Then pieces are whole pages, and before each is a
 * page with its AUXTRACE record after a record that readers skip. Linux 6.14 and
 * later do not let other devices read a ring (EFAULT, because perf_mmap() maps
 * page frames without their pages): there the thread copies the trace to an
 * aligned buffer and writes that when it is full.
 *
 * Invariants:
 *  1. Only the thread reads the ring's trace and releases it. It polls the
 *     trace's event, so no other code may: poll() of a perf event consumes the
 *     wake-up for all. The loop polls trace_writer_wake() instead, which is
 *     readable after each wake-up of the event, and hung up like the event.
 *  2. The thread shares with the loop only atomic words; neither waits for the
 *     other before trace_writer_finish().
 *  3. A killed recorder loses the content of the buffer, at most
 *     TRACE_WRITER_BUFFER of each CPU; or without copying what is left in the
 *     ring, at most a TRACE_WRITER_RING_PARTSth of it.
 */
struct trace_writer;

/* A huge page. */
enum { TRACE_WRITER_BUFFER = 2 << 20 };

/* A piece that is written from the ring is at least this part of the ring. The
 * kernel wakes the thread when there is twice as much.
 */
enum { TRACE_WRITER_RING_PARTS = 2 * AUX_RING_WATERMARKS };

struct trace_writer_options {
	const struct output_folder *folder;
	uint32_t index; /* of the ring */
	int cpu;
	bool compress;
	const struct log *log; /* usable by several threads */
};

/* Starts to write the trace of @aux, which it copies and which must stay mapped
 * until trace_writer_finish(). @event is the trace's event.
 *
 * Returns 0 and *@writer, or a negative enum error with its reason in the log.
 */
int trace_writer_start(const struct aux_ring *aux, int event,
		       const struct trace_writer_options *options,
		       struct trace_writer **writer);

/* Returns the descriptor to poll in place of the event. */
int trace_writer_wake(const struct trace_writer *writer);

/* Empties the pipe of trace_writer_wake(). Must be called when that is
 * readable, and may be called at any time. Sets *@full_at to the position at
 * which the trace unit had no room left since the last call; 0 if it always had
 * room. Returns 0, or the negative enum error that ended the writing, which was
 * logged.
 */
int trace_writer_take(struct trace_writer *writer, uint64_t *full_at);

/* The largest delays of writing trace so far. */
struct trace_lag {
	uint64_t unread_bytes; /* maximum size of unread trace in the ring */
	uint64_t write_ns;     /* duration of the longest write */
};

/* Raises each member of @lag to that of @other if this is larger. */
void trace_lag_raise(struct trace_lag *lag, const struct trace_lag *other);

struct trace_writer_state {
	uint64_t trace_bytes;
	uint64_t file_bytes;
	struct trace_lag lag;
};

/* Returns the present state. */
struct trace_writer_state trace_writer_look(const struct trace_writer *writer);

/* Makes the thread write everything that is in the ring and then end; does not
 * wait for that. The event must be disabled.
 */
void trace_writer_stop(struct trace_writer *writer);

/* Waits until the thread has ended, after trace_writer_stop(). Returns like
 * trace_writer_take().
 */
int trace_writer_finish(struct trace_writer *writer);

/* Stops and finishes @writer, if that was not done, and frees it. NULL is
 * allowed.
 */
void trace_writer_free(struct trace_writer *writer);

#endif
