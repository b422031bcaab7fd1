/* SPDX-License-Identifier: MIT */
#ifndef KTRACE_HW_H
#define KTRACE_HW_H

/* libktrace-hw: a program asks what the kernel did in its own system calls, and
 * is told before its next line.  For Intel PT, and CoreSight on
 * arm64; link with -lktrace-hw.
 *
 *	struct ktrace_hw *k = ktrace_hw_open(NULL, &error);
 *	ktrace_hw_begin(k);
 *	fsync(fd);
 *	const struct ktrace_hw_record *r = ktrace_hw_end(k);
 *
 * Each struct ktrace_hw is of the thread that opened it, which alone may use
 * it; one thread has one at a time.  A NULL for it is allowed everywhere, so
 * that a program which may not look goes on without.  docs/inband.md says more.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ktrace_hw_status {
	KTRACE_HW_OK,
	KTRACE_HW_NO_MEMORY,
	KTRACE_HW_NO_UNIT,	 /* no trace unit that is understood here */
	KTRACE_HW_NOT_PERMITTED, /* to trace, or to read the kernel's code */
	KTRACE_HW_BUSY,		 /* the trace unit is another's */
	KTRACE_HW_SYSTEM,	 /* a system call failed */
	KTRACE_HW_MISUSE,     /* begin and end do not pair, or another thread */
	KTRACE_HW_NO_TRACE,   /* nothing of what ran was recorded */
	KTRACE_HW_NO_SERVICE, /* `ktrace-hw serve` does not answer, or ended */
};

struct ktrace_hw_error {
	enum ktrace_hw_status status;
	char text[512]; /* what, and what to do; "" for KTRACE_HW_OK */
};

struct ktrace_hw_options {
	size_t buffer_bytes; /* of trace: a power of two from 64 KiB to 1 GiB;
			      * 0: 4 MiB.  Three quarters are for one bracket */
};

/* Who ended sleeps.  @function is the one that decided to wake, and @interrupt
 * the handler that this was part of: NULL where the trace does not show them,
 * as of all other threads.
 */
struct ktrace_hw_waker {
	uint64_t count;
	int32_t pid;	  /* of the task that ran where it was woken */
	int32_t tid;	  /* 0: the idle task, so an interrupt */
	const char *comm; /* its name when the library was opened, or "?" */
	const char *function;
	const char *interrupt;
};

/* Sleeps at one place. */
struct ktrace_hw_sleep {
	const char *channel;  /* function that decided to wait; NULL: unseen */
	const char *function; /* what that called to sleep; or NULL */
	const char *stack;    /* "outermost;...;innermost" */
	uint64_t count;
	uint64_t asleep_ns;
	uint64_t max_ns;      /* the longest sleep */
	uint64_t runnable_ns; /* from being woken to running */
	const struct ktrace_hw_waker *wakers;
	size_t waker_count;
};

/* A function on one path of calls. */
struct ktrace_hw_function {
	const char *name;
	uint32_t depth; /* 0: the entry into the kernel */
	bool is_interrupt;
	uint64_t calls;
	uint64_t wall_ns;   /* with all below and its sleeps */
	uint64_t on_cpu_ns; /* of that, on a CPU */
};

enum ktrace_hw_call_end {
	KTRACE_HW_RETURNED,
	KTRACE_HW_NO_RETURN, /* as of execve */
	KTRACE_HW_CUT,	     /* a part of it is missing */
};

/* One system call; the times from on_cpu_ns to unknown_ns add up to wall_ns. */
struct ktrace_hw_call {
	const char *name;     /* "read"; "?" if unknown */
	const char *function; /* "__x64_sys_read"; NULL if none was entered */
	enum ktrace_hw_call_end end;
	uint64_t begin_ns; /* of the kernel's perf clock */
	uint64_t wall_ns;
	uint64_t on_cpu_ns; /* page faults included */
	uint64_t asleep_ns;
	uint64_t runnable_ns; /* waiting for a CPU */
	uint64_t stolen_ns;   /* by interrupts */
	uint64_t tracer_ns;   /* by perf's own work */
	uint64_t unknown_ns;  /* in gaps */
	uint64_t faults;
	uint64_t fault_ns;
	const struct ktrace_hw_sleep *sleeps;
	size_t sleep_count;
	const struct ktrace_hw_function *functions; /* callees before what
						     * follows their caller */
	size_t function_count;
};

/* All between a begin and its end. */
struct ktrace_hw_record {
	uint64_t begin_ns; /* as struct ktrace_hw_call */
	uint64_t wall_ns;
	const struct ktrace_hw_call *calls;
	size_t call_count;
	/* Holes in the trace, the bytes lost in them where that is known, why
	 * the first one was ("" if there is none), and lost records of sleeps.
	 */
	uint64_t gaps;
	uint64_t lost_bytes;
	const char *gap_reason;
	uint64_t lost_records;
};

/* Gets all ready, which takes half a second or more: copies the kernel's code, reads its
 * names.  A program that may not do so, nor trace the kernel, asks `ktrace-hw serve`
 * (at $KTRACE_HW_SOCKET, or /run/ktrace-hw.sock), if that is there.  @options and
 * @error may be NULL.  Returns NULL where it cannot be, and why in @error.
 */
struct ktrace_hw *ktrace_hw_open(const struct ktrace_hw_options *options,
				 struct ktrace_hw_error *error);
void ktrace_hw_close(struct ktrace_hw *k);

/* From here on the thread is traced, to the end. */
enum ktrace_hw_status ktrace_hw_begin(struct ktrace_hw *k);

/* Returns the record, the library's, valid until the next begin, next or close;
 * NULL if there is none: see ktrace_hw_last_error().
 */
const struct ktrace_hw_record *ktrace_hw_end(struct ktrace_hw *k);

/* Every call of the thread from now on: ktrace_hw_next() returns them one by
 * one, the oldest first, and NULL when all that were made have been returned.
 * What was made since is decoded by the call that needs it.  *@record, unless
 * @record is NULL, is what the call came from: its gaps are said there.  A
 * bracket ends this, and ktrace_hw_end() without a begin does.
 */
enum ktrace_hw_status ktrace_hw_watch(struct ktrace_hw *k);
const struct ktrace_hw_call *
ktrace_hw_next(struct ktrace_hw *k, const struct ktrace_hw_record **record);

/* Writes what the last record was made from as a recording, which all commands
 * of ktrace-hw read, into the new folder @path.
 */
enum ktrace_hw_status ktrace_hw_save(struct ktrace_hw *k, const char *path);

/* Returns what the last function with @k said; valid until the next one. */
const struct ktrace_hw_error *ktrace_hw_last_error(const struct ktrace_hw *k);

#ifdef __cplusplus
}
#endif

#endif
