/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPTS_INTERRUPT_ROWS_H
#define KT_ATTRIBUTION_INTERRUPTS_INTERRUPT_ROWS_H

#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_record;
struct cache_file_writer;
struct pack;

/* Kinds of kernel code that runs without a choice of the current task, or on
 * behalf of another task. If a slice of interrupt work is nested in another
 * one, its time counts for the inner slice only.
 */
enum interrupt_kind {
	INTERRUPT_HARD, /* an interrupt of any vector, with its handler */
	INTERRUPT_IPI,	/* an interrupt sent by another CPU, or by this one */
	INTERRUPT_NMI,
	INTERRUPT_SOFTIRQ, /* a run of soft interrupts, or the action of one */
	INTERRUPT_NAPI,	   /* a poll of a network device */
	INTERRUPT_TIMER,   /* a timer's function */
	INTERRUPT_HRTIMER, /* a high-resolution timer's function */
	INTERRUPT_TASKLET,
	INTERRUPT_RCU,	  /* RCU callbacks */
	INTERRUPT_WORK,	  /* a work item, on a kworker's time */
	INTERRUPT_THREAD, /* a threaded handler, on its thread's time */
	/* reclaim or compaction of memory, by kswapd and kcompactd or by a task
	 * that allocates
	 */
	INTERRUPT_RECLAIM,
	INTERRUPT_KINDS,
};

/* How the process that interrupt work is charged to was found.
 *
 * Exact means that events prove it:
 * - system: NMIs, RCU, the tick and the functions listed in interrupt_roles.c
 *   serve the system by definition (track_threads.c, track_deferred.c);
 * - packets: a task reads or queued the packet (track_packets.c);
 * - disk requests: device and sectors, from queue to completion
 *   (track_storage.c);
 * - work items and timers: objects of one request (track_deferred.c);
 * - soft interrupts and polls: exactly one interrupt raised them
 *   (track_deferred.c, track_packets.c);
 * - threaded handlers: they inherit the owner of their interrupt
 *   (track_threads.c).
 *
 * Work that inferred work starts is inferred: interrupt_slice_owner(). If work
 * was for several processes, events prove which, but not how much of it was for
 * each: all its parts are inferred (owners_internal.h).
 */
enum interrupt_certainty {
	/* the owner is that of the object that the work handled */
	CERTAIN_EXACT,
	/* the owner is the task that it woke, or similar evidence shows it */
	CERTAIN_INFERRED,
	CERTAIN_NOBODY, /* nobody owns it */
	CERTAINTIES,
};

/* One sum: work of one function, on one thread's time, for one process. The
 * members up to victim_tid are the key.
 */
struct interrupt_row {
	uint32_t kind; /* enum interrupt_kind */
	/* 1: work of a kernel thread, no interrupt */
	uint32_t is_thread_work;
	int32_t irq;	   /* INTERRUPT_HARD: its number, or -1 */
	uint32_t function; /* the handler, action or callback */
	uint32_t victim;   /* index of the task on whose time it ran */
	/* charged process; 0: the system; -1: nobody owns it */
	int32_t pid;

	int32_t victim_pid; /* 0: idle */
	int32_t victim_tid;
	/* number of slices; of a slice with several owners, each one's part */
	double count;
	uint64_t total_ns;
	uint64_t max_ns;		  /* duration of the longest slice */
	uint64_t certain_ns[CERTAINTIES]; /* total_ns by certainty */
};

/* The sums of interrupt work, by function and victim, and within these by the
 * process charged.
 */
struct interrupt_rows;

/* Returns rows without any sum; NULL when out of memory. */
struct interrupt_rows *interrupt_rows_new(void);
void interrupt_rows_free(struct interrupt_rows *rows);

/* Returned in place of a number when out of memory. */
#define INTERRUPT_WORK_NONE UINT32_MAX

/* Returns the number, from 0, of @work, the kind of work of a function on one
 * task's time. Adds it if it is new. The sums of @work must be 0 and its pid
 * -1.
 */
uint32_t interrupt_rows_work(struct interrupt_rows *rows,
			     const struct interrupt_row *work);

/* Identity and time of a slice of work. */
struct slice_span {
	uint64_t serial; /* number of the slice, from 1; 0: none */
	uint64_t outer;	 /* serial of the enclosing slice; 0: none */
	uint64_t begin_ns;
	uint64_t end_ns;
	int32_t cpu;
	uint64_t own_ns;   /* time not in nested slices */
	uint64_t shown_ns; /* part of own_ns in the window */
	/* shown_ns is not 0, or the slice starts in the window */
	bool is_shown;
};

/* A part of a slice that is charged to one owner: @count is the fraction of the
 * slice (1: all of it), and @ns its part of the slice's own time, from offset
 * @from_ns in that time.
 */
struct interrupt_charge {
	uint32_t work;
	uint8_t certainty; /* enum interrupt_certainty */
	double count;
	uint64_t from_ns;
	uint64_t ns;
	struct slice_span span;
};

/* Returns the part of @charge in @of_ns, which is itself a part of the slice's
 * own time. The parts of all charges of a slice add up to @of_ns.
 */
uint64_t interrupt_charge_part(const struct interrupt_charge *charge,
			       uint64_t of_ns);

/* Counts one slice of work @number, if it is shown. Its shares are added later
 * by interrupt_rows_add(). @times: the intervals (struct time_window) of the
 * slice's own time; NULL if nothing is cached.
 */
void interrupt_rows_count(struct interrupt_rows *rows, uint32_t number,
			  const struct slice_span *span,
			  const struct array *times);

/* Called for each part of a shown slice once its owner is known. That may be at
 * any time until the end of the pass.
 */
struct charge_callback {
	void (*consume)(struct charge_callback *callback,
			const struct interrupt_row *work, int32_t pid,
			const struct interrupt_charge *charge);
};

/* Caches all slices and their shares in @writer from now on, shown or not. */
void interrupt_rows_keep(struct interrupt_rows *rows,
			 struct cache_file_writer *writer);

/* Reads a cached record and adds the part of it that is in @window. Function
 * numbers must be below @functions.
 */
void interrupt_rows_read(struct interrupt_rows *rows, struct time_window window,
			 uint32_t functions, struct pack *pack);

/* Calls @callback, which is borrowed, for each addition from now on. */
void interrupt_rows_listen(struct interrupt_rows *rows,
			   struct charge_callback *callback);

/* Adds @charge to the row of process @pid (-1: nobody), if its slice is shown.
 * Returns false when out of memory.
 */
bool interrupt_rows_add(struct interrupt_rows *rows, int32_t pid,
			const struct interrupt_charge *charge);

/* Returns row @index, in no order; each row is for one function, victim and
 * charged process. NULL after the last.
 */
const struct interrupt_row *interrupt_rows_at(const struct interrupt_rows *rows,
					      size_t index);

/* Like interrupt_rows_at(), but each row is for all charged processes: pid is
 * -1, count is the number of slices, max_ns the longest slice.
 */
const struct interrupt_row *
interrupt_rows_work_at(const struct interrupt_rows *rows, size_t index);

/* The device names of interrupt numbers, from irq_handler_entry. */
struct irq_names {
	struct keyed_array all; /* struct irq_name */
};

struct irq_name {
	int32_t irq;
	char text[64];
};

#define IRQ_NAMES_NONE \
	((struct irq_names){ KEYED_ARRAY_OF(struct irq_name, irq) })

void irq_names_free(struct irq_names *names);

/* Adds the name in @event, if any. Returns 0, or -ERROR_MEMORY. */
int irq_names_consume(struct irq_names *names,
		      const struct event_record *event);

/* Writes or reads the names. */
void irq_names_pack(struct irq_names *names, struct pack *pack);

/* Returns the name of @irq, "" if it has none. */
const char *irq_names_find(const struct irq_names *names, int32_t irq);

#endif
