/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_CODE_H
#define KT_EXECUTION_FOLLOW_CODE_H

#include <stdint.h>

struct execution;

/* The code that execution goes along is what it was at that moment: blocks of what
 * has changed are read again.
 */

/* Looks for code that changed by now.  Returns 0 or -ERROR_MEMORY. */
int follow_update_code(struct execution *execution);

/* Makes the code what it was when the next change was at @next_ns.  Returns 0
 * or -ERROR_MEMORY.
 */
int follow_restore_code(struct execution *execution, uint64_t next_ns);

#endif
