/* SPDX-License-Identifier: MIT */
#include "view/answer/cell_paths.h"

#include "common/error.h"
#include "report/profile/call_tree.h"
#include "view/data/call_sums.h"
#include "view/make/thread_numbers.h"

#include <stdlib.h>

/* The sums of one path, of the tasks of one part. */
struct path_sum {
	uint64_t self_ns;
	uint64_t calls;
	bool is_used; /* this path or one below it has sums */
};

struct cell_paths {
	const struct view_sources *sources;
	const struct call_sums *calls;
	uint32_t number; /* the wanted thread */
	const struct call_path *paths;
	uint32_t count; /* of paths */
	/* NULL until a part of time is added. */
	struct path_sum *sums; /* by part, and within it by path */
};

struct cell_paths *cell_paths_new(const struct view_sources *sources,
				  uint32_t number)
{
	struct cell_paths *cells = calloc(1, sizeof(*cells));

	if (!cells)
		return NULL;
	cells->sources = sources;
	cells->calls = sources->summary->calls;
	cells->number = number;
	cells->paths = call_sums_paths(cells->calls, &cells->count);
	return cells;
}

void cell_paths_free(struct cell_paths *cells)
{
	if (!cells)
		return;
	free(cells->sums);
	free(cells);
}

/* Adds a frame to the sums of @part. */
static int add_frame(struct cell_paths *cells, const struct call_frame *frame,
		     uint32_t part)
{
	const struct call_sum *sums;
	struct path_sum *to;
	struct array read;
	int status;

	/* The file is untrusted. */
	if (part >= PROFILE_PARTS)
		return -ERROR_FORMAT;
	to = &cells->sums[(size_t)part * cells->count];
	status = call_sums_read(cells->calls, frame, &read);
	sums = read.items;
	for (size_t i = 0; i < read.count && !status; i++) {
		to[sums[i].path].self_ns += sums[i].self_ns;
		to[sums[i].path].calls += sums[i].calls;
		to[sums[i].path].is_used = true;
	}
	array_free(&read);
	return status;
}

/* Adds the wanted frames of @span. */
static int add_span(struct cell_paths *cells, const struct call_span *span,
		    bool is_cell)
{
	const struct call_frame *frames = span->frames.items;
	int status = 0;

	for (size_t i = 0; i < span->frames.count && !status; i++) {
		uint32_t owner = frames[i].owner;

		if (cells->number != THREAD_NUMBER_NONE) {
			if (owner == cells->number)
				status = add_frame(cells, &frames[i],
						   PROFILE_WORK);
		} else if (is_cell) {
			status = add_frame(cells, &frames[i],
					   call_sums_part(cells->calls, owner));
		} else if (owner >= CALL_OWNER_PART) {
			status = add_frame(cells, &frames[i],
					   owner - CALL_OWNER_PART);
		}
	}
	return status;
}

/* Adds cells @first to @last, in spans as large as possible. */
static int add_cells(struct cell_paths *cells, size_t first, size_t last)
{
	int status = 0;

	if (!cells->sums)
		cells->sums = calloc((size_t)cells->count * PROFILE_PARTS,
				     sizeof(*cells->sums));
	if (!cells->sums)
		return -ERROR_MEMORY;
	while (first < last && !status) {
		size_t covered;
		uint32_t level = call_sums_largest(cells->calls, first, last,
						   false, CALL_LEVELS_MOST,
						   &covered);

		status = add_span(cells,
				  call_sums_span(cells->calls, level,
						 first / covered),
				  !level);
		first += covered;
	}
	return status;
}

/* Returns whether @window includes all traced time of a part: the recording's
 * first and last part have none before its start and after its end.
 */
static bool is_within(const struct view_summary *summary, uint64_t begin_ns,
		      uint64_t end_ns, struct time_window window)
{
	return (begin_ns >= window.since_ns ||
		window.since_ns <= summary->begin_ns) &&
	       (end_ns <= window.until_ns ||
		window.until_ns >= summary->last_ns);
}

static bool is_wanted(const struct cell_paths *cells,
		      const struct call_span *cell, struct time_window window,
		      bool grows)
{
	return grows ? cell->end_ns > window.since_ns &&
			       cell->begin_ns < window.until_ns :
		       is_within(cells->sources->summary, cell->begin_ns,
				 cell->end_ns, window);
}

int cell_paths_add(struct cell_paths *cells, struct time_window window,
		   bool grows, struct time_window *whole)
{
	const struct call_sums *calls = cells->calls;
	size_t count = call_sums_spans(calls, 0);
	size_t first = 0;
	size_t last;

	*whole = (struct time_window){ window.since_ns, window.since_ns };
	while (first < count &&
	       !is_wanted(cells, call_sums_span(calls, 0, first), window,
			  grows))
		first++;
	last = first;
	while (last < count &&
	       is_wanted(cells, call_sums_span(calls, 0, last), window, grows))
		last++;
	if (first == last)
		return 0;
	whole->since_ns = call_sums_span(calls, 0, first)->begin_ns;
	whole->until_ns = call_sums_span(calls, 0, last - 1)->end_ns;
	return add_cells(cells, first, last);
}

/* Marks the callers of used paths as used. */
static void mark_callers(const struct cell_paths *cells, struct path_sum *sums)
{
	for (uint32_t i = cells->count; i-- > 1;)
		if (sums[i].is_used)
			sums[cells->paths[i].parent].is_used = true;
}

/* Context for adding sums to a tree. */
struct showing {
	const struct cell_paths *cells;
	const struct profile_scope *scope;
	struct call_tree *tree;
	uint64_t *time_ns;    /* by part of the profile */
	struct place *places; /* by path */
};

/* A path's node in the tree; for a hidden path, its caller's. */
struct place {
	uint32_t node;
	enum profile_part part;
};

static struct place place_of(const struct showing *showing, uint32_t path)
{
	const struct call_path *called = &showing->cells->paths[path];
	const struct place *caller = &showing->places[called->parent];
	struct place place = *caller;

	place.part = profile_part_of_call(showing->scope->kinds,
					  called->function, caller->part);
	if (showing->scope->shows[place.part])
		place.node = call_tree_child(showing->tree, caller->node,
					     called->function, false);
	return place;
}

/* Adds the sums of the tasks of one part. Returns false when out of memory. */
static bool show_part(const struct showing *showing, enum profile_part part)
{
	struct path_sum *sums =
		&showing->cells->sums[(size_t)part * showing->cells->count];

	mark_callers(showing->cells, sums);
	for (uint32_t i = 0; i < showing->cells->count; i++) {
		struct place *place = &showing->places[i];

		if (!sums[i].is_used)
			continue;
		*place = i ? place_of(showing, i) :
			     (struct place){
				     call_tree_root(showing->tree, -1),
				     part,
			     };
		if (place->node == CALL_NODE_NONE)
			return false;
		showing->time_ns[place->part] += sums[i].self_ns;
		if (!showing->scope->shows[place->part])
			continue;
		call_tree_at(showing->tree, place->node)->self_ns +=
			sums[i].self_ns;
		call_tree_add_calls(
			showing->tree, place->node,
			&(struct call_counts){ .direct = sums[i].calls }, 0);
	}
	return true;
}

int cell_paths_show(struct cell_paths *cells, const struct profile_scope *scope,
		    struct call_tree *tree, uint64_t time_ns[PROFILE_PARTS])
{
	struct showing showing = {
		.cells = cells,
		.scope = scope,
		.tree = tree,
		.time_ns = time_ns,
		.places = calloc((size_t)cells->count + 1,
				 sizeof(*showing.places)),
	};
	bool is_whole = showing.places;

	for (int i = 0; i < PROFILE_PARTS && cells->sums && is_whole; i++)
		is_whole = show_part(&showing, (enum profile_part)i);
	free(showing.places);
	return is_whole ? 0 : -ERROR_MEMORY;
}
