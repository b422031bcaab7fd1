/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CALL_STEP_H
#define KT_REPORT_CALL_STEP_H

#include <stdbool.h>
#include <stdint.h>

/* A task as the report sees it. */
struct task {
	uint32_t index; /* counted from 0 in order of appearance */
	int32_t tid;	/* 0: the idle task of cpu, -1: unknown */
	int32_t pid;
	int32_t cpu; /* where it runs or ran last */
};

enum call_step_kind {
	STEP_ENTER,  /* function begins */
	STEP_EXIT,   /* function ends; detail 1: in a jump to the one whose
			 * STEP_ENTER (HOW_TAIL) is the task's next step */
	STEP_COUNT,  /* function was called from within: a count only */
	STEP_LEAVE,  /* task leaves cpu; a STEP_SWITCH follows */
	STEP_SWITCH, /* task runs on cpu now; detail 1: the one before it
			 * still wanted to */
	STEP_STATE,  /* cpu goes into state detail, an enum cpu_state; place
			 * names the virtual machine of CPU_GUEST: its VMCS or
			 * page table root, 0 unknown */
	STEP_GAP,    /* it goes into CPU_GAP: detail is an enum
			 * flow_gap_reason, value the bytes lost (0: unknown),
			 * place the byte offset in the stream */
	STEP_END,    /* nothing more comes from cpu */
};

/* How a function came to begin. */
enum call_how {
	HOW_CALL,
	HOW_TAIL,	 /* by a jump; the caller ended there */
	HOW_EXCEPTION,	 /* interrupt or exception */
	HOW_SYSTEM_CALL, /* seen from user code */
	HOW_START,	 /* the trace starts with it, as at an entry
				 * from user space that is not traced */
	HOW_INFERRED,	 /* it was running before it was first seen */
	HOW_RESUMED,	 /* its stack of user space was resumed: no call */
};

/* Returns whether @how is a call: else the function was open before. */
static inline bool call_how_is_call(uint8_t how)
{
	return how != HOW_START && how != HOW_INFERRED && how != HOW_RESUMED;
}

/* This is what is known about a CPU for a stretch of time. */
enum cpu_state {
	CPU_UNSEEN, /* before the first time packet */
	CPU_TRACED,
	CPU_OUTSIDE,   /* at a privilege level that is not traced: user */
	CPU_FILTERED,  /* outside the address filter */
	CPU_OFF,       /* the trace unit was off: another task ran */
	CPU_NOT_ASKED, /* no chosen call ran there: --only */
	CPU_GUEST,     /* in a virtual machine that it is the host of */
	CPU_GAP,
	CPU_STATES,
};

/* These parts of what a function did were not seen. */
enum call_unseen {
	UNSEEN_BEGIN = 1,  /* it began earlier */
	UNSEEN_END = 2,	   /* it ended earlier */
	UNSEEN_INSIDE = 4, /* tracing paused while it was open */
};

/* This is what happened, one thing after the other on each CPU, CPUs merged by
 * time.  The true time lies within [time_ns - early_ns, time_ns + late_ns].
 */
struct call_step {
	uint64_t time_ns;
	uint32_t early_ns;
	uint32_t late_ns;
	uint8_t kind;	/* enum call_step_kind */
	uint8_t how;	/* ENTER, EXIT, COUNT: enum call_how */
	uint8_t unseen; /* ENTER, EXIT: enum call_unseen bits */
	uint8_t detail;
	uint32_t cpu;
	uint32_t function;	 /* ENTER, EXIT, COUNT */
	uint32_t depth;		 /* ENTER, EXIT: 0 is outermost */
	uint64_t clock_ns;	 /* time that task spent traced so far, in
					 * the window that is asked for */
	uint64_t whole_ns;	 /* the same whatever is asked for, from where
					 * decoding began */
	uint64_t wall_ns;	 /* EXIT: since its ENTER */
	uint64_t on_cpu_ns;	 /* EXIT: of that, traced in this task */
	uint64_t value;		 /* GAP */
	uint64_t place;		 /* GAP, STATE; ENTER: where it will return
					 * to, 0 if unknown */
	const struct task *task; /* never NULL */
};

struct call_stack;
struct call_times;
struct function_event;
struct task_pack;

/* Takes steps; each renderer of timelines and the profile is one. */
struct step_callback {
	void (*take)(struct step_callback *callback,
		     const struct call_step *step);
	/* Returns whether no step at @time_ns or later would change anything,
	 * but for the end of all CPUs and of what is open.  NULL: each may.
	 */
	bool (*is_done)(const struct step_callback *callback, uint64_t time_ns);
	/* Applies the first of @count @events to @stack and takes the steps that
	 * they lead to in the task and on the CPU of @step, as far as it can by
	 * plain_call_take(): one call for many steps.  Returns how many it
	 * applied.  NULL: none.
	 */
	uint32_t (*take_plain)(struct step_callback *callback,
			       const struct call_step *step,
			       struct call_stack *stack,
			       const struct function_event *events,
			       uint32_t count, struct call_times *times);
	/* How well the steps' times are known changes nothing. */
	bool ignores_bounds;
	/* What steps mean hangs on all that was before, of which the functions
	 * that are open are not enough.
	 */
	bool needs_begin;
	/* Writes what the callback keeps of the steps so far, or sets a callback
	 * that has taken none to what it reads, so that it goes on from there.
	 * NULL: one that needs the begin gets all steps, whatever the window.
	 */
	void (*pack)(struct step_callback *callback,
		     const struct task_pack *tasks);
	const char *packed_as; /* if it packs: its file of checkpoints */
	/* Takes the entry of a function that is open where decoding begins.  NULL:
	 * take() does, unless the callback packs, which then knows of it.
	 */
	void (*open)(struct step_callback *callback,
		     const struct call_step *step);
};

#endif
