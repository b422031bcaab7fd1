/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_CODE_H
#define KT_EXECUTION_FOLLOW_CODE_H

#include <stdint.h>

struct execution;
struct trace_branch;

/* The code that execution goes along is what it was at that moment: blocks of what
 * has changed are read again.
 */

/* Looks for code that changed by now.  Returns 0 or -ERROR_MEMORY. */
int follow_update_code(struct execution *execution);

/* Passes the synchronisation point @branch: places execution anew among the
 * records of switches and of maps.  Returns 0 or -ERROR_MEMORY.
 */
int follow_sync_code(struct execution *execution,
		     const struct trace_branch *branch);

/* Restores the code as of the time when the next change was at @next_ns, right
 * after the synchronisation point within execution->sync_low_ns and sync_high_ns.
 * Returns 0 or -ERROR_MEMORY.
 */
int follow_restore_code(struct execution *execution, uint64_t next_ns);

#endif
