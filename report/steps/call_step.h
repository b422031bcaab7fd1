/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STEPS_CALL_STEP_H
#define KT_REPORT_STEPS_CALL_STEP_H

/* Call events: which function a task enters and exits, when, and in which state
 * the traces of the CPUs are. task_stacks.h emits them; timelines, profiles and
 * trackers of attribution consume them as a struct step_callback.
 *
 * Invariants of the events that a callback gets:
 * 1. Events of a CPU are in order. The times of a task's events never decrease.
 * 2. STEP_EXIT ends the innermost open function of its task, and depth is the
 *    number of open functions below it.
 * 3. STEP_LEAVE is followed by the STEP_SWITCH of its CPU; between them are
 *    only exits of the leaving task, if it has ended.
 * 4. A struct call_step is valid only during the callback. The index of its
 *    task identifies the task until the last event.
 *
 * A callback may let the caller end early (is_done), consume runs of plain
 * calls without single events (consume_plain), and continue from a checkpoint
 * (pack, task_pack).
 */

#include "decoder/goroutine_ids.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call_stack;
struct call_times;
struct function_event;
struct pack;
struct task_pack;

/* An interval of the recording's clock: [since_ns, until_ns). */
struct time_window {
	uint64_t since_ns;
	uint64_t until_ns;
};

#define TIME_WINDOW_ALL ((struct time_window){ 0, UINT64_MAX })

/* Returns whether @window includes all times. */
static inline bool time_window_is_all(struct time_window window)
{
	return !window.since_ns && window.until_ns == UINT64_MAX;
}

/* Returns the time in @window, including its end, that is nearest to @time_ns.
 */
static inline uint64_t time_window_clip(struct time_window window,
					uint64_t time_ns)
{
	if (time_ns < window.since_ns)
		return window.since_ns;
	if (time_ns > window.until_ns)
		return window.until_ns;
	return time_ns;
}

/* Returns how much of the time from @begin_ns to @end_ns is in @window. */
static inline uint64_t time_window_part(struct time_window window,
					uint64_t begin_ns, uint64_t end_ns)
{
	return time_window_clip(window, end_ns) -
	       time_window_clip(window, begin_ns);
}

/* Returns whether @time_ns is in @window. */
static inline bool time_window_has(struct time_window window, uint64_t time_ns)
{
	return time_ns >= window.since_ns && time_ns < window.until_ns;
}

/* A task in a report. */
struct task {
	uint32_t index; /* counted from 0 in order of appearance */
	int32_t tid;	/* 0: the idle task of cpu, -1: unknown */
	int32_t pid;
	int32_t cpu; /* current or last CPU */
};

enum call_step_kind {
	STEP_ENTER, /* function begins */
	/* function ends; detail 1: by a jump to the function of the task's next
	 * call event, a STEP_ENTER with HOW_TAIL
	 */
	STEP_EXIT,
	/* a call within code without names, or an exception without a handler
	 * of its own: counted, but not entered (FUNCTION_LOCAL_CALL,
	 * FUNCTION_LOCAL_EXCEPTION)
	 */
	STEP_COUNT,
	STEP_LEAVE, /* task leaves cpu; a STEP_SWITCH follows */
	/* task runs on cpu now; detail 1: the previous task was still runnable
	 */
	STEP_SWITCH,
	/* cpu enters state detail, an enum cpu_state; for CPU_GUEST, place
	 * identifies the virtual machine: its VMCS or page table root, 0 if
	 * unknown
	 */
	STEP_STATE,
	/* cpu enters CPU_GAP: detail is an enum flow_gap_reason, value the
	 * bytes lost (0: unknown), place the byte offset in the stream
	 */
	STEP_GAP,
	/* an instruction of the running task saved, cleared or set the flag
	 * that lets interrupts through, or changed the counter that forbids
	 * preemption: detail is an enum instruction_interrupts; only if
	 * wants_interrupts is set
	 */
	STEP_INTERRUPTS,
	STEP_END, /* end of cpu's events */
};

/* How a function was entered. */
enum call_how {
	HOW_CALL,
	HOW_TAIL,	 /* by a jump, which ended the caller */
	HOW_EXCEPTION,	 /* interrupt or exception */
	HOW_SYSTEM_CALL, /* from traced user code */
	/* at the start of a trace interval, such as an entry from untraced user
	 * space
	 */
	HOW_START,
	HOW_INFERRED, /* already running when first traced */
	/* its user stack was resumed, or it was inlined, and continues after
	 * code of its caller: no call
	 */
	HOW_RESUMED,
};

/* Returns whether @how is a call; if not, the function was open before. */
static inline bool call_how_is_call(uint8_t how)
{
	return how != HOW_START && how != HOW_INFERRED && how != HOW_RESUMED;
}

/* State of a CPU's trace during an interval. */
enum cpu_state {
	CPU_UNSEEN, /* before the first time packet */
	CPU_TRACED,
	CPU_OUTSIDE,   /* at an untraced privilege level: user */
	CPU_FILTERED,  /* outside the address filter */
	CPU_OFF,       /* trace unit off: another task ran */
	CPU_NOT_ASKED, /* no chosen call was running: --only */
	CPU_GUEST,     /* in a virtual machine that runs on it */
	CPU_GAP,
	CPU_STATES,
};

/* A CPU's time by state, within the window. */
struct cpu_account {
	int32_t cpu;
	uint64_t first_ns; /* 0: no time packet yet */
	uint64_t last_ns;
	/* time of the last event, not clipped to the window */
	uint64_t event_ns;
	uint64_t state_ns[CPU_STATES]; /* their sum is last_ns - first_ns */
	uint64_t idle_ns;	       /* part of CPU_TRACED in the idle task */
	uint64_t switches;
	uint64_t gaps; /* number of gaps that overlap the window */
	/* bytes of trace lost in gaps that start in the window, where known */
	uint64_t lost_bytes;
};

/* Untraced parts of a function's execution. */
enum call_unseen {
	UNSEEN_BEGIN = 1,  /* began earlier than its STEP_ENTER */
	UNSEEN_END = 2,	   /* ended earlier than its STEP_EXIT */
	UNSEEN_INSIDE = 4, /* tracing paused while it was open */
};

/* A call event, or an event of a task or CPU. Events of each CPU are in order,
 * CPUs are merged by time. The true time is in [time_ns - early_ns, time_ns +
 * late_ns].
 */
struct call_step {
	uint64_t time_ns;
	uint32_t early_ns;
	uint32_t late_ns;
	uint8_t kind;	/* enum call_step_kind */
	uint8_t how;	/* ENTER, EXIT, COUNT: enum call_how */
	uint8_t unseen; /* ENTER, EXIT: enum call_unseen bits */
	uint8_t detail;
	uint32_t cpu;	   /* UINT32_MAX: the stream of one thread */
	uint32_t function; /* ENTER, EXIT, COUNT */
	uint32_t depth;	   /* ENTER, EXIT: 0 is outermost */
	/* time that task has spent traced, within the window */
	uint64_t clock_ns;
	/* like clock_ns without a window, since the start of decoding */
	uint64_t whole_ns;
	uint64_t wall_ns;   /* EXIT: since its ENTER */
	uint64_t on_cpu_ns; /* EXIT: part of wall_ns traced in this task */
	uint64_t value;	    /* GAP */
	/* GAP, STATE; ENTER: the return address, 0 if unknown */
	uint64_t place;
	/* ENTER, EXIT: number of the user stack within its process, in order of
	 * appearance (stack_switch_internal.h), or FIBER_GOROUTINE and a
	 * goroutine's id; 0: the thread's own
	 */
	uint32_t fiber;
	const struct task *task; /* never NULL */
};

/* A fiber with this bit is a goroutine whose id was recorded (record
 * --goroutines): the other bits are the id.
 */
#define FIBER_GOROUTINE (UINT32_C(1) << 31)

/* Where a process has goroutines with ids, other fibers have greater numbers, so
 * that no two have the same fiber_number().
 */
#define FIBER_WITHOUT_ID GOROUTINE_ID_MOST

static inline bool fiber_is_goroutine(uint32_t fiber)
{
	return fiber & FIBER_GOROUTINE;
}

/* Returns the number of @fiber in reports; a goroutine's number is its id. */
static inline uint32_t fiber_number(uint32_t fiber)
{
	return fiber & ~FIBER_GOROUTINE;
}

/* Returns the word for @fiber in reports: "goroutine" or "fiber". */
static inline const char *fiber_kind(uint32_t fiber)
{
	return fiber_is_goroutine(fiber) ? "goroutine" : "fiber";
}

/* A consumer of call events, such as timeline renderers and the profile. */
struct step_callback {
	void (*consume)(struct step_callback *callback,
			const struct call_step *step);
	/* Returns whether no event at @time_ns or later can change the result,
	 * except the ends of CPUs and of open functions. NULL: any may.
	 */
	bool (*is_done)(const struct step_callback *callback, uint64_t time_ns);
	/* Fast path: applies the first of @count @events to @stack and consumes
	 * the resulting call events of the task and CPU of @step, as far as
	 * plain_call_consume() can apply them, in one call. Returns the number of
	 * events applied. NULL: none.
	 */
	uint32_t (*consume_plain)(struct step_callback *callback,
				  const struct call_step *step,
				  struct call_stack *stack,
				  const struct function_event *events,
				  uint32_t count, struct call_times *times);
	/* The error bounds of the events' times are not used. */
	bool ignores_bounds;
	/* The callback depends only on the order of each task's events: between
	 * two switches, events of different CPUs may be out of order.
	 */
	bool ignores_cpu_order;
	/* The callback needs all earlier events, not only the functions open at
	 * the start of decoding.
	 */
	bool needs_begin;
	/* The callback gets STEP_INTERRUPTS; it needs all earlier events. */
	bool wants_interrupts;
	/* Writes the callback's state after the events so far, or reads it into
	 * a callback without events, which can then continue from there. NULL:
	 * a callback with needs_begin gets all events, whatever the window.
	 */
	void (*pack)(struct step_callback *callback,
		     const struct task_pack *tasks);
	const char *packed_as; /* with pack: name of its checkpoint file */
	/* Called with the entry of each function that is open at the start of
	 * decoding. NULL: consume() is called, unless the callback packs and so
	 * has the functions in its state.
	 */
	void (*open)(struct step_callback *callback,
		     const struct call_step *step);
};

/* Returns the index of @cpu in arrays of all CPUs. UINT32_MAX, which events of
 * per-thread streams have as their CPU, has index 0.
 */
static inline uint32_t cpu_slot(uint32_t cpu)
{
	return cpu + 1;
}

/* Writes or reads a callback's state as bytes (common/bytes.h): a task is
 * written as its index, and looked up by it when read.
 */
struct task_pack {
	struct pack *pack;
	/* Returns task @index of @tasks, or NULL if it does not exist. */
	const struct task *(*find)(const void *tasks, size_t index);
	const void *tasks;
};

/* Writes or reads *@task, which may be NULL. */
void task_pack_task(const struct task_pack *tasks, const struct task **task);

/* Writes or reads the ids and the CPU of @task, without its index. */
void task_pack_facts(struct pack *pack, struct task *task);

/* Makes the pack fail unless tasks below @count exist. */
void task_pack_check(const struct task_pack *tasks, uint32_t count);

#endif
