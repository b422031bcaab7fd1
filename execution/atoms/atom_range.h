/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ATOM_RANGE_H
#define KT_EXECUTION_ATOM_RANGE_H

#include <stdint.h>

struct execution;
struct flow_item;

/* A run of code in a list: several blocks of the graph, if they are long or
 * hold branches that were not taken (TRACE_SOURCE).
 */
struct atom_range {
	struct flow_item *item;
	uint64_t ip;
	uint32_t instructions;
};

/* Begins one at execution->block: its item is added. */
struct atom_range atom_range_begin(struct execution *execution);

/* The range ends with @length bytes at @last, left by @exit (enum flow_exit).
 */
void atom_range_end(struct atom_range *range, uint64_t last, uint8_t exit,
		    uint64_t length);

/* Nothing of the one that began last ran. */
void atom_range_drop(struct execution *execution);

/* Execution is lost behind what ran of it. */
void atom_range_exception(struct execution *execution,
			  struct atom_range *range);

#endif
