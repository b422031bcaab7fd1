/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WAITS_BLOCK_IO_H
#define KT_TABLES_WAITS_BLOCK_IO_H

/* Input and output of block devices, from the thread that queues it to its
 * completion, and the sleeps that the completion ended: for report --block.
 *
 *   block:block_bio_queue  --> queued --+
 *   block:block_rq_issue   --> issued --|--> block_ios --> block_callback
 *   block:block_rq_complete,            |    in flight,     each I/O,
 *   block:block_bio_complete --> done --+    by sectors     each sleep
 *   sched:sched_waking in bio_endio(), sleeps
 *
 * An I/O is one struct bio of the kernel. The device gets requests: the kernel
 * may merge several I/Os into one request, or split one into several. The
 * events have the device and the sectors, which identify an I/O. A request is
 * issued for all I/Os whose sectors it contains.
 *
 * Invariants:
 * 1. An I/O is emitted once, when it is complete, or at the end of the pass.
 * 2. queued_ns <= issued_ns <= completed_ns, as far as they are known.
 * 3. An I/O is inferred, not exact, if another one with the same direction and
 *    sectors was in flight: the events cannot distinguish them. Flushes have no
 *    sectors.
 * 4. A sleep is assigned to an I/O only if its thread was woken by the
 *    function that ends I/Os, on the CPU that had just completed that I/O. Of
 *    several I/Os in one request it is the thread's own, or the first.
 *
 * 5. The file is that of the record of submit_bio_noacct() in the thread that
 *    queued the I/O next. Pages of anonymous memory, as in direct I/O, and the
 *    device's own, as of a file system's metadata, have none.
 *
 * 6. All waiters of an I/O wait until its completion, which wakes them one after
 *    the other: at the start of a sleep those wait whose sleeps began earlier,
 *    at its end those that are woken later.
 *
 * A write that also flushes (F in its operation) is complete after the flush:
 * the kernel then reports a second completion, without sectors. A flush that
 * the kernel sends before the data is queue time.
 *
 * Memory grows with the number of I/Os in flight, and of threads that waited.
 * Functions return 0 or -ERROR_MEMORY; nothing else fails.
 */

#include "attribution/events/known_events.h"
#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

struct attribution_input;
struct sleep;

/* Letters of an operation as in blktrace: "R", "WS", "FWFS". Not terminated if
 * all are used.
 */
enum { BLOCK_LETTERS = 8 };

struct block_io {
	struct block_range range;
	char letters[BLOCK_LETTERS];
	struct task task; /* the task that queued it */
	/* that called the block layer, or FUNCTION_UNKNOWN */
	uint32_t function;
	/* number of the file on this device whose first page it has; 0: none,
	 * or not recorded (record --args=block_files)
	 */
	uint64_t inode;
	/* number of requests to the device whose first I/O it is */
	uint32_t requests;
	uint64_t queued_ns;
	uint64_t issued_ns;    /* to the device, for the first time; 0: never */
	uint64_t completed_ns; /* 0: never */
	uint64_t sectors_left; /* sectors that are not completed yet */
	bool is_merged;	       /* into the request of an earlier I/O */
	bool is_inferred;
};

/* A sleep that the completion of an I/O ended. */
struct block_sleep {
	const struct block_io *io;
	const struct sleep *sleep;
	uint64_t asleep_ns;
	/* part of asleep_ns after the I/O was queued and before it was issued
	 */
	uint64_t queue_ns;
	uint64_t device_ns; /* part of asleep_ns while the device had the I/O */
	/* other threads that waited for this I/O when the sleep started, and
	 * when the completion woke its thread
	 */
	uint32_t others_at_begin;
	uint32_t others_at_end;
};

struct block_callback {
	/* Return 0 or -ERROR_MEMORY. The second argument is valid during the
	 * call.
	 */
	int (*done)(struct block_callback *callback, const struct block_io *io);
	int (*slept)(struct block_callback *callback,
		     const struct block_sleep *sleep);
};

/* The I/Os in flight. */
struct block_ios {
	struct block_callback *callback; /* borrowed */
	struct array flying; /* struct block_io, in the order of queueing */
	struct keyed_array ended; /* struct cpu_completion, by CPU */
	struct array woken;	  /* struct block_waiter, in their order */
};

void block_ios_open(struct block_ios *ios, struct block_callback *callback);
void block_ios_close(struct block_ios *ios);

/* Adds @io, with its range, letters, task, function and queued_ns. */
int block_ios_queue(struct block_ios *ios, const struct block_io *io);

/* Records that a request for @range was sent to the device. */
void block_ios_issue(struct block_ios *ios, const struct block_range *range,
		     const char *letters, uint64_t time_ns);

/* Records that @cpu completed a request for @range, and emits the I/Os that are
 * complete.
 */
int block_ios_complete(struct block_ios *ios, const struct block_range *range,
		       const char *letters, int32_t cpu, uint64_t time_ns);

/* Like block_ios_complete(), for a device without requests, which gets I/Os
 * when they are queued: device mapper, RAID.
 */
int block_ios_complete_bio(struct block_ios *ios,
			   const struct block_range *range, const char *letters,
			   int32_t cpu, uint64_t time_ns);

/* Records that bio_endio() on @cpu woke thread @tid. */
int block_ios_wake(struct block_ios *ios, int32_t cpu, int32_t tid,
		   uint64_t time_ns);

/* Adds @sleep, which has ended, if the completion of an I/O woke its thread.
 * Emits the sleeps of that I/O when all of its threads have run again
 * (invariant 6).
 */
int block_ios_slept(struct block_ios *ios, const struct sleep *sleep);

/* Emits the sleeps that wait for others and, if @are_open, the I/Os that are
 * still in flight.
 */
int block_ios_end(struct block_ios *ios, bool are_open);

/* Feeds a struct block_ios from the pass of @input. */
struct block_tracker;

/* Borrows both. Emits all I/Os, whatever the filter of @input. Returns NULL
 * when out of memory.
 */
struct block_tracker *block_tracker_new(const struct attribution_input *input,
					struct block_callback *callback);
void block_tracker_free(struct block_tracker *tracker);

/* Like block_ios_end(). Returns 0, or -ERROR_MEMORY if the tracker or the
 * callback ever ran out of memory.
 */
int block_tracker_end(struct block_tracker *tracker, bool are_open);

#endif
