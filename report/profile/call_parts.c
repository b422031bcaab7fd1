/* SPDX-License-Identifier: MIT */
#include "report/profile/call_parts.h"

#include "common/error.h"

void call_parts_free(struct call_parts *parts)
{
	array_free(&parts->list);
	array_free(&parts->places);
}

void call_parts_clear(struct call_parts *parts)
{
	parts->list.count = 0;
}

struct call_part *call_parts_at(struct call_parts *parts, uint32_t node)
{
	struct call_part *part;
	uint32_t *place;

	place = array_reach(&parts->places, node);
	if (!place)
		return NULL;
	if (*place < parts->list.count) {
		part = array_at(&parts->list, *place);
		if (part->node == node)
			return part;
	}
	part = array_add(&parts->list);
	if (!part)
		return NULL;
	*part = (struct call_part){ .node = node };
	*place = (uint32_t)parts->list.count - 1;
	return part;
}

int call_parts_join(struct call_parts *parts, const struct call_parts *more)
{
	for (size_t i = 0; i < more->list.count; i++) {
		const struct call_part *from = array_at(&more->list, i);
		struct call_part *part = call_parts_at(parts, from->node);

		if (!part)
			return -ERROR_MEMORY;
		part->calls += from->calls;
		part->on_cpu_ns += from->on_cpu_ns;
		part->off_cpu_ns += from->off_cpu_ns;
	}
	return 0;
}
