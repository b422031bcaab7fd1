/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GATE_FUNCTIONS_H
#define KT_SYMBOLIZE_GATE_FUNCTIONS_H

#include "common/name_lookup.h"

#include <stdbool.h>
#include <stdint.h>

struct function_event;
struct symbols;

/* The kernel's functions that mean something where its trace is resumed and
 * paused.
 */
struct gate_functions {
	const struct symbols *symbols;
	struct name_lookup entries; /* where the kernel is entered */
	uint32_t trampolines[2];    /* where functions with a probe return to */
	uint32_t probe;		    /* stands for what probes themselves do */
	uint32_t leave;		    /* where a task leaves its CPU */
};

/* Borrows @symbols. */
struct gate_functions gate_functions_of(const struct symbols *symbols);

/* Returns the number of the function that @address is in. */
uint32_t gate_function_at(const struct gate_functions *functions,
			  uint64_t address);

/* Returns whether an exception or interrupt enters the function that @address
 * is in.
 */
bool gate_is_exception(const struct gate_functions *functions,
		       uint64_t address);

/* Returns whether that is the first function of one, where others behind it are
 * called so, too.
 */
bool gate_is_vector(const struct gate_functions *functions, uint64_t address);

/* Returns how @event changes the depth of calls: 1, 0 or -1. */
int gate_depth_change(const struct function_event *event);

#endif
