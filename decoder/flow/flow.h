/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_FLOW_H
#define KT_DECODER_FLOW_H

#include <stdbool.h>
#include <stdint.h>

/* The execution that one trace stream recorded, in order.
 *
 *	libipt_source, coresight_source, execution_blocks (flow_source.h)
 *	   │ struct flow_item
 *	   ▼
 *	symbolize/events/: function events; cmd/: dumps and comparisons
 *
 * The enums of exits, stops and gaps also describe function events.
 *
 * A branch's target is not stored: it is the ip of the next block, of the next
 * FLOW_START, or unknown when a FLOW_STOP or FLOW_GAP follows.
 */
enum flow_kind {
	/* A run of consecutive instructions; ip is the first, ip + last the
	 * last one, detail an enum flow_exit.
	 */
	FLOW_BLOCK,
	/* An interrupt or an exception. ip is the instruction that would have
	 * run next, where an iret returns to. The handler's first block follows
	 * (or FLOW_STOP when it is not traced).
	 */
	FLOW_ASYNC,
	/* Tracing starts at ip; the first block follows. */
	FLOW_START,
	/* Tracing stops; detail is an enum flow_stop. ip is where execution
	 * continued if the trace reports it, else 0. With page table isolation
	 * on x86 the last block before it ends at the kernel's last write to
	 * CR3, not at the sysret or iret, which the decoder cannot see.
	 */
	FLOW_STOP,
	/* Execution continued untraced; detail is an enum flow_gap_reason, ip
	 * the position in the stream, counted in recorded bytes from 0, last
	 * the trace bytes lost or skipped (saturated, 0 if unknown). The gap
	 * starts at time_ns and ends at the time of the next item.
	 */
	FLOW_GAP,
	/* A context switch record of this CPU, inserted by its time, but after
	 * each stop whose lower time bound (flow_stop_low_ns()) is not later.
	 * ip holds the next task: tid, see flow_switch_tid(). The record is
	 * written near, not at, the kernel's own switch of stacks: usually
	 * before (record "out"), rarely just after. detail is an enum
	 * flow_switch_detail.
	 */
	FLOW_SWITCH,
	/* Code of @detail bits (2 = 64, 1 = 32, 0 = 16) follows; only emitted
	 * on a change.
	 */
	FLOW_MODE,
	/* The page table root changed; ip holds the new one (CR3 on x86). */
	FLOW_ADDRESS_SPACE,
	/* A transaction: detail is 1 began, 2 committed, 3 aborted. */
	FLOW_TRANSACTION,
	/* A ptwrite instruction; ip holds its operand. */
	FLOW_PTWRITE,
	/* The stream ended; always the last item, once. */
	FLOW_END,
};

/* How control left a block. Direct and indirect branches are not distinguished.
 */
enum flow_exit {
	FLOW_EXIT_NONE,	       /* fell through, or was interrupted */
	FLOW_EXIT_CONDITIONAL, /* taken or not: compare with the next ip */
	FLOW_EXIT_JUMP,
	FLOW_EXIT_CALL,
	FLOW_EXIT_RETURN,
	FLOW_EXIT_FAR_CALL,   /* syscall, sysenter, int n */
	FLOW_EXIT_FAR_RETURN, /* iret, sysret, sysexit */
	FLOW_EXIT_FAR_JUMP,
};

enum flow_stop {
	FLOW_STOP_LEVEL,     /* left for a privilege level not traced */
	FLOW_STOP_FILTER,    /* left the address filter's range */
	FLOW_STOP_OFF,	     /* the trace unit was switched off */
	FLOW_STOP_NOT_ASKED, /* the chosen call ended: --only */
	FLOW_STOP_ASIDE,     /* --only: its task left the CPU */
	/* a virtual machine was entered; ip is its VMCS, else its page table
	 * root, 0 if unknown. A FLOW_START ends it
	 */
	FLOW_STOP_GUEST,
};

enum flow_gap_reason {
	FLOW_GAP_OVERFLOW, /* the unit's own buffer was full */
	FLOW_GAP_LOST,	   /* the kernel reports it (AUX records) */
	FLOW_GAP_NO_CODE,  /* the code at an address is unknown */
	/* the kernel patched the code at an unknown time */
	FLOW_GAP_CODE_CHANGED,
	FLOW_GAP_BAD_TRACE,    /* trace and code disagree, or a bad packet */
	FLOW_GAP_UNSYNCED,     /* before the first sync point */
	FLOW_GAP_CUT,	       /* the recording's file ends too early */
	FLOW_GAP_UNKNOWN_CODE, /* bytes that do not decode as an instruction */
	/* code that the program generated; which bytes ran is unknown */
	FLOW_GAP_GENERATED,
};

enum flow_switch_detail {
	FLOW_SWITCH_TO,	     /* the task in ip runs next on this CPU */
	FLOW_SWITCH_PREEMPT, /* like TO; the previous task was preempted */
	FLOW_SWITCH_AWAY,    /* the task left; the next is unknown */
};

/* early_ns or late_ns without a bound, or with one over 4.29 s. */
#define FLOW_NO_BOUND UINT32_MAX

/* One item. time_ns is the best estimate of its start (for a block: when its
 * first instruction started), in nanoseconds of the recording's clock, and
 * never decreases within a stream. The true time lies within [time_ns -
 * early_ns, time_ns + late_ns]. Before the first time packet of a stream
 * time_ns is 0 and both bounds are FLOW_NO_BOUND.
 */
struct flow_item {
	uint64_t time_ns;
	uint32_t early_ns;
	uint32_t late_ns;
	uint8_t kind; /* enum flow_kind */
	uint8_t detail : 4;
	/* block: size in bytes of its last instruction if that is a call, a
	 * system call or a conditional branch, else 0
	 */
	uint8_t last_length : 4;
	uint16_t instructions; /* block: number executed */
	uint32_t last;
	uint64_t ip;
};

_Static_assert(sizeof(struct flow_item) == 32, "flow items are hot");

/* Returns whether tasks may be switched between a FLOW_STOP of @detail and the
 * next start. Otherwise execution only leaves the traced code for user space or
 * a virtual machine, and the trace continues when it returns from there.
 */
static inline bool flow_stop_ends_run(uint8_t detail)
{
	return detail != FLOW_STOP_LEVEL && detail != FLOW_STOP_GUEST;
}

/* Returns the lower time bound of a stop with flow_stop_ends_run(), estimated
 * time @time_ns and bound @early_ns. Context switch records from then on are
 * placed after the stop. The estimate does not decide, because the trace unit
 * writes no time when it is switched off: the estimate may be as late as the
 * next start, after other tasks ran. A switch that happened before the stop
 * would have its switch point in the trace.
 */
static inline uint64_t flow_stop_low_ns(uint64_t time_ns, uint32_t early_ns)
{
	return early_ns < time_ns ? time_ns - early_ns : 0;
}

/* Returns the time from which on context switch records are after a stop of
 * @detail: the lower bound if it ends the run, else the estimate.
 */
static inline uint64_t flow_stop_from_ns(uint8_t detail, uint64_t time_ns,
					 uint32_t early_ns)
{
	return flow_stop_ends_run(detail) ?
		       flow_stop_low_ns(time_ns, early_ns) :
		       time_ns;
}

/* Moves the context switch record @item to @time_ns, the time of the item
 * before it, if @item is earlier: times never decrease. @late_ns is the
 * previous item's upper bound.
 */
void flow_item_keep_order(struct flow_item *item, uint64_t time_ns,
			  uint32_t late_ns);

/* Returns whether a block left by @exit (enum flow_exit) has a last_length. */
static inline bool flow_exit_has_length(uint8_t exit)
{
	return exit == FLOW_EXIT_CALL || exit == FLOW_EXIT_FAR_CALL ||
	       exit == FLOW_EXIT_CONDITIONAL;
}

/* Returns the address after the last instruction of block @item, which has a
 * last_length: a call pushes it, and an untaken branch continues there.
 */
static inline uint64_t flow_return_address(const struct flow_item *item)
{
	return item->ip + item->last + item->last_length;
}

/* Returns the tid of the task that a FLOW_SWITCH names; 0 is the idle task, -1
 * unknown.
 */
static inline int32_t flow_switch_tid(const struct flow_item *item)
{
	return (int32_t)(uint32_t)item->ip;
}

/* Returns the pid of that task's process, or -1. */
static inline int32_t flow_switch_pid(const struct flow_item *item)
{
	return (int32_t)(uint32_t)(item->ip >> 32);
}

/* Return names for messages and dumps; never NULL. */
const char *flow_kind_text(uint8_t kind);
const char *flow_exit_text(uint8_t exit);
const char *flow_stop_text(uint8_t stop);
const char *flow_gap_text(uint8_t reason);

#endif
