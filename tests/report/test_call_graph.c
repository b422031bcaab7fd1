/* SPDX-License-Identifier: MIT */
#include "report/profile/call_graph.h"
#include "report/profile/render_flamegraph_internal.h"
#include "symbolize/functions/function_table.h"
#include "tests/run_suite.h"

#include <string.h>

/* a calls b, b calls c, c calls b again, which calls itself; a calls d; an
 * interrupt i breaks into d and calls a.
 */
enum { A = 1, B, C, D, I, FUNCTIONS };

static uint32_t add(struct call_tree *tree, uint32_t parent, uint32_t function,
		    uint64_t self_ns, enum call_how how)
{
	bool is_interrupt = how == HOW_EXCEPTION ||
			    call_tree_at(tree, parent)->interrupt;
	uint32_t node = call_tree_child(tree, parent, function, is_interrupt);

	call_tree_at(tree, node)->self_ns += self_ns;
	call_tree_count_entry(tree, node, how);
	return node;
}

static struct call_tree *make_tree(void)
{
	struct call_tree *tree = call_tree_new();
	uint32_t a = add(tree, call_tree_root(tree, -1), A, 1, HOW_START);
	uint32_t b = add(tree, a, B, 10, HOW_CALL);
	uint32_t c = add(tree, b, C, 100, HOW_CALL);
	uint32_t again = add(tree, c, B, 1000, HOW_CALL);
	uint32_t d = add(tree, a, D, 10000, HOW_TAIL);
	uint32_t i = add(tree, d, I, 100000, HOW_EXCEPTION);

	add(tree, again, B, 2000, HOW_CALL);
	add(tree, i, A, 1000000, HOW_CALL);
	return tree;
}

static const struct function_row *
row_for(const struct function_profile *profile, uint32_t function)
{
	for (size_t i = 0; i < profile->row_count; i++)
		if (profile->rows[i].function == function)
			return &profile->rows[i];
	ck_abort_msg("function %u has no row", function);
	return NULL;
}

START_TEST(recursion_counts_once)
{
	struct call_tree *tree = make_tree();
	struct function_profile profile;

	ck_assert_int_eq(function_profile_make(tree, FUNCTIONS, &profile), 0);
	ck_assert_uint_eq(profile.row_count, 5);
	ck_assert_uint_eq(profile.self_ns, 1113111);
	ck_assert_uint_eq(row_for(&profile, A)->self_ns, 1000001);
	ck_assert_uint_eq(row_for(&profile, A)->total_ns, 1113111);
	ck_assert_uint_eq(row_for(&profile, B)->self_ns, 3010);
	ck_assert_uint_eq(row_for(&profile, B)->total_ns, 3110);
	ck_assert_uint_eq(row_for(&profile, B)->calls.direct, 3);
	ck_assert_uint_eq(row_for(&profile, D)->calls.tail, 1);
	ck_assert_uint_eq(row_for(&profile, I)->calls.async, 1);
	function_profile_free(&profile);
	call_tree_free(tree);
}
END_TEST

START_TEST(cycles_are_rings_of_calls)
{
	struct call_tree *tree = make_tree();
	struct function_profile profile;
	struct call_graph graph;
	uint64_t b_to_b = 0;

	ck_assert_int_eq(function_profile_make(tree, FUNCTIONS, &profile), 0);
	ck_assert_int_eq(call_graph_make(tree, &profile, &graph), 0);
	ck_assert_uint_eq(graph.cycle_count, 1);
	for (size_t i = 0; i < profile.row_count; i++) {
		uint32_t function = profile.rows[i].function;

		ck_assert_int_eq(graph.cycle_of_row[i] != 0,
				 function == B || function == C);
	}
	for (size_t i = 0; i < graph.arc_count; i++)
		if (graph.arcs[i].caller == graph.arcs[i].callee)
			b_to_b += graph.arcs[i].calls.direct;
	ck_assert_uint_eq(b_to_b, 1);
	/* nobody-a, a-b, b-c, c-b, b-b, a-d, d-i, i-a. */
	ck_assert_uint_eq(graph.arc_count, 8);
	call_graph_free(&graph);
	function_profile_free(&profile);
	call_tree_free(tree);
}
END_TEST

START_TEST(frames_lie_within_their_callers)
{
	struct function_table *functions = function_table_new();
	struct call_tree *tree = make_tree();
	struct flame_layout layout;

	for (const char *name = "abcdi"; *name; name++)
		function_table_add(functions, name, 1,
				   function_table_module(functions, "", 0),
				   'k');
	ck_assert_int_eq(flame_layout_make(tree, functions, &layout), 0);
	ck_assert_uint_eq(layout.all_ns, 1113111);
	for (uint32_t i = 1; i < call_tree_count(tree); i++) {
		uint32_t parent = call_tree_at(tree, i)->parent;

		ck_assert_uint_ge(layout.start_ns[i], layout.start_ns[parent]);
		ck_assert_uint_le(layout.start_ns[i] + layout.total_ns[i],
				  layout.start_ns[parent] +
					  layout.total_ns[parent]);
		ck_assert_uint_eq(layout.depth[i], layout.depth[parent] + 1);
	}
	flame_layout_free(&layout);
	call_tree_free(tree);
	function_table_free(functions);
}
END_TEST

SUITE("call_graph")
{
	TEST(recursion_counts_once);
	TEST(cycles_are_rings_of_calls);
	TEST(frames_lie_within_their_callers);
}
