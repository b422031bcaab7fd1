/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_OFF_CPU_H
#define KT_ATTRIBUTION_OFF_CPU_H

#include "attribution/time/time_span.h"

#include <stdbool.h>
#include <stdint.h>

struct known_events;
struct recording;

/* How a thread came to be off the CPU. */
enum off_how {
	OFF_UNSEEN,   /* it was when the recording began */
	OFF_LEFT,     /* it left; nothing told why */
	OFF_RUNNABLE, /* it left and could have gone on */
	OFF_ASLEEP,   /* it left to wait for something */
	OFF_NEW,      /* it was made and has not run yet */
};

/* A stretch of a thread's time off the CPU, and what was said about it. */
struct off_cpu {
	uint64_t begin_ns;
	uint64_t end_ns;	 /* if has_ended */
	uint64_t wake_ns;	 /* 0: nobody was seen to wake it */
	uint32_t begin_error_ns; /* see struct time_span */
	int32_t waker_tid;
	bool is_wake_inferred; /* wake_ns is: see untraced_wakeups.h */
	bool has_blocked;      /* the scheduler was seen to put it to sleep */
	int32_t cpu;	       /* that it left */
	uint8_t how;	       /* enum off_how */
	bool has_ended;	       /* it came back to a CPU */
};

/* This is what a recording can tell about time off the CPU. */
struct off_cpu_evidence {
	bool has_switches; /* sched_switch: why a thread leaves */
	bool has_wakeups;  /* sched_waking, whoever wakes */
	bool has_all_cpus; /* a thread cannot run unseen on another */
	bool has_losses;   /* some records are missing */
};

struct off_cpu_evidence off_cpu_evidence_of(const struct recording *recording,
					    const struct known_events *events);

/* Returns whether any of it can be known to be one in which a thread waits for
 * a CPU.
 */
bool off_cpu_is_known(const struct off_cpu_evidence *evidence);

enum { OFF_CPU_PARTS = 2 };

/* Splits @off, which ends at off->end_ns, into @parts without holes, of which times,
 * class, reason and waker are set.  One that has not ended is cut there by the end of
 * the recording.
 *
 * Returns how many: up to OFF_CPU_PARTS, 0 if it is empty.
 */
int off_cpu_split(const struct off_cpu *off,
		  const struct off_cpu_evidence *evidence,
		  struct time_span parts[OFF_CPU_PARTS]);

/* Returns what sched_switch's prev_state says. */
enum off_how off_how_of(int64_t prev_state);

/* Returns whether it says that the thread has ended. */
bool off_is_dead(int64_t prev_state);

#endif
