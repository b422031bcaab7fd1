/* SPDX-License-Identifier: MIT */
#include "report/profile/call_tree.h"
#include "symbolize/functions/function_table.h"
#include "tests/fixtures/random.h"
#include "tests/run_suite.h"

enum { FUNCTIONS = 40, STEPS = 200000, MAX_DEPTH = 12 };

static bool is_like(const struct call_tree *tree, uint32_t node,
		    uint32_t parent, uint32_t function, bool is_interrupt)
{
	const struct call_node *about = call_tree_at(tree, node);

	return about->parent == parent && about->function == function &&
	       about->interrupt == is_interrupt;
}

/* Whatever was looked up before, a lookup returns the right child, and each
 * exists once.
 */
START_TEST(children_are_found_in_any_order)
{
	struct call_tree *tree = call_tree_new();
	uint32_t path[MAX_DEPTH + 1];
	uint32_t state = 3;
	int depth = 0;

	path[0] = call_tree_root(tree, -1);
	for (int i = 0; i < STEPS; i++) {
		uint32_t chosen = next_random(&state);
		uint32_t function = chosen / 4 % FUNCTIONS;
		bool is_interrupt = chosen % 256 == 1;

		if (depth && (chosen % 2 == 0 || depth == MAX_DEPTH)) {
			depth--;
			continue;
		}
		path[depth + 1] = call_tree_child(tree, path[depth], function,
						  is_interrupt);
		ck_assert(is_like(tree, path[depth + 1], path[depth], function,
				  is_interrupt));
		depth++;
	}
	for (uint32_t i = 1; i < call_tree_count(tree); i++) {
		const struct call_node *node = call_tree_at(tree, i);

		ck_assert_uint_eq(call_tree_child(tree, node->parent,
						  node->function,
						  node->interrupt),
				  i);
	}
	call_tree_free(tree);
}
END_TEST

START_TEST(trees_of_processes_are_apart)
{
	struct call_tree *tree = call_tree_new();
	uint32_t first = call_tree_root(tree, 1);
	uint32_t second = call_tree_root(tree, 2);
	uint32_t a = call_tree_child(tree, first, 7, false);
	uint32_t b = call_tree_child(tree, second, 7, false);

	ck_assert_uint_ne(first, second);
	ck_assert_uint_eq(call_tree_root(tree, 1), first);
	ck_assert_uint_ne(a, b);
	ck_assert_uint_eq(call_tree_child(tree, first, 7, false), a);
	ck_assert_int_eq(call_tree_pid(tree, a), 1);
	ck_assert_int_eq(call_tree_pid(tree, b), 2);
	ck_assert_uint_eq(call_tree_at(tree, first)->function, FUNCTION_NONE);
	call_tree_free(tree);
}
END_TEST

/* Repeats the same calls; the calls in between do not change the order. */
START_TEST(siblings_hang_in_order)
{
	struct call_tree *tree = call_tree_new();
	uint32_t root = call_tree_root(tree, -1);
	uint32_t nodes[4];

	for (int again = 0; again < 3; again++)
		for (uint32_t i = 0; i < 4; i++)
			nodes[i] = call_tree_child(tree, root, i + 1, false);
	ck_assert_uint_eq(call_tree_count(tree), 5);
	ck_assert_uint_eq(call_tree_first_root(tree), root);
	ck_assert_uint_eq(call_tree_first_child(tree, root), nodes[3]);
	for (int i = 3; i > 0; i--)
		ck_assert_uint_eq(call_tree_next_sibling(tree, nodes[i]),
				  nodes[i - 1]);
	ck_assert_uint_eq(call_tree_next_sibling(tree, nodes[0]),
			  CALL_NODE_NONE);
	ck_assert_uint_eq(call_tree_first_child(tree, nodes[0]),
			  CALL_NODE_NONE);
	call_tree_free(tree);
}
END_TEST

/* Reserved room does not change the result. */
START_TEST(a_tree_with_room_is_a_tree)
{
	struct call_tree *tree = call_tree_new();
	uint32_t node = call_tree_child(tree, call_tree_root(tree, 3), 1, true);

	call_tree_count_entry(tree, node, HOW_EXCEPTION);
	ck_assert(call_tree_reserve(tree, 100000));
	ck_assert(call_tree_reserve(tree, 10));
	ck_assert_uint_ge(tree->room, 100000);
	ck_assert_uint_eq(call_tree_count(tree), 2);
	ck_assert_uint_eq(call_tree_calls(tree, node).async, 1);
	ck_assert_int_eq(call_tree_pid(tree, node), 3);
	ck_assert_uint_eq(call_tree_child(tree, 0, 1, true), node);
	ck_assert_uint_eq(call_tree_child(tree, node, 2, true), 2);
	call_tree_free(tree);
}
END_TEST

static void enter_often(struct call_tree *tree, uint32_t node,
			enum call_how how, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		call_tree_count_entry(tree, node, how);
}

/* More entries than a node's own counters hold, alternating with kinds of entry
 * it has no counters for.
 */
START_TEST(entries_are_counted_however_many)
{
	struct call_tree *tree = call_tree_new();
	uint32_t node =
		call_tree_child(tree, call_tree_root(tree, -1), 1, false);
	struct call_counts calls;

	for (int again = 0; again < 3; again++) {
		enter_often(tree, node, HOW_CALL, UINT16_MAX + 3);
		enter_often(tree, node, HOW_TAIL, UINT8_MAX + 2);
		enter_often(tree, node, HOW_SYSTEM_CALL, 1);
		enter_often(tree, node, HOW_EXCEPTION, 2);
		enter_often(tree, node, HOW_START, 4);
		enter_often(tree, node, HOW_INFERRED, 5);
	}
	calls = call_tree_calls(tree, node);
	ck_assert_uint_eq(calls.direct, 3 * (UINT16_MAX + 4));
	ck_assert_uint_eq(calls.tail, 3 * (UINT8_MAX + 2));
	ck_assert_uint_eq(calls.async, 6);
	ck_assert_uint_eq(calls.starts, 12);
	ck_assert_uint_eq(calls.inferred, 15);
	call_tree_free(tree);
}
END_TEST

/* The same calls in another order, and after other calls, give the same tree.
 */
START_TEST(sorted_trees_do_not_depend_on_the_order)
{
	static const uint32_t functions[2][4] = { { 1, 2, 3, 4 },
						  { 5, 4, 2, 1 } };
	struct call_tree *sorted[2];

	for (int i = 0; i < 2; i++) {
		struct call_tree *tree = call_tree_new();

		for (int pid = 0; pid < 3; pid++)
			call_tree_root(tree, i ? pid : 2 - pid);
		for (int j = 0; j < 4; j++) {
			uint32_t root = call_tree_root(tree, 1);
			uint32_t node = call_tree_find_child(
				tree, root, functions[i][j], false);

			if (functions[i][j] & 1)
				continue;
			node = call_tree_find_child(tree, node, 9, false);
			call_tree_more(tree, node)->calls.async++;
		}
		ck_assert(call_tree_sort(tree));
		sorted[i] = tree;
	}
	ck_assert_uint_eq(call_tree_count(sorted[0]), 5);
	ck_assert_uint_eq(call_tree_count(sorted[1]), 5);
	for (uint32_t i = 0; i < 5; i++) {
		const struct call_node *a = call_tree_at(sorted[0], i);
		const struct call_node *b = call_tree_at(sorted[1], i);

		ck_assert_uint_eq(a->parent, b->parent);
		ck_assert_uint_eq(a->function, b->function);
		ck_assert_uint_eq(call_tree_calls(sorted[0], i).async,
				  call_tree_calls(sorted[1], i).async);
		ck_assert_int_eq(call_tree_pid(sorted[0], i), 1);
	}
	call_tree_free(sorted[0]);
	call_tree_free(sorted[1]);
}
END_TEST

START_TEST(a_part_is_one_tree_alone)
{
	struct call_tree *tree = call_tree_new();
	uint32_t first = call_tree_root(tree, 1);
	uint32_t second = call_tree_root(tree, 2);
	uint32_t called = call_tree_child(tree, second, 7, true);
	struct call_tree *part;

	call_tree_at(tree, call_tree_child(tree, first, 7, false))->self_ns = 3;
	call_tree_at(tree, called)->self_ns = 5;
	call_tree_more(tree, called)->inferred_ns = 4;
	called = call_tree_child(tree, called, 8, true);
	call_tree_more(tree, called)->calls.direct = 2;
	part = call_tree_part(tree, second);
	ck_assert_uint_eq(call_tree_count(part), 3);
	ck_assert(is_like(part, 1, 0, 7, true));
	ck_assert(is_like(part, 2, 1, 8, true));
	ck_assert_int_eq(call_tree_pid(part, 2), -1);
	ck_assert_uint_eq(call_tree_at(part, 1)->self_ns, 5);
	ck_assert_uint_eq(call_tree_inferred_ns(part, 1), 4);
	ck_assert_uint_eq(call_tree_calls(part, 2).direct, 2);
	call_tree_free(part);
	call_tree_free(tree);
}
END_TEST

SUITE("call_tree")
{
	TEST(a_part_is_one_tree_alone);
	TEST(children_are_found_in_any_order);
	TEST(trees_of_processes_are_apart);
	TEST(siblings_hang_in_order);
	TEST(entries_are_counted_however_many);
	TEST(a_tree_with_room_is_a_tree);
	TEST(sorted_trees_do_not_depend_on_the_order);
}
