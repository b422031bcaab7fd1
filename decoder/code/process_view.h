/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_PROCESS_VIEW_H
#define KT_DECODER_PROCESS_VIEW_H

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

/* Returns the time of the next change, UINT64_MAX if there is none. */
uint64_t process_view_next_change_ns(const struct process_view *view);

/* Advances to @time_ns. Returns 0 or -ERROR_MEMORY. */
int process_view_advance(struct process_view *view, uint64_t time_ns);

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
