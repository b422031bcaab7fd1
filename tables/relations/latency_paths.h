/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_LATENCY_PATHS_H
#define KT_TABLES_LATENCY_PATHS_H

#include "tables/text/histogram.h"

#include <stddef.h>
#include <stdint.h>

struct call_tree;

/* One call path from function A to function B. */
struct latency_path {
	uint32_t node;	       /* of B in the tree; A is its root's child */
	struct histogram time; /* wall time, ns */
	uint64_t on_cpu_ns;    /* sum over all times */
};

/* All observed call paths from A to B. */
struct latency_paths;

/* Returns NULL when out of memory. */
struct latency_paths *latency_paths_new(void);
void latency_paths_free(struct latency_paths *paths);

/* Return the node of @function at the root, or below @node; CALL_NODE_NONE when
 * out of memory, or if @node is CALL_NODE_NONE.
 */
uint32_t latency_paths_begin(struct latency_paths *paths, uint32_t function);
uint32_t latency_paths_go_on(struct latency_paths *paths, uint32_t node,
			     uint32_t function);

/* Returns the path to @node, adding it if it is new; the pointer is valid until
 * the next call. NULL when out of memory, or if @node is CALL_NODE_NONE.
 */
struct latency_path *latency_paths_to(struct latency_paths *paths,
				      uint32_t node);

/* Sorts by falling number, then by falling time. Afterwards, latency_paths_to()
 * must not be called.
 */
void latency_paths_sort(struct latency_paths *paths);

/* Returns path @index, or NULL after the last. */
const struct latency_path *latency_paths_at(const struct latency_paths *paths,
					    size_t index);
const struct call_tree *latency_paths_tree(const struct latency_paths *paths);

#endif
