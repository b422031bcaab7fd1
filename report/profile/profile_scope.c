/* SPDX-License-Identifier: MIT */
#include "report/profile/profile_scope.h"

#include "report/profile/call_tree.h"
#include "report/steps/recorder_task.h"
#include "symbolize/functions/context_kinds.h"

#include <stdlib.h>

/* Where a node of the whole tree is in the one that is shown. */
struct place {
	uint32_t node; /* it, or the innermost caller shown */
	enum profile_part part;
};

struct cutter {
	const struct profile_scope *scope;
	const struct call_tree *from;
	struct call_tree *to;
	struct place *places; /* by node of from */
	uint64_t *time_ns;    /* by part */
};

static bool is_interrupt(enum context_kind kind)
{
	return kind == CONTEXT_INTERRUPT || kind == CONTEXT_NMI ||
	       kind == CONTEXT_SOFTIRQ;
}

const char *profile_part_name(enum profile_part part)
{
	static const char *const names[PROFILE_PARTS] = {
		[PROFILE_WORK] = "work",
		[PROFILE_IDLE] = "idle",
		[PROFILE_TRACER] = "tracer",
	};

	return names[part];
}

enum profile_part profile_part_of_task(const struct task_names *names,
				       const char *recorder, int32_t tid)
{
	if (!tid)
		return PROFILE_IDLE;
	return recorder_task_is(names, recorder, tid) ? PROFILE_TRACER :
							PROFILE_WORK;
}

enum profile_part profile_part_of_call(const struct context_kinds *kinds,
				       uint32_t function,
				       enum profile_part caller_part)
{
	enum context_kind kind = context_kind_of(kinds, function);

	if (is_interrupt(kind))
		return PROFILE_WORK;
	return kind == CONTEXT_TRACER ? PROFILE_TRACER : caller_part;
}

static uint32_t place_root(const struct cutter *cutter, uint32_t index,
			   struct place *place)
{
	const struct call_links *links = &cutter->from->links[index];

	place->part = (enum profile_part)links->part;
	return call_tree_root(cutter->to, links->pid);
}

static uint32_t place_call(const struct cutter *cutter, uint32_t index,
			   struct place *place)
{
	const struct call_node *node = call_tree_at(cutter->from, index);
	const struct place *caller = &cutter->places[node->parent];

	place->part = profile_part_of_call(cutter->scope->kinds, node->function,
					   caller->part);
	if (!cutter->scope->shows[place->part])
		return caller->node;
	return call_tree_find_child(cutter->to, caller->node, node->function,
				    node->is_interrupt);
}

/* Copies node @index.  Returns false when out of memory. */
static bool cut(const struct cutter *cutter, uint32_t index)
{
	const struct call_node *node = call_tree_at(cutter->from, index);
	const struct call_counts calls = call_tree_calls(cutter->from, index);
	struct place *place = &cutter->places[index];

	place->node = node->parent == CALL_NODE_NONE ?
			      place_root(cutter, index, place) :
			      place_call(cutter, index, place);
	if (place->node == CALL_NODE_NONE)
		return false;
	cutter->time_ns[place->part] += node->self_ns;
	if (!cutter->scope->shows[place->part])
		return true;
	call_tree_at(cutter->to, place->node)->self_ns += node->self_ns;
	call_tree_add_calls(cutter->to, place->node, &calls,
			    call_tree_inferred_ns(cutter->from, index));
	return true;
}

struct call_tree *profile_scope_apply(const struct profile_scope *scope,
				      const struct call_tree *tree,
				      uint64_t time_ns[PROFILE_PARTS])
{
	uint32_t count = call_tree_count(tree);
	struct cutter cutter = {
		.scope = scope,
		.from = tree,
		.to = call_tree_new(),
		.places = calloc((size_t)count + 1, sizeof(*cutter.places)),
		.time_ns = time_ns,
	};
	bool is_whole = cutter.to && cutter.places &&
			call_tree_reserve(cutter.to, count);

	for (uint32_t i = 0; i < PROFILE_PARTS; i++)
		time_ns[i] = 0;
	for (uint32_t i = 0; is_whole && i < count; i++)
		is_whole = cut(&cutter, i);
	free(cutter.places);
	if (is_whole)
		return cutter.to;
	call_tree_free(cutter.to);
	return NULL;
}
