/* SPDX-License-Identifier: MIT */
#ifndef KTRACE_HW_H
#define KTRACE_HW_H

/* libktrace-hw: lets a program trace its own system calls in the kernel and get
 * the result immediately. For Intel PT, and CoreSight on arm64; link with
 * -lktrace-hw.
 *
 * 	struct ktrace_hw *k = ktrace_hw_open(NULL, &error);
 * 	ktrace_hw_begin(k);
 * 	fsync(fd);
 * 	const struct ktrace_hw_record *r = ktrace_hw_end(k);
 *
 * Each struct ktrace_hw belongs to the thread that opened it; only that thread
 * may use it. A thread can have one at a time. All functions accept NULL for
 * it, so that a program without the rights to trace continues without. See
 * docs/inband.md.
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
	KTRACE_HW_NO_UNIT,	 /* no supported trace unit */
	KTRACE_HW_NOT_PERMITTED, /* to trace, or to read the kernel's code */
	KTRACE_HW_BUSY,		 /* another process uses the trace unit */
	KTRACE_HW_SYSTEM,	 /* a system call failed */
	KTRACE_HW_MISUSE,   /* begin and end do not match, or wrong thread */
	KTRACE_HW_NO_TRACE, /* no trace was recorded */
	/* `ktrace-hw serve` does not answer, or has ended */
	KTRACE_HW_NO_SERVICE,
};

struct ktrace_hw_error {
	enum ktrace_hw_status status;
	char text[512]; /* the reason and the remedy; "" for KTRACE_HW_OK */
};

struct ktrace_hw_options {
	/* size of the trace buffer: a power of two from 64 KiB to 1 GiB; 0: 4
	 * MiB. One bracket, from ktrace_hw_begin() to ktrace_hw_end(), can use
	 * three quarters of it
	 */
	size_t buffer_bytes;
	/* set blocking_file and blocking_line of sleeps, from the kernel's
	 * debug information. ktrace_hw_end() and ktrace_hw_next() then take
	 * longer: some milliseconds for each code address that was not looked
	 * up before
	 */
	bool source_lines;
};

/* The origin of wake-ups. @function is the function that decided to wake, and
 * @interrupt the interrupt handler that called it: NULL if the trace does not
 * show them, as for wake-ups by other threads.
 */
struct ktrace_hw_waker {
	uint64_t count;
	int32_t pid;	  /* of the task that was running on the waking CPU */
	int32_t tid;	  /* 0: the idle task, so an interrupt */
	const char *comm; /* its name when the library was opened; or "?" */
	const char *function;
	const char *interrupt;
};

/* Sleeps with the same wait channel and stack. */
struct ktrace_hw_sleep {
	/* function that decided to wait; NULL: untraced */
	const char *channel;
	const char *function; /* its callee that sleeps; or NULL */
	const char *stack;    /* "outermost;...;innermost" */
	uint64_t count;
	uint64_t asleep_ns;
	uint64_t max_ns;      /* longest sleep */
	uint64_t runnable_ns; /* from the wake-up to running */
	const struct ktrace_hw_waker *wakers;
	size_t waker_count;
	/* where @channel called @function; NULL and 0: unknown, or source_lines
	 * is not set
	 */
	const char *blocking_file;
	int blocking_line;
};

/* A function on one call path. */
struct ktrace_hw_function {
	const char *name;
	uint32_t depth; /* 0: the entry into the kernel */
	bool is_interrupt;
	uint64_t calls;
	uint64_t wall_ns;   /* with callees and sleeps */
	uint64_t on_cpu_ns; /* the part on a CPU */
};

enum ktrace_hw_call_end {
	KTRACE_HW_RETURNED,
	KTRACE_HW_NO_RETURN, /* such as execve */
	KTRACE_HW_CUT,	     /* a part of the call is missing */
};

/* One system call; the times from on_cpu_ns to unknown_ns add up to wall_ns. */
struct ktrace_hw_call {
	const char *name;     /* "read"; "?" if unknown */
	const char *function; /* "__x64_sys_read"; NULL if none was entered */
	enum ktrace_hw_call_end end;
	uint64_t begin_ns; /* time of the kernel's perf clock */
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
	const struct ktrace_hw_function *functions; /* in depth-first order */
	size_t function_count;
};

/* The result of one bracket, from ktrace_hw_begin() to ktrace_hw_end(). */
struct ktrace_hw_record {
	uint64_t begin_ns; /* like ktrace_hw_call.begin_ns */
	uint64_t wall_ns;
	const struct ktrace_hw_call *calls;
	size_t call_count;
	/* Gaps in the trace, the bytes lost in them as far as known, the reason
	 * of the first gap ("" if there is none), and lost records of sleeps:
	 * at least 1 if a CPU was switched off since ktrace_hw_open().
	 */
	uint64_t gaps;
	uint64_t lost_bytes;
	const char *gap_reason;
	uint64_t lost_records;
};

/* Prepares tracing, which takes half a second or more: copies the kernel's code
 * and reads its names. A program without the rights to do so, or to trace the
 * kernel, uses `ktrace-hw serve` (at $KTRACE_HW_SOCKET, or
 * /run/ktrace-hw.sock), if it runs. @options and @error may be NULL. Returns
 * NULL on failure, with the reason in @error.
 */
struct ktrace_hw *ktrace_hw_open(const struct ktrace_hw_options *options,
				 struct ktrace_hw_error *error);
void ktrace_hw_close(struct ktrace_hw *k);

/* Starts tracing the thread, until ktrace_hw_end(). */
enum ktrace_hw_status ktrace_hw_begin(struct ktrace_hw *k);

/* Returns the record, which the library owns; it is valid until the next
 * ktrace_hw_begin(), ktrace_hw_next() or ktrace_hw_close(). Returns NULL if
 * there is none: see ktrace_hw_last_error().
 */
const struct ktrace_hw_record *ktrace_hw_end(struct ktrace_hw *k);

/* Traces every call of the thread from now on: ktrace_hw_next() returns them
 * one by one, the oldest first, and NULL when all calls so far have been
 * returned. ktrace_hw_next() decodes the trace when it runs out of decoded
 * calls. *@record, unless @record is NULL, is set to the record that contains
 * the call; its gaps are reported there. ktrace_hw_begin(), or ktrace_hw_end()
 * without a begin, ends this mode.
 */
enum ktrace_hw_status ktrace_hw_watch(struct ktrace_hw *k);
const struct ktrace_hw_call *
ktrace_hw_next(struct ktrace_hw *k, const struct ktrace_hw_record **record);

/* Writes the data of the last record as a recording, which all commands of
 * ktrace-hw read, into the new folder @path. Not possible while the thread is
 * traced.
 */
enum ktrace_hw_status ktrace_hw_save(struct ktrace_hw *k, const char *path);

/* Returns the error of the last function called with @k; valid until the next
 * call of a function with @k.
 */
const struct ktrace_hw_error *ktrace_hw_last_error(const struct ktrace_hw *k);

#ifdef __cplusplus
}
#endif

#endif
