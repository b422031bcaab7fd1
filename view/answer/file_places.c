/* SPDX-License-Identifier: MIT */
#include "view/answer/file_places.h"

#include "common/error.h"
#include "view/answer/thread_part.h"
#include "view/data/call_sums.h"

#include <stdlib.h>

/* A path of the current thread. */
struct thread_path {
	uint64_t all_ns; /* with callees, in the whole recording */
	uint32_t place;	 /* of this path, or of its nearest included caller */
	enum profile_part part;
	bool is_used; /* this path or one below it has sums */
};

struct finder {
	const struct view_sources *sources;
	const struct call_sums *calls;
	const struct call_path *paths;
	struct file_places *places;
	uint64_t all_ns;	     /* of all threads */
	uint32_t thread;	     /* current thread */
	struct thread_path *of_path; /* by path, for the current thread */
	struct array used;	     /* uint32_t: paths with is_used */
};

/* Called with each sum of a thread in a span. */
typedef int finder_fn(struct finder *finder, const struct call_sum *sum,
		      size_t cell);

static int each_sum(struct finder *finder, const struct call_frame *frame,
		    size_t cell, finder_fn *take)
{
	struct array read;
	int status = call_sums_read(finder->calls, frame, &read);
	const struct call_sum *sums = read.items;

	for (size_t i = 0; i < read.count && !status; i++)
		status = take(finder, &sums[i], cell);
	array_free(&read);
	return status;
}

/* Calls @take with the thread's sums, in spans of up to level @most. */
static int each_of_thread(struct finder *finder, uint32_t most, finder_fn *take)
{
	size_t count = call_sums_spans(finder->calls, 0);
	size_t cells;
	int status = 0;

	for (size_t i = 0; i < count && !status; i += cells) {
		uint32_t level = call_sums_largest(finder->calls, i, count,
						   false, most, &cells);
		const struct call_frame *frame = call_span_frame(
			call_sums_span(finder->calls, level, i / cells),
			finder->thread);

		if (frame)
			status = each_sum(finder, frame, i, take);
	}
	return status;
}

static int add_to_all(struct finder *finder, const struct call_sum *sum,
		      size_t cell)
{
	(void)cell;
	finder->all_ns += sum->self_ns;
	return 0;
}

/* Adds a sum to its path, and marks the path and its callers as used. */
static int add_time(struct finder *finder, const struct call_sum *sum,
		    size_t cell)
{
	uint32_t path = sum->path;

	(void)cell;
	finder->of_path[path].all_ns += sum->self_ns;
	while (path != CALL_PATH_NONE && !finder->of_path[path].is_used) {
		if (array_append(&finder->used, &path) < 0)
			return -ERROR_MEMORY;
		finder->of_path[path].is_used = true;
		path = finder->paths[path].parent;
	}
	return 0;
}

/* Adds a sum to the part of time of its cell. */
static int add_to_part(struct finder *finder, const struct call_sum *sum,
		       size_t cell)
{
	struct file_place *kept = array_at(&finder->places->places,
					   finder->of_path[sum->path].place);
	size_t part = cell / finder->places->part_cells;

	kept->self_ns[part] += sum->self_ns;
	/* Calls of a path that is left out are not calls of its caller. */
	if (kept->path == sum->path)
		kept->calls[part] += sum->calls;
	return 0;
}

/* Returns whether path @path is included. A path in another part than its
 * caller is included even if it is small, since merging would count it in the
 * wrong part.
 */
static bool is_kept(const struct finder *finder, uint32_t path,
		    enum profile_part caller_part)
{
	const struct thread_path *own = &finder->of_path[path];

	return own->all_ns * FILE_PROFILE_SMALLEST >= finder->all_ns ||
	       (own->all_ns && own->part != caller_part);
}

/* Sets the place of @path, whose callers' are set. */
static int choose(struct finder *finder, uint32_t path)
{
	const struct call_path *called = &finder->paths[path];
	struct thread_path *own = &finder->of_path[path];
	const struct thread_path *caller = NULL;
	struct array *places = &finder->places->places;
	struct file_place *place;

	if (path) {
		caller = &finder->of_path[called->parent];
		own->part = profile_part_of_call(
			finder->sources->kinds, called->function, caller->part);
		own->place = caller->place;
		if (!is_kept(finder, path, caller->part)) {
			finder->places->left_out++;
			return 0;
		}
	} else {
		own->part = thread_part(finder->sources, finder->thread);
	}
	place = array_add(places);
	if (!place)
		return -ERROR_MEMORY;
	place->parent = caller ? caller->place : CALL_PATH_NONE;
	place->path = path;
	place->function = path ? called->function : finder->thread;
	place->part = own->part;
	own->place = (uint32_t)places->count - 1;
	return 0;
}

static int compare_paths(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Adds each path's time to its caller's, and sets the places. Callers have
 * smaller numbers.
 */
static int choose_all(struct finder *finder)
{
	const uint32_t *used;
	int status = 0;

	array_sort(&finder->used, compare_paths);
	used = finder->used.items;
	for (size_t i = finder->used.count; i-- > 1;)
		finder->of_path[finder->paths[used[i]].parent].all_ns +=
			finder->of_path[used[i]].all_ns;
	for (size_t i = 0; i < finder->used.count && !status; i++)
		status = choose(finder, used[i]);
	return status;
}

static int find_of_thread(struct finder *finder, uint32_t thread)
{
	const uint32_t *used;
	int status;

	finder->thread = thread;
	status = each_of_thread(finder, CALL_LEVELS_MOST, add_time);
	if (!status)
		status = choose_all(finder);
	if (!status)
		status = each_of_thread(finder, 0, add_to_part);
	used = finder->used.items;
	for (size_t i = 0; i < finder->used.count; i++)
		finder->of_path[used[i]] = (struct thread_path){ 0 };
	finder->used.count = 0;
	return status;
}

static int find_all(struct finder *finder)
{
	uint32_t threads = (uint32_t)finder->sources->summary->threads.count;
	int status = 0;

	for (uint32_t i = 0; i < threads && !status; i++) {
		finder->thread = i;
		status = each_of_thread(finder, CALL_LEVELS_MOST, add_to_all);
	}
	for (uint32_t i = 0; i < threads && !status; i++)
		status = find_of_thread(finder, i);
	return status;
}

int file_places_find(struct file_places *places,
		     const struct view_sources *sources)
{
	struct finder finder = {
		.sources = sources,
		.calls = sources->summary->calls,
		.places = places,
		.used = ARRAY_OF(uint32_t),
	};
	uint32_t count;
	int status = -ERROR_MEMORY;

	finder.paths = call_sums_paths(finder.calls, &count);
	*places = (struct file_places){
		.places = ARRAY_OF(struct file_place),
		.part_cells =
			call_sums_spans(finder.calls, 0) / FILE_PARTS_MOST + 1,
	};
	finder.of_path = calloc(count, sizeof(*finder.of_path));
	if (finder.of_path)
		status = find_all(&finder);
	array_free(&finder.used);
	free(finder.of_path);
	return status;
}

void file_places_free(struct file_places *places)
{
	array_free(&places->places);
}
