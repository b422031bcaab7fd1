/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_ATOM_RANGE_H
#define KT_EXECUTION_ATOM_RANGE_H

#include <stdint.h>

struct execution;
struct flow_item;

/* A range of code in a list: several blocks of the graph, if they are long or
 * contain branches that were not taken (TRACE_SOURCE).
 */
struct atom_range {
	struct flow_item *item;
	uint64_t ip;
	uint32_t instructions;
};

/* Starts a range at execution->block and adds its item. */
struct atom_range atom_range_begin(struct execution *execution);

/* Ends the range with @length bytes at @last, left by @exit (enum flow_exit).
 */
void atom_range_end(struct atom_range *range, uint64_t last, uint8_t exit,
		    uint64_t length);

/* Removes the range that started last, none of which ran. */
void atom_range_drop(struct execution *execution);

/* Ends the range after its last executed instruction; execution is unknown
 * afterwards.
 */
void atom_range_exception(struct execution *execution,
			  struct atom_range *range);

#endif
