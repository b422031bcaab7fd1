/* SPDX-License-Identifier: MIT */
#include "report/deflate/prefix_code.h"

#include <stdbool.h>
#include <stdlib.h>

enum { MOST_NODES = 2 * PREFIX_CODE_SYMBOLS };

/* The leaves, which are symbols from the rarest on, and behind them the inner
 * nodes, which come about in order of their weights, too.
 */
struct tree {
	uint16_t symbols[PREFIX_CODE_SYMBOLS];
	uint32_t weights[MOST_NODES];
	uint16_t parents[MOST_NODES];
	uint8_t depths[MOST_NODES];
	uint32_t leaves;
	uint32_t nodes;
	uint32_t next_leaf; /* without a parent, */
	uint32_t next_node; /* as this */
};

/* Rarer ones first, of equals the one with the smaller number. */
static int compare_keys(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a;
	uint64_t right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

static void add_leaves(struct tree *tree, const uint32_t *counts,
		       uint32_t symbols)
{
	uint64_t keys[PREFIX_CODE_SYMBOLS];
	uint32_t used = 0;

	for (uint32_t i = 0; i < symbols; i++)
		if (counts[i])
			keys[used++] = (uint64_t)counts[i] << 16 | i;
	/* Others that do not occur make it complete. */
	for (uint32_t i = 0; used < 2; i++)
		if (!counts[i])
			keys[used++] = UINT64_C(1) << 16 | i;
	qsort(keys, used, sizeof(*keys), compare_keys);
	for (uint32_t i = 0; i < used; i++) {
		tree->symbols[i] = (uint16_t)keys[i];
		tree->weights[i] = (uint32_t)(keys[i] >> 16);
	}
	tree->leaves = used;
}

/* Returns the lightest node that has no parent yet. */
static uint32_t take_lightest(struct tree *tree)
{
	if (tree->next_leaf < tree->leaves &&
	    (tree->next_node == tree->nodes ||
	     tree->weights[tree->next_leaf] <= tree->weights[tree->next_node]))
		return tree->next_leaf++;
	return tree->next_node++;
}

static void join_nodes(struct tree *tree)
{
	tree->nodes = tree->next_node = tree->leaves;
	tree->next_leaf = 0;
	while (tree->nodes < 2 * tree->leaves - 1) {
		uint32_t left = take_lightest(tree);
		uint32_t right = take_lightest(tree);

		tree->parents[left] = (uint16_t)tree->nodes;
		tree->parents[right] = (uint16_t)tree->nodes;
		tree->weights[tree->nodes++] =
			tree->weights[left] + tree->weights[right];
	}
}

/* Returns the depth of the deepest leaf, which is the rarest symbol. */
static uint32_t find_depths(struct tree *tree)
{
	uint32_t root = tree->nodes - 1;

	tree->depths[root] = 0;
	for (uint32_t i = root; i-- > 0;)
		tree->depths[i] = (uint8_t)(tree->depths[tree->parents[i]] + 1);
	return tree->depths[0];
}

/* Makes rare symbols less rare than they are. */
static void flatten(struct tree *tree)
{
	for (uint32_t i = 0; i < tree->leaves; i++)
		tree->weights[i] = tree->weights[i] / 2 + 1;
}

static uint16_t mirrored(uint32_t bits, uint32_t count)
{
	uint32_t mirror = 0;

	for (uint32_t i = 0; i < count; i++)
		mirror |= (bits >> i & 1) << (count - 1 - i);
	return (uint16_t)mirror;
}

/* The lengths say which bits each symbol has. */
static void assign_bits(struct prefix_code *code)
{
	uint32_t next[PREFIX_CODE_LONGEST + 2] = { 0 };

	for (uint32_t i = 0; i < code->symbols; i++)
		if (code->lengths[i])
			next[code->lengths[i] + 1]++;
	for (uint32_t i = 1; i <= PREFIX_CODE_LONGEST; i++)
		next[i + 1] = (next[i] + next[i + 1]) << 1;
	for (uint32_t i = 0; i < code->symbols; i++)
		if (code->lengths[i])
			code->bits[i] = mirrored(next[code->lengths[i]]++,
						 code->lengths[i]);
}

struct prefix_code prefix_code_of(const uint32_t *counts, uint32_t symbols,
				  uint32_t longest)
{
	struct prefix_code code = { .symbols = symbols };
	struct tree tree;

	add_leaves(&tree, counts, symbols);
	join_nodes(&tree);
	while (find_depths(&tree) > longest) {
		flatten(&tree);
		join_nodes(&tree);
	}
	for (uint32_t i = 0; i < tree.leaves; i++)
		code.lengths[tree.symbols[i]] = tree.depths[i];
	assign_bits(&code);
	return code;
}
