/* SPDX-License-Identifier: MIT */
#include "view/answer/path_profile_internal.h"

#include "common/error.h"
#include "common/memory.h"
#include "report/profile/call_tree.h"
#include "symbolize/functions/function_table.h"
#include "view/answer/answer.h"
#include "view/data/call_sums.h"
#include "view/make/thread_numbers.h"

#include <assert.h>
#include <stdlib.h>

/* A path that a node stands for. */
struct member {
	const struct path_sums *sums;
	uint32_t path;
};

struct path_profile *path_profile_new(const struct view_sources *sources,
				      const struct profile_scope *scope)
{
	struct path_profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->sources = sources;
	profile->scope = scope;
	profile->nodes = ARRAY_OF(struct path_node);
	profile->members = ARRAY_OF(struct member);
	return profile;
}

void path_profile_free(struct path_profile *profile)
{
	if (!profile)
		return;
	for (int i = 0; i < PROFILE_PARTS + WINDOWS_MOST; i++) {
		free(profile->sums[i].sums);
		free(profile->sums[i].uses);
		free(profile->sums[i].parts);
		free(profile->sums[i].links);
	}
	for (int i = 0; i < WINDOWS_MOST; i++)
		free(profile->window_paths[i]);
	free(profile->functions);
	array_free(&profile->nodes);
	array_free(&profile->members);
	free(profile);
}

/* Makes @sums those of @count @paths, which are borrowed. Returns 0 or
 * -ERROR_MEMORY.
 */
static int open_sums(struct path_sums *sums, const struct call_path *paths,
		     uint32_t count)
{
	sums->paths = paths;
	sums->count = count;
	sums->sums =
		large_memory_zeroed(((size_t)count + 1) * sizeof(*sums->sums));
	sums->uses = calloc((size_t)count + 1, sizeof(*sums->uses));
	sums->parts = calloc((size_t)count + 1, sizeof(*sums->parts));
	sums->links =
		large_memory_zeroed(((size_t)count + 1) * sizeof(*sums->links));
	return sums->sums && sums->uses && sums->parts && sums->links ?
		       0 :
		       -ERROR_MEMORY;
}

static void add_sum(struct path_sums *sums, uint32_t path, uint64_t self_ns,
		    uint64_t calls)
{
	sums->sums[path].self_ns += self_ns;
	sums->sums[path].calls += calls;
	sums->uses[path] = PATH_USED;
}

/* Adds a frame to the sums of @part. */
static int add_frame(struct path_profile *profile,
		     const struct call_frame *frame, uint32_t part)
{
	const struct call_sums *calls = profile->sources->summary->calls;
	const struct call_sum *items;
	struct path_sums *sums;
	struct array read;
	uint32_t count;
	int status;

	/* The file is untrusted. */
	if (part >= PROFILE_PARTS)
		return -ERROR_FORMAT;
	sums = &profile->sums[profile->scope ? part : 0];
	if (!sums->sums) {
		const struct call_path *paths = call_sums_paths(calls, &count);

		if (open_sums(sums, paths, count) < 0)
			return -ERROR_MEMORY;
	}
	status = call_sums_read(calls, frame, &read);
	items = read.items;
	for (size_t i = 0; i < read.count && !status; i++)
		add_sum(sums, items[i].path, items[i].self_ns, items[i].calls);
	array_free(&read);
	return status;
}

/* Adds the frames of @span that belong to thread @number, or to all. */
static int add_span(struct path_profile *profile, const struct call_span *span,
		    uint32_t number, bool is_cell)
{
	const struct call_sums *calls = profile->sources->summary->calls;
	const struct call_frame *frames = span->frames.items;
	int status = 0;

	for (size_t i = 0; i < span->frames.count && !status; i++) {
		uint32_t owner = frames[i].owner;

		if (number != THREAD_NUMBER_NONE) {
			if (owner == number)
				status = add_frame(profile, &frames[i],
						   PROFILE_WORK);
		} else if (is_cell) {
			status = add_frame(profile, &frames[i],
					   call_sums_part(calls, owner));
		} else if (owner >= CALL_OWNER_PART) {
			status = add_frame(profile, &frames[i],
					   owner - CALL_OWNER_PART);
		}
	}
	return status;
}

int path_profile_add_cells(struct path_profile *profile, uint32_t number,
			   size_t first, size_t last)
{
	const struct call_sums *calls = profile->sources->summary->calls;
	int status = 0;

	while (first < last && !status) {
		size_t covered;
		uint32_t level = call_sums_largest(calls, first, last, false,
						   CALL_LEVELS_MOST, &covered);

		status = add_span(profile,
				  call_sums_span(calls, level, first / covered),
				  number, !level);
		first += covered;
	}
	return status;
}

int path_profile_add_tree(struct path_profile *profile,
			  const struct call_tree *tree,
			  const uint64_t part_ns[PROFILE_PARTS])
{
	uint32_t count = call_tree_count(tree);
	struct call_path *paths = calloc((size_t)count + 1, sizeof(*paths));
	struct path_sums *sums =
		&profile->sums[PROFILE_PARTS + profile->windows];

	assert(profile->windows < WINDOWS_MOST);
	profile->window_paths[profile->windows++] = paths;
	if (!paths || open_sums(sums, paths, count) < 0)
		return -ERROR_MEMORY;
	sums->has_scope = true;
	for (uint32_t i = 0; i < count; i++) {
		const struct call_node *node = call_tree_at(tree, i);
		const struct call_counts calls = call_tree_calls(tree, i);

		paths[i] =
			(struct call_path){ node->parent, node->function, 0 };
		add_sum(sums, i, node->self_ns, call_counts_calls(&calls));
	}
	for (int i = 0; i < PROFILE_PARTS; i++)
		profile->part_ns[i] += part_ns[i];
	return 0;
}

static bool is_root(const struct path_sums *sums, uint32_t path)
{
	return sums->paths[path].parent == CALL_PATH_NONE;
}

static bool is_shown(const struct path_profile *profile,
		     const struct path_sums *sums, uint32_t path)
{
	return !profile->scope || profile->scope->shows[sums->parts[path]];
}

/* Marks the callers of used paths as used. */
static void mark_callers(struct path_sums *sums)
{
	for (uint32_t i = sums->count; i-- > 0;)
		if (sums->uses[i] && !is_root(sums, i))
			sums->uses[sums->paths[i].parent] |= PATH_USED;
}

/* Sets the part of a used path, whose task is of @part if it is a root, and adds
 * its time to that part.
 */
static void find_part(struct path_profile *profile, struct path_sums *sums,
		      uint32_t path, uint8_t part)
{
	const struct call_path *at = &sums->paths[path];

	if (!is_root(sums, path))
		part = (uint8_t)profile_part_of_call(
			profile->scope->kinds, at->function, at->ends_interrupt,
			(enum profile_part)sums->parts[at->parent]);
	sums->parts[path] = part;
	profile->part_ns[part] += sums->sums[path].self_ns;
}

/* The shown functions of a path, as a set of two bits for each: few functions
 * have the same two.
 */
struct function_set {
	uint64_t bits[2];
};

static void add_bits(struct function_set *set, uint32_t function)
{
	uint32_t hash = function * 0x9e3779b9u;

	set->bits[0] |= (uint64_t)1 << (hash >> 26);
	set->bits[1] |= (uint64_t)1 << (hash >> 20 & 63);
}

/* Returns whether a shown caller of @path is of the same function. @callers is
 * the set of their functions, and @with that and its own.
 */
static bool is_recursive(const struct path_profile *profile,
			 const struct path_sums *sums,
			 const struct function_set *callers,
			 const struct function_set *with, uint32_t path)
{
	uint32_t function = sums->paths[path].function;
	uint32_t above = sums->paths[path].parent;

	if (with->bits[0] != callers->bits[0] ||
	    with->bits[1] != callers->bits[1])
		return false;
	for (; !is_root(sums, above); above = sums->paths[above].parent)
		if (sums->paths[above].function == function &&
		    is_shown(profile, sums, above))
			return true;
	return false;
}

/* Sets the parts of used paths, unless they have the scope already, and marks
 * the recursive ones. @sets is memory for a set by path.
 */
static void find_parts(struct path_profile *profile, struct path_sums *sums,
		       uint8_t part, struct function_set *sets)
{
	for (uint32_t i = 0; i < sums->count; i++) {
		const struct call_path *path = &sums->paths[i];
		const struct function_set *callers;

		if (!sums->uses[i])
			continue;
		if (profile->scope && !sums->has_scope)
			find_part(profile, sums, i, part);
		sets[i] = (struct function_set){ 0 };
		if (is_root(sums, i))
			continue;
		callers = &sets[path->parent];
		sets[i] = *callers;
		if (!is_shown(profile, sums, i))
			continue;
		add_bits(&sets[i], path->function);
		if (is_recursive(profile, sums, callers, &sets[i], i))
			sums->uses[i] |= PATH_RECURSIVE;
	}
}

/* Adds a shown path to its function. */
static void add_function(struct path_profile *profile,
			 const struct path_sums *sums, uint32_t path)
{
	const struct path_sum *sum = &sums->sums[path];
	uint32_t number = sums->paths[path].function;
	struct function_sum *function;

	if (number >= profile->function_count)
		return;
	function = &profile->functions[number];
	function->is_used = true;
	function->calls += sum->calls;
	function->self_ns += sum->self_ns;
	if (!(sums->uses[path] & PATH_RECURSIVE))
		function->total_ns += sum->total_ns;
	profile->self_ns += sum->self_ns;
}

/* Marks a path that is shown, or has shown ones below it, for its caller, and
 * links it. Returns 0 or -ERROR_MEMORY.
 */
static int add_shown(struct path_profile *profile, struct path_sums *sums,
		     uint32_t path)
{
	uint32_t parent = sums->paths[path].parent;

	if (is_root(sums, path))
		return array_append(&profile->members,
				    &(struct member){ sums, path });
	if (is_shown(profile, sums, path)) {
		add_function(profile, sums, path);
		profile->left_out++;
	}
	sums->sums[parent].total_ns += sums->sums[path].total_ns;
	sums->uses[parent] |= PATH_SHOWN;
	sums->links[path].next_sibling = sums->links[parent].first_child;
	sums->links[parent].first_child = path;
	return 0;
}

/* Adds up the times of the paths with all below them, and the functions. Returns
 * 0 or -ERROR_MEMORY.
 */
static int add_totals(struct path_profile *profile, struct path_sums *sums)
{
	int status = 0;

	for (uint32_t i = sums->count; i-- > 0 && !status;) {
		struct path_sum *sum = &sums->sums[i];

		if (!sums->uses[i])
			continue;
		if (is_shown(profile, sums, i)) {
			sum->total_ns += sum->self_ns;
			if (!profile->scope || sum->self_ns || sum->calls)
				sums->uses[i] |= PATH_SHOWN;
		}
		if (sums->uses[i] & PATH_SHOWN)
			status = add_shown(profile, sums, i);
	}
	return status;
}

int path_profile_sum_up(struct path_profile *profile)
{
	int status = -ERROR_MEMORY;
	struct function_set *sets;
	uint32_t most = 0;

	for (int i = 0; i < PROFILE_PARTS + WINDOWS_MOST; i++)
		if (profile->sums[i].count > most)
			most = profile->sums[i].count;
	sets = large_memory_new(((size_t)most + 1) * sizeof(*sets));
	profile->function_count = function_count(profile->sources->functions);
	profile->functions = calloc((size_t)profile->function_count + 1,
				    sizeof(*profile->functions));
	if (sets && profile->functions)
		status = 0;
	for (int i = 0; i < PROFILE_PARTS + WINDOWS_MOST && !status; i++) {
		struct path_sums *sums = &profile->sums[i];

		mark_callers(sums);
		find_parts(profile, sums, (uint8_t)i, sets);
		status = add_totals(profile, sums);
	}
	free(sets);
	return status;
}

/* Adds the shown paths below @above, through hidden ones (invariant 2). @hidden
 * is empty memory for those. Returns 0 or -ERROR_MEMORY.
 */
static int find_below(const struct path_profile *profile,
		      const struct member *above, struct array *hidden,
		      struct array *found)
{
	struct member next = *above;
	uint32_t path = next.path;
	int status = 0;

	do {
		if (hidden->count)
			path = ((const uint32_t *)
					hidden->items)[--hidden->count];
		for (next.path = next.sums->links[path].first_child;
		     next.path && !status;
		     next.path = next.sums->links[next.path].next_sibling)
			status = is_shown(profile, next.sums, next.path) ?
					 array_append(found, &next) :
					 array_append(hidden, &next.path);
	} while (hidden->count && !status);
	return status;
}

static uint32_t function_of(const struct member *member)
{
	return member->sums->paths[member->path].function;
}

static int compare_members(const void *a, const void *b)
{
	uint32_t x = function_of(a);
	uint32_t y = function_of(b);

	return x < y ? 1 : -(x > y);
}

/* Adds a node for @count members. Returns 0 or -ERROR_MEMORY. */
static int add_node(struct path_profile *profile, uint32_t parent,
		    const struct member *members, size_t count,
		    uint64_t least_ns)
{
	struct path_node node = {
		.parent = parent,
		.function = function_of(members),
		.first_member = profile->members.count,
		.member_count = count,
	};
	int status = 0;

	for (size_t i = 0; i < count; i++) {
		const struct path_sum *sum =
			&members[i].sums->sums[members[i].path];

		node.total_ns += sum->total_ns;
		node.calls += sum->calls;
		node.self_ns += sum->self_ns;
	}
	if (node.total_ns <= least_ns)
		return 0;
	profile->left_out -= count;
	for (size_t i = 0; i < count && !status; i++)
		status = array_append(&profile->members, &members[i]);
	return status ? status : array_append(&profile->nodes, &node);
}

/* Adds a node for each function among @found, the paths below node @parent. */
static int add_nodes(struct path_profile *profile, uint32_t parent,
		     struct array *found, uint64_t least_ns)
{
	const struct member *members;
	int status = 0;

	array_sort(found, compare_members);
	members = found->items;
	for (size_t i = 0, end; i < found->count && !status; i = end) {
		end = i + 1;
		while (end < found->count &&
		       function_of(&members[end]) == function_of(&members[i]))
			end++;
		status = add_node(profile, parent, &members[i], end - i,
				  least_ns);
	}
	return status;
}

/* Adds the root, whose members are the roots of all sums, if there are any. */
static int add_root(struct path_profile *profile)
{
	struct path_node root = {
		.parent = UINT32_MAX,
		.function = UINT32_MAX,
		.member_count = profile->members.count,
	};

	for (size_t i = 0; i < root.member_count; i++) {
		const struct member *member = array_at(&profile->members, i);
		const struct path_sum *sum = &member->sums->sums[member->path];

		root.total_ns += sum->total_ns;
		if (is_shown(profile, member->sums, member->path)) {
			root.self_ns += sum->self_ns;
			root.calls += sum->calls;
		}
	}
	return root.member_count ? array_append(&profile->nodes, &root) : 0;
}

static int add_below(struct path_profile *profile, uint32_t number,
		     uint64_t least_ns)
{
	const struct path_node *node = array_at(&profile->nodes, number);
	struct array found = ARRAY_OF(struct member);
	struct array hidden = ARRAY_OF(uint32_t);
	int status = 0;

	for (size_t i = 0; i < node->member_count && !status; i++)
		status = find_below(profile,
				    array_at(&profile->members,
					     node->first_member + i),
				    &hidden, &found);
	if (!status)
		status = add_nodes(profile, number, &found, least_ns);
	array_free(&found);
	array_free(&hidden);
	return status;
}

int path_profile_make_nodes(struct path_profile *profile, uint32_t smallest)
{
	uint64_t least_ns = 0;
	int status = add_root(profile);

	if (profile->nodes.count)
		least_ns =
			((struct path_node *)profile->nodes.items)->total_ns /
			smallest;
	for (uint32_t i = 0; i < profile->nodes.count && !status; i++)
		status = add_below(profile, i, least_ns);
	return status;
}
