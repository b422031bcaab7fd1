/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_PROCESS_VIEW_H
#define KT_DECODER_PROCESS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

struct array;
struct aux_stream;
struct recording;

/* Whose user code one stream's decoder meets, moving forward in time. */
struct process_view;

/* Borrows both.  Returns NULL when out of memory. */
struct process_view *process_view_new(const struct recording *recording,
				      const struct aux_stream *stream);
void process_view_free(struct process_view *view);

/* How an entry into user space is placed among the records of switches, which
 * have exact times while the trace may not: see process_view_enter().
 */
struct process_entry {
	uint64_t low_ns; /* bounds of the entry's time */
	uint64_t high_ns;
	uint64_t ip; /* the first instruction in user space; 0: unknown */
	/* Tasks that the kernel switched to since the previous entry or
	 * synchronisation point; negative if the trace does not show all of
	 * them.
	 */
	int32_t switches;
	/* The page table is still the previous entry's, and no other one was
	 * set in between.
	 */
	bool is_same_table;
	bool is_other_table; /* it is another one */
};

/* From now on only process_view_enter() and process_view_sync() change the
 * process, and times alone do not.
 */
void process_view_order_by_trace(struct process_view *view);

/* Returns when the next change is due, UINT64_MAX if none is left. */
uint64_t process_view_next_change_ns(const struct process_view *view);

/* Returns whether process_view_advance() with these times changes anything. */
bool process_view_is_due(const struct process_view *view, uint64_t low_ns,
			 uint64_t time_ns);

/* Advances to @time_ns.  Ordered by the trace: to a position in user space whose
 * time is at least @low_ns (0: a position in the kernel) and about @time_ns.
 * Passes switches and maps by @low_ns, which were untraced; of later maps it
 * adds only code at addresses that had none.  Returns 0 or
 * -ERROR_MEMORY.
 */
int process_view_advance(struct process_view *view, uint64_t low_ns,
			 uint64_t time_ns);

/* Finds the process that runs at @entry.  Passes the records certainly before
 * the entry and none certainly after it.  The trace decides about records
 * between the bounds, in this order: how often the kernel switched tasks,
 * the page table, and which processes have code at the entry's address.
 *
 * Returns 1; 0 if several processes remain: process_view_pid() is -1 then and
 * nothing is mapped; or -ERROR_MEMORY.
 */
int process_view_enter(struct process_view *view,
		       const struct process_entry *entry);

/* Passes the switches before a synchronisation point, whose time is within
 * [@low_ns, @high_ns].  The view then depends on these bounds alone, so threads
 * that start at the point agree.  If a switch is between the bounds, or the bounds
 * are within one (after the leaving task's record and before the next task's),
 * it may be ahead or not, and the number of switches decides no entry.
 * Returns 1; 0 if the view is too far ahead, as process_view_go_back(); or
 * -ERROR_MEMORY.
 */
int process_view_sync(struct process_view *view, uint64_t low_ns,
		      uint64_t high_ns);

/* Goes back to @time_ns, as far as some thousand switches.  Returns 1, 0 if
 * that is too far, or -ERROR_MEMORY.
 */
int process_view_go_back(struct process_view *view, uint64_t time_ns);

/* For recordings whose times are no nanoseconds: looks at what processes had
 * mapped in the end.  Returns 0 or -ERROR_MEMORY.
 */
int process_view_go_to_end(struct process_view *view);

/* Makes @pid the one that runs from @time_ns on (UINT64_MAX: the end).
 * Returns 0 or -ERROR_MEMORY.
 */
int process_view_set_process(struct process_view *view, int32_t pid,
			     uint64_t time_ns);

/* Returns the process that runs, -1 if unknown. */
int32_t process_view_pid(const struct process_view *view);

/* Returns what the process has mapped (struct process_map), the oldest first.
 */
const struct array *process_view_maps(const struct process_view *view);

#endif
