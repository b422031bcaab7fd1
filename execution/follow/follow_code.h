/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_CODE_H
#define KT_EXECUTION_FOLLOW_CODE_H

#include <stdint.h>

struct execution;
struct trace_branch;

/* Keeps the code at the state that execution has reached. Kernel code is that of
 * the estimated time. With Intel PT, the process and its mappings are found at
 * sync points (follow_sync_code()) and entries into user space
 * (walk_enter_user()), from time bounds and the trace between. Blocks with
 * changed code are read again.
 */

/* Applies code changes up to the estimated time of the last branch, like
 * walk_set_code(), if there are any. Returns 0 or -ERROR_MEMORY.
 */
int follow_update_code(struct execution *execution);

/* Must be called at each sync point, @branch: places it among the switch
 * records and changes of mappings by its time bounds. Sets
 * execution->is_out_of_memory on failure.
 */
void follow_sync_code(struct execution *execution,
		      const struct trace_branch *branch);

/* Restores the code right after the sync point whose time bounds are
 * execution->sync_low_ns and sync_high_ns: applies or reverts code changes so
 * that the next change is the one at @next_ns. Returns 0 or -ERROR_MEMORY.
 */
int follow_restore_code(struct execution *execution, uint64_t next_ns);

#endif
