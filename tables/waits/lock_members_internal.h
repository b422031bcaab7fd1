/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WAITS_LOCK_MEMBERS_INTERNAL_H
#define KT_TABLES_WAITS_LOCK_MEMBERS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_types;

/* The code of a kernel function that calls a locking function, and the types of
 * its module.
 */
struct locking_code {
	const uint8_t *bytes; /* x86-64 */
	size_t size;
	uint64_t address;
	uint64_t return_address; /* of the call */
	const struct kernel_types *types;
	/* type number of the function, whose parameters the code has; 0: unknown
	 */
	uint32_t function;
	/* Returns the type number of the function at @target, or 0. */
	uint32_t (*function_at)(void *ctx, uint64_t target);
	/* Returns whether the CPU's variable at @offset is the current task. */
	bool (*is_current)(void *ctx, uint64_t offset);
	void *ctx;
};

/* The address that the code passes to the locking function. */
struct lock_argument {
	bool is_known;
	uint32_t type;	 /* of the object that it is in; 0: unknown */
	int64_t offset;	 /* from the object's start */
	uint64_t callee; /* the called function; 0: unknown */
};

/* Returns the first argument of the call that returns to code->return_address.
 *
 * A value is followed from the function's parameters, the current task and the
 * results of calls through copies, pointers in objects of known types, and stack
 * slots whose address no other code has. Where branches meet, only values that
 * all of them agree on stay known.
 */
struct lock_argument locking_code_argument(const struct locking_code *code);

#endif
