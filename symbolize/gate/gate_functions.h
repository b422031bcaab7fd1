/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GATE_FUNCTIONS_H
#define KT_SYMBOLIZE_GATE_FUNCTIONS_H

#include "common/maps.h"

#include <stdbool.h>
#include <stdint.h>

struct function_event;
struct symbols;

/* The kernel's functions that matter where its trace is resumed or paused. */
struct gate_functions {
	const struct symbols *symbols;
	struct name_lookup entries; /* the kernel's entries */
	/* the return targets of functions with a probe */
	uint32_t trampolines[2];
	/* stands for the work of the probes themselves */
	uint32_t probe;
	uint32_t leave; /* in which a task leaves its CPU */
};

/* Borrows @symbols. */
struct gate_functions gate_functions_of(const struct symbols *symbols);

/* Returns the number of the function that contains @address. */
uint32_t gate_function_at(const struct gate_functions *functions,
			  uint64_t address);

/* Returns whether the function that contains @address is an entry of an
 * exception or interrupt.
 */
bool gate_is_exception(const struct gate_functions *functions,
		       uint64_t address);

/* Returns whether it is the first function of an exception whose other
 * functions have the same name prefix.
 */
bool gate_is_vector(const struct gate_functions *functions, uint64_t address);

/* Returns the change of the call depth by @event: 1, 0 or -1. */
int gate_depth_change(const struct function_event *event);

#endif
