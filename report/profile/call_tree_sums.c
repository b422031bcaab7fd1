/* SPDX-License-Identifier: MIT */
#include "report/profile/call_tree_sums.h"

#include "report/profile/call_tree.h"

#include <stdlib.h>

uint64_t *call_tree_totals(const struct call_tree *tree)
{
	uint64_t *totals = calloc((size_t)tree->count + 1, sizeof(*totals));

	if (!totals)
		return NULL;
	/* Children come after their parents. */
	for (uint32_t i = tree->count; i-- > 0;) {
		const struct call_node *node = call_tree_at(tree, i);

		totals[i] += node->self_ns;
		if (node->parent != CALL_NODE_NONE)
			totals[node->parent] += totals[i];
	}
	return totals;
}

static bool is_used(const struct call_tree *tree, uint32_t index)
{
	const struct call_counts calls = call_tree_calls(tree, index);

	return call_tree_at(tree, index)->self_ns || calls.starts ||
	       calls.inferred || call_counts_calls(&calls);
}

bool *call_tree_used(const struct call_tree *tree)
{
	bool *used = calloc((size_t)tree->count + 1, sizeof(*used));

	if (!used)
		return NULL;
	/* Children come after their parents. */
	for (uint32_t i = tree->count; i-- > 0;) {
		const struct call_node *node = call_tree_at(tree, i);

		used[i] |= is_used(tree, i);
		if (node->parent != CALL_NODE_NONE)
			used[node->parent] |= used[i];
	}
	return used;
}
