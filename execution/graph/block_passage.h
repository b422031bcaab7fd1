/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_BLOCK_PASSAGE_H
#define KT_EXECUTION_BLOCK_PASSAGE_H

#include <stdint.h>

struct block_graph;

/* Returns what it means (enum block_passage) to go from block @from to block
 * @to along @edge (enum block_edge).
 */
uint8_t block_passage_of(const struct block_graph *graph, uint32_t from,
			 uint32_t to, uint8_t edge);

/* The same for the return at the end of block @from; PASSAGE_RETURN may come to a
 * thunk nevertheless.  @to may be BLOCK_NONE: nobody knows.
 */
uint8_t block_passage_back(const struct block_graph *graph, uint32_t from,
			   uint32_t to);

#endif
