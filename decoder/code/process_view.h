/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_PROCESS_VIEW_H
#define KT_DECODER_PROCESS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

struct array;
struct aux_stream;
struct recording;

/* The process that runs in one stream, and its mappings, at the current position
 * in its trace. The view has a position among the stream's switch records: the
 * records before it have passed, the others are ahead.
 *
 * At first the view is ordered by time: process_view_advance() moves it to a
 * time. But switch records have exact times, and the trace only has time bounds
 * for an instruction, which can contain several switches. After
 * process_view_order_by_trace(), the view is ordered by the trace: entries into
 * user space and sync points move the position.
 *
 *	              low_ns                      high_ns
 *	──── s1 ── s2 ──┼──── s3 ──── s4 ──── s5 ────┼── s6 ──►
 *	   have passed  │   the evidence decides     │ are ahead
 *
 * At an entry, the candidates are the current process and the next process of
 * each record between the bounds. The first of these that can decide does:
 *
 * - The number of switch points in the trace since the previous entry or sync
 *   point: as many records pass.
 * - All candidates are one process.
 * - The page table: if no other one was set since the previous entry, that
 *   entry's process runs.
 * - Code: the only process that has code at the entry's address runs. If
 *   several have, with equal mappings, as after fork, the first of them is
 *   used.
 *
 * Then the changes of that process's mappings between the bounds are decided,
 * one by one. A change that only adds code at unused addresses is applied:
 * execution cannot depend on its time. A change that replaces code is applied
 * if only the new code contains the entry's address. Otherwise the mappings that
 * it replaces are removed, because the bytes there may be of either. An exec is
 * decided by the address, or by the page table, which it changes.
 *
 * If ordered by the trace:
 *
 * 1. After process_view_enter(), the records up to @low_ns have passed. It
 *    passes none after @high_ns.
 * 2. After process_view_sync(), the view depends only on the bounds of the sync
 *    point. So threads that start there agree.
 * 3. The number of switch points decides only if the position was certain: each
 *    record that has passed has its switch point before the position in the
 *    trace, and each record ahead after it. A sync point away from all switches
 *    makes it certain, and so does an entry with no record between its bounds.
 *    A switch between the bounds of which only the arriving task has a record
 *    prevents the count, because that record is written after the switch point.
 * 4. If several processes are possible, or the mappings before and after an
 *    exec, then process_view_pid() is -1 and nothing is mapped, until the next
 *    entry or sync point, or until another record has certainly passed.
 *
 * 5. If more records are between the bounds than the view reads ahead, only the
 *    page table decides: the other rules compare all candidates.
 *
 * A view belongs to one thread. It keeps 4096 switch records, to go back and to
 * read up to 2048 ahead. The only error is -ERROR_MEMORY.
 */
struct process_view;

/* Returns a view before the first change. Borrows both arguments. Returns NULL
 * when out of memory.
 */
struct process_view *process_view_new(const struct recording *recording,
				      const struct aux_stream *stream);
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

/* From now on the view is ordered by the trace. */
void process_view_order_by_trace(struct process_view *view);

/* Returns the time of the next change, UINT64_MAX if there is none. */
uint64_t process_view_next_change_ns(const struct process_view *view);

/* Returns whether process_view_advance() with these times changes anything. */
bool process_view_is_due(const struct process_view *view, uint64_t low_ns,
			 uint64_t time_ns);

/* Advances to @time_ns; ignores @low_ns.
 *
 * If ordered by the trace: advances to an instruction whose time is at least
 * @low_ns and about @time_ns. @low_ns must be 0 in the kernel. In user space,
 * passes the switches up to @low_ns, which were untraced; if there are any,
 * loads the mappings as of @time_ns. If there are none, applies the changes of
 * mappings up to @low_ns, and of later ones up to @time_ns those that only add
 * code at unused addresses, up to the first that does not.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int process_view_advance(struct process_view *view, uint64_t low_ns,
			 uint64_t time_ns);

/* Finds the process that runs after @entry, and its mappings. Must be ordered
 * by the trace.
 *
 * Returns 1; 0 if several processes or mappings are possible: invariant 4; or
 * -ERROR_MEMORY.
 */
int process_view_enter(struct process_view *view,
		       const struct process_entry *entry);

/* Moves the position to the sync point whose time is within [@low_ns,
 * @high_ns]: after the records up to @low_ns. Must be ordered by the trace.
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

/* Goes back to @time_ns, over at most some thousand switches. Returns 1, 0 if
 * that is not far enough, or -ERROR_MEMORY.
 */
int process_view_go_back(struct process_view *view, uint64_t time_ns);

/* Sets the mappings to those at the end. For recordings without times in
 * nanoseconds. Returns 0 or -ERROR_MEMORY.
 */
int process_view_go_to_end(struct process_view *view);

/* Sets the process that runs from @time_ns on (UINT64_MAX: at the end). Returns
 * 0 or -ERROR_MEMORY.
 */
int process_view_set_process(struct process_view *view, int32_t pid,
			     uint64_t time_ns);

/* Returns the running process, -1 if unknown. */
int32_t process_view_pid(const struct process_view *view);

/* Returns the running process's mappings (struct process_map), the oldest
 * first. Valid until the next change.
 */
const struct array *process_view_maps(const struct process_view *view);

#endif
