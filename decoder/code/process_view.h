/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_PROCESS_VIEW_H
#define KT_DECODER_PROCESS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

struct array;
struct aux_stream;
struct recording;

/* The process that runs in one stream, and its mappings, at the current time of
 * its trace.
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
 * passes switches and changes of mappings up to @low_ns, which were untraced.
 * Of later changes up to @time_ns, applies those that only add code at unused
 * addresses, up to the first that does not.
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
 * Returns 1; 0 if the position is too far back, like process_view_go_back(); or
 * -ERROR_MEMORY.
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
