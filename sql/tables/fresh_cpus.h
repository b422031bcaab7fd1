/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_FRESH_CPUS_H
#define KT_SQL_FRESH_CPUS_H

#include "common/array.h"

#include <stdint.h>

struct call_step;

/* CPUs to which a thread has come whose time has not changed its class there
 * yet: what it was off the CPU for is not handed out before (task_time.h).
 */
struct fresh_cpus {
	struct array is_fresh; /* bool by CPU + 1: one has no number */
	uint32_t count;
};

#define FRESH_CPUS_NONE ((struct fresh_cpus){ .is_fresh = ARRAY_OF(bool) })

void fresh_cpus_free(struct fresh_cpus *cpus);

/* Applies a step.  Returns 0 or -ERROR_MEMORY. */
int fresh_cpus_take(struct fresh_cpus *cpus, const struct call_step *step);

#endif
