/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_TYPICAL_CALLS_H
#define KT_TABLES_TYPICAL_CALLS_H

#include "common/array.h"

#include <stdint.h>

struct system_call;

/* Parts of a system call's time. */
enum call_part_name {
	CALL_WALL, /* the whole call */
	CALL_ON_CPU,
	CALL_ASLEEP,
	CALL_RUNNABLE,
	CALL_STOLEN, /* by interrupts */
	CALL_TRACER,
	CALL_UNKNOWN,
	CALL_PART_NAMES,
};

struct call_times {
	uint64_t ns[CALL_PART_NAMES];
};

struct call_times call_times_of(const struct system_call *call);

/* Returns the name of @part: "asleep" for CALL_ASLEEP. */
const char *call_part_title(enum call_part_name part);

/* The typical times of each kind of call: the median of each part. */
struct typical_calls {
	struct keyed_array kinds; /* by function */
};

/* Returns an empty struct. */
struct typical_calls typical_calls_none(void);
void typical_calls_free(struct typical_calls *calls);

/* Adds @call, which was traced from start to end. Returns 0 or -ERROR_MEMORY.
 */
int typical_calls_add(struct typical_calls *calls,
		      const struct system_call *call);

/* Sets *@times to the medians of all calls of @function. Returns the number of
 * these calls.
 */
uint64_t typical_calls_of(const struct typical_calls *calls, uint32_t function,
			  struct call_times *times);

#endif
