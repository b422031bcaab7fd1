/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TIMELINE_SPAN_EXPORT_H
#define KT_REPORT_TIMELINE_SPAN_EXPORT_H

/* Timelines as nested spans on tracks, for viewers: Perfetto, Chrome, Firefox
 * Profiler, Trace Compass.
 *
 *  call events --span_export_open()---+--> struct span_writer, one for each
 *  (functions, running tasks, gaps)   |    format: announce a track, begin and
 *  tables/side_tracks ----------------+    end its spans
 *  (system calls, sleeps, interrupts), by span_export_side_tracks()
 *
 * A track has the functions of a task, those of a fiber of its process, the
 * tasks or the trace of a CPU, or one kind of spans beside a task or CPU
 * (struct side_track).
 *
 * Invariants:
 * 1. A track is announced once, before its first span.
 * 2. Spans of a track nest: an end ends the track's innermost span.
 * 3. Spans of call events arrive in order of time by CPU; those of side tracks
 *    in any order, since sleeps and calls are known only when they end.
 * 4. Equal numbers of a track's names mean equal names, except
 *    SPAN_NUMBER_NONE: a format may intern them.
 *
 * The writer is owned by the export, which frees it by finish(). Errors:
 * as of close() (timeline.h), from span_export_close().
 */

#include "report/timeline/timeline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The contents of a track. */
enum span_track_kind {
	SPAN_TASK,	/* the functions of one task */
	SPAN_CALLS,	/* its system calls */
	SPAN_SLEEPS,	/* its sleeps, and the threads it wakes */
	SPAN_WORK,	/* work of a kernel thread for other processes */
	SPAN_CPU_TASKS, /* the tasks that run on one CPU */
	/* intervals when one CPU's trace is incomplete, or shows no
	 * functions
	 */
	SPAN_CPU_TRACE,
	SPAN_CPU_INTERRUPTS, /* the interrupt work on one CPU */
	SPAN_FIBER, /* the functions on a user stack that is not a task's own */
	/* a task's time without a CPU because its cgroup had used up its CPU
	 * quota
	 */
	SPAN_THROTTLED,
	SPAN_SPINS,	 /* a task's waits for other CPUs, without sleep */
	SPAN_READ_CALLS, /* its calls whose arguments were recorded */
	SPAN_BLOCK,	 /* I/O of block devices; cpu is the track's number */
	SPAN_CPU_INTERRUPTS_OFF, /* the intervals without interrupts on a CPU */
	SPAN_CPU_PREEMPTION_OFF, /* the intervals without preemption on a CPU */
	SPAN_TRACK_KINDS,
};

/* Annotations of a span; see span_note_text(). */
enum span_note_name {
	NOTE_ARGUMENTS, /* of a system call, in strace's format */
	NOTE_RESULT,
	NOTE_END,    /* how the call ended, unless it returned */
	NOTE_INNER,  /* the innermost function asleep */
	NOTE_WAKER,  /* the chain of wakers */
	NOTE_IS_CUT, /* 1: cut by the start or end of the recording */
	NOTE_WOKEN,  /* the woken thread */
	NOTE_WOKEN_TID,
	NOTE_KIND, /* of interrupt work */
	NOTE_IRQ,
	NOTE_ON_PID, /* process whose time was used */
	NOTE_ON_TID,
	NOTE_LOST_BYTES, /* of trace */
	NOTE_OFFSET,	 /* in the CPU's trace */
	NOTE_FUNCTION,	 /* that waits, or called the block layer */
	NOTE_OWN_NS,	 /* of a wait: without callees and interrupts */
	NOTE_ENDED_BY,	 /* thread that ended a wait */
	NOTE_SECTOR,
	NOTE_BYTES,
	NOTE_DELAYED,	   /* what waited for the end of an interval */
	NOTE_UNCERTAIN_NS, /* limit of the error of an interval's length */
	SPAN_NOTES,
};

struct span_note {
	uint8_t name;	  /* enum span_note_name */
	const char *text; /* NULL: the value is a number */
	/* the value; with a text, the number that it shows, 0: none */
	uint64_t number;
};

/* The number of a note with @id, a process's or thread's: 0 if it is unknown.
 */
static inline uint64_t span_note_id(int id)
{
	return id > 0 ? (uint64_t)id : 0;
}

/* For names that are not interned. */
#define SPAN_NUMBER_NONE UINT32_MAX

/* The start of a span, or an instant. */
struct span {
	uint64_t time_ns;
	/* number of its name: within a track, equal numbers mean equal names */
	uint32_t number;
	const char *name; /* NULL: the name of the function with this number */
	const char *category;
	/* if not 0, number of an arrow that starts at this instant, or ends at
	 * this span
	 */
	uint64_t flow;
	const struct span_note *notes;
	size_t note_count;
};

/* Returns the name of a note, such as "lost_bytes". */
const char *span_note_text(uint8_t name);

/* A track beside the functions of a thread, or of a CPU. */
struct side_track {
	enum span_track_kind kind;
	const struct task *task; /* NULL for a CPU */
	uint32_t cpu;
};

/* sched_waking, or sched_wakeup_new, as recorded. */
struct track_waking {
	uint64_t time_ns;
	uint32_t cpu; /* of the waker */
	int32_t waker_tid;
	int32_t tid;
	uint32_t flags; /* common_flags of its record; 0: unknown */
	bool is_new;
};

/* The function where a thread slept before a wake-up. */
struct track_blocked {
	uint64_t time_ns; /* time of the wake-up */
	int32_t tid;
	uint32_t function;
};

/* A switch of a CPU from one thread to another; 0: the idle task. A thread that
 * the filter leaves out is shown as idle.
 */
struct span_switch {
	uint64_t time_ns;
	uint32_t cpu;
	int32_t prev_tid;
	int32_t next_tid;
	bool is_preempted; /* the previous thread was still runnable */
};

/* Counters of the whole machine, or of a CPU. */
enum track_counter {
	COUNTER_RUNNABLE,  /* threads that wait for a CPU */
	COUNTER_FREQUENCY, /* of a CPU, in kHz */
	COUNTER_RING,	   /* trace that a CPU's ring holds, in bytes */
};

/* A counter's value from a time on. */
struct track_count {
	uint64_t time_ns;
	uint64_t value;
	uint32_t cpu; /* 0 with COUNTER_RUNNABLE */
	uint8_t counter;
};

/* Receives spans and events that a timeline format shows beside the call
 * events; their emitters know more than call events contain. Spans of a track
 * nest. They need not be in order of time: viewers sort them.
 */
struct track_callback {
	void (*begin)(struct track_callback *callback,
		      const struct side_track *side, const struct span *span);
	void (*end)(struct track_callback *callback,
		    const struct side_track *side, uint64_t time_ns);
	void (*mark)(struct track_callback *callback,
		     const struct side_track *side, const struct span *span);
	void (*waking)(struct track_callback *callback,
		       const struct track_waking *waking);
	void (*blocked)(struct track_callback *callback,
			const struct track_blocked *blocked);
	/* Values of each counter of a CPU arrive in order of time. */
	void (*count)(struct track_callback *callback,
		      const struct track_count *count);
};

/* A track of nested spans. */
struct span_track {
	enum span_track_kind kind;
	/* of a thread's track: the thread; of a fiber's track: the first thread
	 * that ran the fiber; else NULL
	 */
	const struct task *task;
	uint32_t fiber;	 /* of a fiber's track: its number */
	uint32_t cpu;	 /* of a CPU's track */
	uint64_t number; /* unique, from 1 */
	/* of a track beside a task's functions: the number of the functions'
	 * track; else 0
	 */
	uint64_t parent;
	/* contents, such as "sleeps"; NULL: functions, or running tasks */
	const char *side;
	char name[48]; /* of the task or the CPU */
};

/* Maximum length of a name; longer names, which may hold any bytes, are cut. */
enum { SPAN_NAME_BYTES = 511 };

/* Writes spans in one format. */
struct span_writer {
	/* Set by span_export_open(); borrowed. */
	const struct function_table *functions;
	/* Called once for each track, before its first span, which is at about
	 * @time_ns.
	 */
	void (*announce)(struct span_writer *writer,
			 const struct span_track *track, uint64_t time_ns);
	/* Called at the entry and the exit of a function on @track; NULL: these
	 * are spans.
	 */
	void (*change)(struct span_writer *writer,
		       const struct span_track *track,
		       const struct call_step *step);
	void (*begin)(struct span_writer *writer,
		      const struct span_track *track, const struct span *span);
	void (*end)(struct span_writer *writer, const struct span_track *track,
		    uint64_t time_ns);
	/* Writes an instant; NULL: instants are dropped. */
	void (*mark)(struct span_writer *writer, const struct span_track *track,
		     const struct span *span);
	/* Called when a task starts to run (STEP_SWITCH) or stops running, or a
	 * CPU ends, in addition to the spans of running tasks; NULL: not
	 * called.
	 */
	void (*run)(struct span_writer *writer, const struct call_step *step);
	/* Called when a CPU changes its thread, besides the spans of running
	 * tasks, in order of time by CPU. Not called for per-thread streams,
	 * whose CPU is unknown. NULL: not called.
	 */
	void (*switched)(struct span_writer *writer,
			 const struct span_switch *change);
	/* See struct track_callback; NULL: dropped. */
	void (*waking)(struct span_writer *writer,
		       const struct track_waking *waking);
	void (*blocked)(struct span_writer *writer,
			const struct track_blocked *blocked);
	void (*count)(struct span_writer *writer,
		      const struct track_count *count);
	/* Frees the writer. Returns like close() of struct timeline_renderer.
	 */
	int (*finish)(struct span_writer *writer);
};

/* Returns the name of @function, the same pointer each time. */
const char *span_name(const struct span_writer *writer, uint32_t function);

/* Returns a callback that converts call events to spans for @writer, and takes
 * ownership of @writer; NULL when out of memory, after freeing @writer.
 */
struct step_callback *span_export_open(const struct timeline_context *context,
				       struct span_writer *writer);

/* Returns the receiver of tracks beside the functions; owner: @callback. */
struct track_callback *span_export_side_tracks(struct step_callback *callback);

/* Finishes the writer and frees the callback. Returns 0 or an error (see
 * above).
 */
int span_export_close(struct step_callback *callback);

#endif
