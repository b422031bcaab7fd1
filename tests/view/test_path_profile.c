/* SPDX-License-Identifier: MIT */
/* The profile of a selection, from random paths, is that of a tree of all of
 * them.
 */
#include "common/array.h"
#include "report/profile/call_tree.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"
#include "tests/assert_each.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"
#include "view/answer/answer.h"
#include "view/answer/path_profile_internal.h"
#include "view/data/call_sums.h"
#include "view/make/thread_numbers.h"

#include <stdlib.h>
#include <string.h>

enum { PATHS = 400, FUNCTIONS = 7 };

static const char *const names[FUNCTIONS] = {
	"a",
	"b",
	"c",
	"d",
	"e",
	"asm_common_interrupt",
	"perf_trace_sched_switch",
};

/* Paths with sums of three threads, which are of three parts. */
struct story {
	struct scratch_folder folder;
	struct function_table *functions;
	struct context_kinds *kinds;
	struct view_sources sources;
	struct profile_scope scope;
	struct call_path paths[PATHS];
	struct call_sum sums[PROFILE_PARTS][PATHS];
	struct call_tree *tree; /* of all shown paths */
	uint64_t part_ns[PROFILE_PARTS];
};

static void add_functions(struct story *story)
{
	const char *module;

	story->functions = function_table_new();
	module = function_table_module(story->functions, "", 0);
	for (size_t i = 0; i < FUNCTIONS; i++)
		function_table_add(story->functions, names[i], strlen(names[i]),
				   module, 'k');
	story->kinds = context_kinds_new(story->functions, &arch_x86_64);
	ck_assert_ptr_nonnull(story->kinds);
}

/* Adds a cell with a third of the paths, some of which have calls alone. */
static void add_cell(struct story *story, struct call_sums *calls)
{
	struct array cell = ARRAY_OF(struct call_cell_sums);

	for (uint32_t part = 0; part < PROFILE_PARTS; part++) {
		struct call_cell_sums *list = array_add(&cell);

		ck_assert_int_eq(call_sums_set_part(calls, part, (uint8_t)part),
				 0);
		list->thread = part;
		list->sums = ARRAY_OF(struct call_sum);
		for (uint32_t i = 0; i < PATHS; i++) {
			struct call_sum *sum = &story->sums[part][i];

			if (random() % 3)
				continue;
			sum->path = i;
			sum->self_ns = (uint64_t)(random() % 1000);
			sum->calls = (uint64_t)(random() % 3);
			ck_assert_int_eq(array_append(&list->sums, sum), 0);
		}
	}
	ck_assert_int_eq(call_sums_add_cell(calls, 100, 200, &cell), 0);
	array_free(&cell);
}

static void begin(struct story *story, unsigned int seed)
{
	char path[128];

	*story = (struct story){ .folder = scratch_folder_new() };
	srandom(seed);
	scratch_folder_path(&story->folder, "view", path, sizeof(path));
	add_functions(story);
	story->scope = (struct profile_scope){
		.kinds = story->kinds,
		.shows = { true, seed & 1, seed & 2 },
	};
	story->sources = (struct view_sources){
		.summary = view_summary_new(path, NULL),
		.functions = story->functions,
		.kinds = story->kinds,
	};
	story->paths[0].parent = CALL_PATH_NONE;
	for (uint32_t i = 1; i < PATHS; i++) {
		story->paths[i] = (struct call_path){
			.parent = (uint32_t)random() % i,
			.function = (uint32_t)random() % FUNCTIONS,
			.ends_interrupt = random() % 16 == 0,
		};
		ck_assert_int_eq(
			call_sums_add_path(story->sources.summary->calls,
					   story->paths[i]),
			0);
	}
	add_cell(story, story->sources.summary->calls);
}

static void end(struct story *story)
{
	call_tree_free(story->tree);
	view_summary_free(story->sources.summary);
	context_kinds_free(story->kinds);
	function_table_free(story->functions);
	scratch_folder_free(&story->folder);
}

/* Makes the tree of all shown paths of the tasks of one part. */
static void add_part(struct story *story, uint32_t part)
{
	uint32_t nodes[PATHS];
	enum profile_part parts[PATHS];

	for (uint32_t i = 0; i < PATHS; i++) {
		const struct call_path *path = &story->paths[i];
		const struct call_sum *sum = &story->sums[part][i];

		nodes[i] = i ? nodes[path->parent] :
			       call_tree_root(story->tree, -1);
		parts[i] = (enum profile_part)part;
		if (i)
			parts[i] = profile_part_of_call(story->kinds,
							path->function,
							path->ends_interrupt,
							parts[path->parent]);
		story->part_ns[parts[i]] += sum->self_ns;
		if (!story->scope.shows[parts[i]])
			continue;
		if (i)
			nodes[i] = call_tree_child(story->tree, nodes[i],
						   path->function, false);
		call_tree_at(story->tree, nodes[i])->self_ns += sum->self_ns;
		call_tree_add_calls(
			story->tree, nodes[i],
			&(struct call_counts){ .direct = sum->calls }, 0);
	}
}

static void check_functions(const struct story *story,
			    const struct path_profile *profile)
{
	struct function_profile flat;
	uint64_t used = 0;

	ck_assert_int_eq(function_profile_make(story->tree, FUNCTIONS, &flat),
			 0);
	ck_assert_uint_eq(profile->self_ns, flat.self_ns);
	for (size_t i = 0; i < flat.row_count; i++) {
		const struct function_row *row = &flat.rows[i];
		const struct function_sum *sum =
			&profile->functions[row->function];

		assert_each(sum->is_used);
		assert_each(sum->self_ns == row->self_ns);
		assert_each(sum->total_ns == row->total_ns);
		assert_each(sum->calls == call_counts_calls(&row->calls));
	}
	for (size_t i = 0; i < FUNCTIONS; i++)
		used += profile->functions[i].is_used;
	ck_assert_uint_eq(used, flat.row_count);
	function_profile_free(&flat);
}

/* The nodes of the tree that are larger than 1/@smallest of it. */
static void check_nodes(const struct story *story,
			const struct path_profile *profile, uint32_t smallest)
{
	uint64_t *totals = call_tree_totals(story->tree);
	uint32_t *numbers =
		calloc(call_tree_count(story->tree), sizeof(*numbers));
	uint32_t written = 0;

	for (uint32_t i = 0; i < call_tree_count(story->tree); i++) {
		const struct call_node *wanted = call_tree_at(story->tree, i);
		const struct call_counts calls =
			call_tree_calls(story->tree, i);
		const struct path_node *node;

		if (i && totals[i] <= totals[0] / smallest)
			continue;
		node = array_at(&profile->nodes, written);
		numbers[i] = written++;
		assert_each(node->function == wanted->function);
		assert_each(node->parent ==
			    (i ? numbers[wanted->parent] : UINT32_MAX));
		assert_each(node->total_ns == totals[i]);
		assert_each(node->self_ns == wanted->self_ns);
		assert_each(node->calls == call_counts_calls(&calls));
	}
	ck_assert_uint_eq(profile->nodes.count, written);
	ck_assert_uint_gt(written, 1);
	free(numbers);
	free(totals);
}

/* Half of them with the same paths once more, as a decoded window has them. */
START_TEST(nodes_and_functions_are_those_of_the_whole_tree)
{
	uint32_t smallest = _i & 4 ? 30 : UINT32_MAX;
	struct path_profile *profile;
	struct story story;

	begin(&story, (unsigned int)_i);
	profile = path_profile_new(&story.sources, &story.scope);
	ck_assert_int_eq(
		path_profile_add_cells(profile, THREAD_NUMBER_NONE, 0, 1), 0);
	story.tree = call_tree_new();
	for (uint32_t part = 0; part < PROFILE_PARTS; part++)
		add_part(&story, part);
	ck_assert(call_tree_sort(story.tree));
	if (_i & 8) {
		ck_assert_int_eq(path_profile_add_tree(profile, story.tree,
						       story.part_ns),
				 0);
		for (uint32_t part = 0; part < PROFILE_PARTS; part++)
			add_part(&story, part);
		ck_assert(call_tree_sort(story.tree));
	}
	ck_assert_int_eq(path_profile_sum_up(profile), 0);
	ck_assert_int_eq(path_profile_make_nodes(profile, smallest), 0);
	ck_assert_mem_eq(profile->part_ns, story.part_ns,
			 sizeof(story.part_ns));
	check_functions(&story, profile);
	check_nodes(&story, profile, smallest);
	path_profile_free(profile);
	end(&story);
}
END_TEST

SUITE("path_profile")
{
	TEST_TIMES(nodes_and_functions_are_those_of_the_whole_tree, 16);
}
