/* SPDX-License-Identifier: MIT */
#include "view/answer/whole_parts.h"

#include "common/error.h"
#include "report/profile/call_tree.h"
#include "view/answer/thread_part.h"
#include "view/data/call_sums.h"
#include "view/make/thread_numbers.h"

#include <stdlib.h>

#define NO_SUM SIZE_MAX

/* This is what was done on one path by the tasks of one part. */
struct path_sum {
	uint64_t self_ns;
	uint64_t calls;
	size_t parent; /* a smaller number; NO_SUM: a root */
	uint32_t function;
	bool is_used; /* or one below it is */
};

struct whole_parts {
	const struct view_sources *sources;
	const struct call_sums *calls;
	uint32_t number;   /* the thread that is wanted */
	size_t path_count; /* of each part of the tasks */
	/* Until a part of time is added there are none. */
	struct path_sum *sums; /* by part, and in it by path */
	size_t *sum_of;	       /* by place; NO_SUM: not wanted */
};

/* Returns the sum that the root of thread @number is added to. */
static size_t root_sum(const struct whole_parts *parts, uint32_t number)
{
	if (parts->number != THREAD_NUMBER_NONE)
		return parts->number == number ? 0 : NO_SUM;
	return parts->path_count * thread_part(parts->sources, number);
}

/* Finds what each place is added to, and what the paths are. */
static void map_places(struct whole_parts *parts)
{
	uint32_t count = call_sums_places(parts->calls);

	for (uint32_t i = 0; i < count; i++) {
		struct call_place place = call_sums_place(parts->calls, i);
		struct call_place caller;
		size_t parent;

		if (place.parent == CALL_PLACE_NONE) {
			parts->sum_of[i] = root_sum(parts, place.function);
			continue;
		}
		parent = parts->sum_of[place.parent];
		parts->sum_of[i] = NO_SUM;
		if (parent == NO_SUM)
			continue;
		caller = call_sums_place(parts->calls, place.parent);
		parts->sum_of[i] = parent + place.path - caller.path;
		parts->sums[parts->sum_of[i]].function = place.function;
		parts->sums[parts->sum_of[i]].parent = parent;
	}
}

struct whole_parts *whole_parts_new(const struct view_sources *sources,
				    uint32_t number)
{
	struct whole_parts *parts = calloc(1, sizeof(*parts));

	if (!parts)
		return NULL;
	parts->sources = sources;
	parts->calls = sources->summary->calls;
	parts->number = number;
	return parts;
}

/* Threads share paths: there are fewer of them than places. */
static size_t count_paths(const struct call_sums *calls)
{
	uint32_t count = call_sums_places(calls);
	uint32_t last = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t path = call_sums_place(calls, i).path;

		if (last < path)
			last = path;
	}
	return (size_t)last + 1;
}

static int make_sums(struct whole_parts *parts)
{
	size_t places = call_sums_places(parts->calls);

	if (parts->sums)
		return 0;
	parts->path_count = count_paths(parts->calls);
	parts->sum_of = calloc(places + 1, sizeof(*parts->sum_of));
	if (!parts->sum_of)
		return -ERROR_MEMORY;
	parts->sums =
		calloc(parts->path_count * PROFILE_PARTS, sizeof(*parts->sums));
	if (!parts->sums)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < PROFILE_PARTS; i++)
		parts->sums[i * parts->path_count].parent = NO_SUM;
	map_places(parts);
	return 0;
}

void whole_parts_free(struct whole_parts *parts)
{
	if (!parts)
		return;
	free(parts->sums);
	free(parts->sum_of);
	free(parts);
}

static int add_part(struct whole_parts *parts, size_t index)
{
	struct call_part_sums part;
	int status = call_sums_read(parts->calls, index, &part);
	const struct call_sum *sums = part.sums.items;

	for (size_t i = 0; i < part.sums.count && !status; i++) {
		size_t number = parts->sum_of[sums[i].place];

		if (number == NO_SUM)
			continue;
		parts->sums[number].self_ns += sums[i].self_ns;
		parts->sums[number].calls += sums[i].calls;
		parts->sums[number].is_used = true;
	}
	array_free(&part.sums);
	return status;
}

/* Returns whether all that was done in a part is in @window: before its begin
 * and behind its end the recording's first and last part have nothing.
 */
static bool is_within(const struct view_summary *summary, uint64_t begin_ns,
		      uint64_t end_ns, struct time_window window)
{
	return (begin_ns >= window.since_ns ||
		window.since_ns <= summary->begin_ns) &&
	       (end_ns <= window.until_ns ||
		window.until_ns >= summary->last_ns);
}

int whole_parts_add(struct whole_parts *parts, struct time_window window,
		    bool grows, struct time_window *whole)
{
	const struct call_sums *calls = parts->calls;
	bool has_part = false;
	int status = 0;

	*whole = (struct time_window){ window.since_ns, window.since_ns };
	for (size_t i = 0; i < call_sums_parts(calls) && !status; i++) {
		uint64_t begin_ns;
		uint64_t end_ns;

		call_sums_when(calls, i, &begin_ns, &end_ns);
		if (grows ? end_ns <= window.since_ns ||
				    begin_ns >= window.until_ns :
			    !is_within(parts->sources->summary, begin_ns,
				       end_ns, window))
			continue;
		if (!has_part)
			whole->since_ns = begin_ns;
		has_part = true;
		whole->until_ns = end_ns;
		status = make_sums(parts);
		if (!status)
			status = add_part(parts, i);
	}
	return status;
}

/* Callers of what was used are used, too. */
static void mark_callers(struct whole_parts *parts)
{
	for (size_t i = parts->path_count * PROFILE_PARTS; i-- > 0;)
		if (parts->sums[i].is_used && parts->sums[i].parent != NO_SUM)
			parts->sums[parts->sums[i].parent].is_used = true;
}

/* Makes a node of sum @index.  Returns false when out of memory. */
static bool add_node(const struct whole_parts *parts, size_t index,
		     struct call_tree *tree, uint32_t *nodes)
{
	const struct path_sum *sum = &parts->sums[index];
	uint32_t part = (uint32_t)(index / parts->path_count);
	struct call_node *node;

	nodes[index] = sum->parent == NO_SUM ?
			       call_tree_part_root(tree, -1, part) :
			       call_tree_child(tree, nodes[sum->parent],
					       sum->function, false);
	if (nodes[index] == CALL_NODE_NONE)
		return false;
	node = call_tree_at(tree, nodes[index]);
	node->self_ns += sum->self_ns;
	node->calls.direct += sum->calls;
	return true;
}

struct call_tree *whole_parts_tree(struct whole_parts *parts)
{
	size_t count = parts->path_count * PROFILE_PARTS;
	uint32_t *nodes = calloc(count + 1, sizeof(*nodes));
	struct call_tree *tree = call_tree_new();
	bool is_whole = nodes && tree;

	mark_callers(parts);
	for (size_t i = 0; i < count && is_whole; i++)
		if (parts->sums[i].is_used)
			is_whole = add_node(parts, i, tree, nodes);
	free(nodes);
	if (is_whole)
		return tree;
	call_tree_free(tree);
	return NULL;
}
