/* SPDX-License-Identifier: MIT */
#ifndef KT_EXPLAIN_CRITICAL_PATH_INTERNAL_H
#define KT_EXPLAIN_CRITICAL_PATH_INTERNAL_H

#include "explain/lives_internal.h"

#include <stdbool.h>
#include <stdint.h>

/* The critical path of a command: the chain of events without which it would
 * not have ended, found backwards from its end in the lives of threads
 * (lives_internal.h).
 *
 *	main     |#### fork ...........wait4...........####| end
 *	child          ####|...read...|########| exit
 *	disk               |==========|
 *
 *	path     |####|####|==========|########|########|
 *
 * Backwards from a thread and a time:
 *
 *	the thread ran            its work is links; continue at the row's start
 *	it waited for a CPU       a link for each thread that had the CPU, in
 *	                          parts if its affinity kept it from idle CPUs
 *	it was throttled          a link
 *	an interrupt woke it      a link for the disk, timer, ...; continue at the
 *	                          sleep's start
 *	thread X woke it          continue in X at the wake-up
 *	it was created            continue in its parent
 *	not in the trace          a link LINK_UNKNOWN
 *
 * If X did not work for this thread alone, the path returns: it follows X only
 * back to the start of the sleep, or of earlier ones that only timed out, and
 * then continues in the sleeper. It returns from locks, because threads that
 * get a lock one after the other do not need each other's earlier work, and
 * from threads outside the command (a server, a kernel thread), whose earlier
 * work was for other threads. Links found there have a cause (struct
 * path_cause) that names the sleep.
 *
 * Invariants:
 * 1. The lengths (ns) of all links add up to end_ns - begin_ns of the result,
 *    exactly.
 * 2. Each step of the walk goes back in time, or changes the thread; after
 *    MOST_HOPS changes at one time the sleep becomes a link. So the walk ends.
 * 3. Links are emitted from the last to the first. The interval [begin_ns,
 *    end_ns) of a link ends where that of the previous link starts; but the
 *    links of one row of a running thread share the row's interval, and each
 *    has a part of it.
 *
 * Memory: the walk needs a constant amount in addition to the lives.
 */

enum link_kind {
	/* work of the thread, as in enum work_kind: */
	LINK_USER,
	LINK_CALL,
	LINK_FAULT,
	LINK_INTERRUPT,
	LINK_KERNEL,
	LINK_TRACER,
	LINK_GUEST,
	LINK_CPU,  /* had no CPU: other had it */
	LINK_IDLE, /* could run, but its CPU stayed idle until it ran */
	/* had no CPU: other had it; CPUs were idle, but none that it was
	 * allowed to use
	 */
	LINK_AFFINITY,
	LINK_THROTTLED, /* its cgroup had used up its CPU quota */
	LINK_RECORDER,	/* had no CPU: the recorder's threads had it */
	LINK_DISK,
	LINK_NETWORK,
	LINK_TIMER,
	/* the kernel made it sleep for a while: */
	LINK_OVER_HIGH, /* its cgroup used more than memory.high */
	LINK_DIRTY,	/* it wrote faster than the disk */
	LINK_RECLAIM,	/* memory was short */
	LINK_DEVICE,	/* another interrupt */
	LINK_WAIT,	/* slept; the end was not recorded */
	LINK_UNKNOWN,	/* not in the trace */
	LINK_KINDS,
};

/* Returns whether another thread had the CPU. */
static inline bool link_kind_has_other(enum link_kind kind)
{
	return kind == LINK_CPU || kind == LINK_AFFINITY;
}

enum link_certainty {
	LINK_EXACT,
	/* the link's length is its share of a row's time, or the waker is known
	 * but not its functions
	 */
	LINK_INFERRED,
	LINK_NOT_KNOWN,
};

enum cause_kind {
	/* the waiter wanted a lock that the actor held, of the command or not */
	CAUSE_LOCK,
	/* a futex, and the program's functions that wait for it are unknown */
	CAUSE_FUTEX,
	CAUSE_REPLY,  /* it waited for a program outside the command */
	CAUSE_HELPER, /* it waited for a thread of the kernel */
};

/* Why the path is in a thread that it leaves again. */
struct path_cause {
	enum cause_kind kind;
	uint32_t waiter; /* number of the waiting thread */
	uint32_t actor;
	/* start of the waiter's sleep, or of the first one in a series of
	 * sleeps that timed out and were repeated
	 */
	uint64_t since_ns;
	/* NULL: the waiter did other work, and the path follows a request */
	const struct life_sleep *sleep;
};

struct path_link {
	enum link_kind kind;
	enum link_certainty certainty;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t ns;	   /* its length, at most end_ns - begin_ns */
	uint32_t thread;   /* whose time it is */
	uint32_t function; /* as in struct life_part; else FUNCTION_NONE */
	uint32_t count;	   /* LINK_FAULT: number of faults that began */
	/* LINK_CPU, LINK_AFFINITY: thread that had the CPU, or LIFE_NONE */
	uint32_t other;
	uint8_t reason;			/* LINK_UNKNOWN: enum unknown_reason */
	const struct life_sleep *sleep; /* of LINK_DISK to LINK_WAIT; or NULL */
	/* outermost first: causes[0] is of a thread of the command */
	const struct path_cause *causes;
	uint32_t cause_count;
};

struct function_table;

struct path_options {
	const struct lives *lives;
	const struct function_table *functions;
	uint32_t thread; /* the thread in which the path ends, at end_ns */
	uint64_t end_ns;
	uint64_t begin_ns; /* the path does not go back beyond this time */
	/* why the path ends in that thread, if it is not of the command:
	 * since_ns is begin_ns; NULL: it is of the command
	 */
	const struct path_cause *cause;
	/* Return whether a thread belongs to the command, or to the kernel. */
	bool (*is_chosen)(void *ctx, uint32_t thread);
	bool (*is_kernel)(void *ctx, uint32_t thread);
	/* Returns 0 or a negative enum error. */
	int (*consume)(void *ctx, const struct path_link *link);
	void *ctx;
};

/* Emits the links of the critical path to options->consume and sets *@begin_ns
 * to the path's start: options->begin_ns, or later if the first thread of the
 * command was created or first seen there.
 *
 * Returns 0 or the error that consume() returned.
 */
int critical_path_walk(const struct path_options *options, uint64_t *begin_ns);

#endif
