/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_OFF_CPU_H
#define KT_ATTRIBUTION_OFF_CPU_H

#include "attribution/time/time_span.h"

#include <stdbool.h>
#include <stdint.h>

struct known_events;
struct recording;

/* How a thread left the CPU. */
enum off_how {
	OFF_UNSEEN,   /* it was off the CPU when the recording started */
	OFF_LEFT,     /* it left, for an unknown reason */
	OFF_RUNNABLE, /* it left while runnable */
	OFF_ASLEEP,   /* it left to wait for something */
	OFF_NEW,      /* it was created and has not run yet */
};

/* An interval of a thread's time off the CPU, with all evidence about it. */
struct off_cpu {
	uint64_t begin_ns;
	uint64_t end_ns;	 /* if has_ended */
	uint64_t wake_ns;	 /* 0: no wake-up was recorded */
	uint32_t begin_error_ns; /* see struct time_span */
	int32_t waker_tid;
	bool is_wake_inferred; /* wake_ns is inferred: see untraced_wakeups.h */
	/* the trace shows that the scheduler put it to sleep */
	bool has_blocked;
	int32_t cpu;	/* that it left */
	uint8_t how;	/* enum off_how */
	bool has_ended; /* it is on a CPU again */
};

/* The evidence about time off the CPU that a recording contains. */
struct off_cpu_evidence {
	bool has_switches; /* sched_switch: the reason for leaving */
	bool has_wakeups;  /* sched_waking, by any waker */
	bool has_all_cpus; /* a thread cannot run untraced on another CPU */
	bool has_losses;   /* some records are missing */
};

struct off_cpu_evidence off_cpu_evidence_of(const struct recording *recording,
					    const struct known_events *events);

/* Returns whether the evidence can show that a thread waits for a CPU. */
bool off_cpu_is_known(const struct off_cpu_evidence *evidence);

enum { OFF_CPU_PARTS = 2 };

/* Splits @off, which ends at off->end_ns, into @parts without holes, and sets
 * their times, class, reason and waker. If @off has not ended, the end of the
 * recording cuts it there.
 *
 * Returns the number of parts: up to OFF_CPU_PARTS, 0 if @off is empty.
 */
int off_cpu_split(const struct off_cpu *off,
		  const struct off_cpu_evidence *evidence,
		  struct time_span parts[OFF_CPU_PARTS]);

/* Returns the meaning of sched_switch's prev_state. */
enum off_how off_how_of(int64_t prev_state);

/* Returns whether @prev_state is that of a thread that has ended. */
bool off_is_dead(int64_t prev_state);

#endif
