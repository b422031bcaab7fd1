/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_FRESH_CPUS_H
#define KT_SQL_FRESH_CPUS_H

#include "common/array.h"

#include <stdint.h>

struct call_step;

/* The CPUs on which a newly arrived thread has not changed its class yet: the
 * spans of its time off the CPU are emitted only at that change (task_time.h).
 */
struct fresh_cpus {
	/* bool by CPU + 1; index 0 is a trace without a CPU number */
	struct array is_fresh;
	uint32_t count;
};

#define FRESH_CPUS_NONE ((struct fresh_cpus){ .is_fresh = ARRAY_OF(bool) })

void fresh_cpus_free(struct fresh_cpus *cpus);

/* Applies a step.  Returns 0 or -ERROR_MEMORY. */
int fresh_cpus_take(struct fresh_cpus *cpus, const struct call_step *step);

#endif
