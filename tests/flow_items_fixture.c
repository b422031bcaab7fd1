/* SPDX-License-Identifier: MIT */
#include "tests/flow_items_fixture.h"
#include "decoder/flow/flow.h"

static const struct flow_item *item_at(const struct array *items, size_t index)
{
	return array_at(items, index);
}

static bool are_equal(const struct flow_item *a, const struct flow_item *b)
{
	return a->kind == b->kind && a->detail == b->detail && a->ip == b->ip &&
	       a->last == b->last && a->last_length == b->last_length &&
	       a->instructions == b->instructions;
}

bool flow_items_end_alike(const struct array *items, const struct array *whole,
			  size_t count)
{
	if (items->count < count)
		return false;
	for (size_t i = 1; i <= count; i++)
		if (!are_equal(item_at(items, items->count - i),
			       item_at(whole, whole->count - i)))
			return false;
	return true;
}

size_t flow_items_begin_alike(const struct array *items,
			      const struct array *whole)
{
	size_t i = 0;

	while (i < items->count && i < whole->count &&
	       are_equal(item_at(items, i), item_at(whole, i)))
		i++;
	return i;
}

size_t flow_items_before_block(const struct array *items)
{
	size_t i = 0;

	while (i < items->count && item_at(items, i)->kind != FLOW_BLOCK)
		i++;
	return i;
}

bool flow_items_have_gap(const struct array *items)
{
	for (size_t i = 0; i < items->count; i++)
		if (item_at(items, i)->kind == FLOW_GAP)
			return true;
	return false;
}

void flow_items_drop_modes(struct array *items)
{
	struct flow_item *kept = items->items;
	size_t count = 0;

	for (size_t i = 0; i < items->count; i++)
		if (kept[i].kind != FLOW_MODE)
			kept[count++] = kept[i];
	items->count = count;
}
