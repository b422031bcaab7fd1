/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_PROCESS_VIEW_H
#define KT_DECODER_PROCESS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

struct array;
struct aux_stream;
struct process_maps;
struct recording;

/* The process that runs in one stream, and its mappings, at the current
 * position in its trace. The view has a position among the stream's switch
 * records: the records before it have passed, the others are ahead.
 *
 * At first the view is ordered by time: process_view_advance() moves it to a
 * time. But switch records have exact times, while the time of an instruction
 * in the trace is only known within bounds, and several switches may lie
 * between these. After process_view_order_by_trace(), the view is ordered by
 * the trace: entries into user space and sync points move the position.
 *
 *	              low_ns                      high_ns
 *	──── s1 ── s2 ──┼──── s3 ──── s4 ──── s5 ────┼── s6 ──►
 *	   have passed  │   the evidence decides     │ are ahead
 *
 * At an entry, the candidates are the current process and the next process of
 * each record between the bounds. A switch point is a position in the trace
 * where the kernel changes the running task. If the number of switch points
 * since the previous entry or sync point is known, as many records pass, and
 * one candidate is left.
 *
 * Each candidate has images (process_images_internal.h): mappings, before and
 * after each change between the bounds. The possible images fit the strongest
 * evidence that any image fits:
 *
 * - The page table and the address: the image is of the previous entry's
 *   program if its page table is in use and no other one was set since, else of
 *   another program; and it has code at the entry's address.
 * - The page table alone, if it is the previous entry's.
 * - The address alone.
 * - None, if all candidates are one process or the address is unknown.
 *
 * The process may run any of the possible images. An address is mapped if
 * all of them that have code there have the same code. So a change that only
 * adds code at unused addresses is applied, whenever it was; two processes
 * after a fork are as good as one; and where two programs with different code
 * are possible at an address, the address is not mapped, because decoding with
 * the wrong program's code would invent branches.
 *
 * A possible image has a first possible time. The earliest of these is a lower
 * bound of the current time, and of all later times in the trace: with wide
 * time bounds, an address that only one process has refutes all earlier
 * switches and changes of mappings for the entries that follow.
 *
 * If ordered by the trace:
 *
 * 1. The records up to the lower bound have passed, and no others. The lower
 *    bound is at least the @low_ns of the last call, and only
 *    process_view_sync() and process_view_go_back() lower it. No record after
 *    @high_ns has passed.
 * 2. After process_view_sync(), the view depends only on the bounds of the sync
 *    point. So threads that start there agree.
 * 3. The number of switch points decides only if the position was certain: each
 *    record that has passed has its switch point before the position in the
 *    trace, and each record ahead after it. A sync point away from all switches
 *    makes it certain, and so does an entry with no record between its bounds.
 *    A switch between the bounds prevents the count if only the arriving task
 *    has a record of it, because that record is written after the switch point.
 *    So do several records with the same time if only some of them are counted:
 *    then the task of the last record runs.
 * 4. If images of several processes are possible, process_view_pid() is -1; if
 *    several threads are, process_view_tid() is.
 * 5. If no image is possible, or there are more records between the bounds than
 *    the view reads ahead and the page table does not decide,
 *    process_view_pid() is -1 and nothing is mapped, until the next entry or
 *    sync point, or until another record has certainly passed.
 *
 * A view belongs to one thread. It keeps 4096 switch records, to go back and to
 * read up to 2048 ahead. The only error is -ERROR_MEMORY.
 */
struct process_view;

/* Returns a view before the first change. Borrows all arguments; @maps are those
 * of @recording. Returns NULL when out of memory.
 */
struct process_view *process_view_new(const struct recording *recording,
				      const struct aux_stream *stream,
				      const struct process_maps *maps);
void process_view_free(struct process_view *view);

/* The evidence about an entry into user space. */
struct process_entry {
	uint64_t low_ns; /* bounds of the entry's time */
	uint64_t high_ns;
	uint64_t ip; /* the first instruction in user space; 0: unknown */
	/* number of switch points since the previous entry or sync point;
	 * negative: some may be untraced
	 */
	int32_t switches;
	/* the page table is that of the previous entry, and no other one was
	 * set since
	 */
	bool is_same_table;
	/* the page table is not that of the previous entry */
	bool is_other_table;
};

/* Orders the view by the trace from now on. */
void process_view_order_by_trace(struct process_view *view);

/* Returns the time of the next change, UINT64_MAX if there is none. */
uint64_t process_view_next_change_ns(const struct process_view *view);

/* Returns whether process_view_advance() with these times changes anything. */
bool process_view_is_due(const struct process_view *view, uint64_t low_ns,
			 uint64_t time_ns);

/* If ordered by time: advances to @time_ns, and ignores @low_ns.
 *
 * If ordered by the trace: advances to an instruction whose time is at least
 * @low_ns and about @time_ns. @low_ns must be 0 in the kernel, where nothing is
 * mapped until the next entry. In user space, the switches up to @low_ns
 * happened before the entry, or were not traced if they are after the entry's
 * upper bound. Finds the possible images again, which may be fewer, and applies
 * changes of mappings by other threads up to @time_ns.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int process_view_advance(struct process_view *view, uint64_t low_ns,
			 uint64_t time_ns);

/* Finds the processes that may run after @entry, and the code that is certain.
 * Must be ordered by the trace.
 *
 * Returns 1; 0 if nothing is known: invariant 5; or -ERROR_MEMORY.
 */
int process_view_enter(struct process_view *view,
		       const struct process_entry *entry);

/* Returns the lower bound of the current time: no earlier time is possible
 * after process_view_enter() or process_view_advance(). 0 unless ordered by the
 * trace.
 */
uint64_t process_view_floor_ns(const struct process_view *view);

/* Moves the position to the sync point whose time is within [@low_ns,
 * @high_ns]: after the records up to @low_ns. Maps the code that is certain
 * without knowing which address runs. Must be ordered by the trace.
 *
 * If a record is between the bounds, or the bounds are within a switch (after
 * the record of the task that leaves, before that of the task that arrives),
 * the position is not certain, and the next entries are not decided by their
 * number of switch points: invariant 3.
 *
 * Returns 1; 0 if the sync point is too far back, like process_view_go_back();
 * or -ERROR_MEMORY.
 */
int process_view_sync(struct process_view *view, uint64_t low_ns,
		      uint64_t high_ns);

/* Goes back to @time_ns. Returns 1, 0 if one of the switch records after
 * @time_ns is no longer among the last 4096, or -ERROR_MEMORY.
 */
int process_view_go_back(struct process_view *view, uint64_t time_ns);

/* Sets the mappings to those that the current process has at the end of the
 * recording. For recordings without times in nanoseconds. Returns 0 or
 * -ERROR_MEMORY.
 */
int process_view_go_to_end(struct process_view *view);

/* Sets the process that runs from @time_ns on (UINT64_MAX: at the end). Returns
 * 0 or -ERROR_MEMORY.
 */
int process_view_set_process(struct process_view *view, int32_t pid,
			     uint64_t time_ns);

/* Returns the running process, -1 if several are possible or none is known. */
int32_t process_view_pid(const struct process_view *view);

/* Returns the running thread, -1 if several are possible or none is known. Must
 * be ordered by the trace.
 */
int32_t process_view_tid(const struct process_view *view);

/* Returns the running process's mappings (struct process_map), the oldest
 * first; if several images are possible, the code that is certain, by address.
 * Valid until the next change.
 */
const struct array *process_view_maps(const struct process_view *view);

#endif
