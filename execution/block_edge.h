/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_BLOCK_EDGE_H
#define KT_EXECUTION_BLOCK_EDGE_H

#include <stdint.h>

struct block_graph;

/* Return what it means (enum block_passage) to go from block @from to block
 * @to: along its branch, or on to what is right behind.
 */
uint8_t block_edge_taken(const struct block_graph *graph, uint32_t from,
			 uint32_t to);
uint8_t block_edge_next(const struct block_graph *graph, uint32_t from,
			uint32_t to);

#endif
