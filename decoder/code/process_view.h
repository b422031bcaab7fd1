/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_PROCESS_VIEW_H
#define KT_DECODER_PROCESS_VIEW_H

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

/* When the next change is due, UINT64_MAX if none is left. */
uint64_t process_view_next_change_ns(const struct process_view *view);

/* Goes on to @time_ns.  Returns 0 or -ERROR_MEMORY. */
int process_view_advance(struct process_view *view, uint64_t time_ns);

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
