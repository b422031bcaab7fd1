/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_BLOCK_PASSAGE_H
#define KT_EXECUTION_BLOCK_PASSAGE_H

#include <stdint.h>

struct block_graph;

/* Returns the edge kind (enum block_passage) of @edge (enum block_edge) from
 * block @from to block @to.
 */
uint8_t block_passage_of(const struct block_graph *graph, uint32_t from,
			 uint32_t to, uint8_t edge);

/* Returns the edge kind of the return at the end of block @from to @to;
 * PASSAGE_RETURN may still lead to a thunk. @to may be BLOCK_NONE (unknown).
 */
uint8_t block_passage_back(const struct block_graph *graph, uint32_t from,
			   uint32_t to);

#endif
