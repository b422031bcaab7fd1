/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_BLOCK_ITEMS_H
#define KT_MACHINE_TESTS_BLOCK_ITEMS_H

#include "machine/tests/conformance/item.h"

#include <stdint.h>
#include <stdio.h>

/* Parses the output of `ktrace-hw dump --blocks` (docs/formats.md) into items.
 */
struct block_items {
	FILE *text; /* borrowed */
	struct item queue[3];
	int queued, taken;
	struct item leaving; /* the last block's branch, or an exception */
	uint64_t line;
	uint32_t cpu; /* of the current stream */
	uint64_t gaps;
	uint64_t blocks;
	uint64_t instructions;
	uint64_t not_understood; /* lines that could not be parsed */
};

void block_items_open(struct block_items *items, FILE *text);

/* Returns 1 and fills @item, or 0 at the end of the text; items->cpu is the
 * item's CPU. Gaps become ITEM_LOSS.
 */
int block_items_next(struct block_items *items, struct item *item);

#endif
