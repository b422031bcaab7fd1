/* SPDX-License-Identifier: MIT */
#include "report/profile/call_tree.h"

#include "common/array.h"
#include "common/error.h"
#include "common/memory.h"
#include "symbolize/functions/function_table.h"

#include <assert.h>
#include <stdlib.h>

/* Arrays by node: nodes, which are read for each event (two in a cache line),
 * and links to relatives. The few nodes that need more counts have a call_more.
 * A child is found by two guesses first (expected_child, then the child that
 * was used last), and then by a hash table of (parent, function, interrupt).
 *
 * The second half works on whole trees, after the last event: walks, copies,
 * totals, sorting, and the sums by function (struct function_profile). No code
 * here is recursive, because paths may be as deep as the recursion of the
 * recorded program. A child has a larger number than its parent, so one
 * backward loop computes totals.
 */

#define CALL_NODE_MAX INT32_MAX

_Static_assert(sizeof(struct call_node) == 32, "two nodes share a cache line");

/* Counts an entry, by the way that the function was entered. */
static void call_counts_add(struct call_counts *counts, enum call_how how)
{
	switch (how) {
	case HOW_CALL:
	case HOW_SYSTEM_CALL:
		counts->direct++;
		break;
	case HOW_TAIL:
		counts->tail++;
		break;
	case HOW_EXCEPTION:
		counts->async++;
		break;
	case HOW_START:
		counts->starts++;
		break;
	case HOW_INFERRED:
		counts->inferred++;
		break;
	case HOW_RESUMED:
		break;
	}
}

void call_counts_join(struct call_counts *counts,
		      const struct call_counts *more)
{
	counts->direct += more->direct;
	counts->tail += more->tail;
	counts->async += more->async;
	counts->starts += more->starts;
	counts->inferred += more->inferred;
}

uint64_t call_counts_calls(const struct call_counts *counts)
{
	return counts->direct + counts->tail + counts->async;
}

struct call_tree *call_tree_new(void)
{
	struct call_tree *tree = calloc(1, sizeof(*tree));

	if (tree)
		tree->first_root = CALL_NODE_NONE;
	return tree;
}

void call_tree_free(struct call_tree *tree)
{
	if (!tree)
		return;
	free(tree->nodes);
	free(tree->links);
	free(tree->more);
	free(tree->slots);
	number_map_free(&tree->roots);
	free(tree);
}

uint32_t call_tree_first_root(const struct call_tree *tree)
{
	return tree->first_root;
}

uint32_t call_tree_first_child(const struct call_tree *tree, uint32_t node)
{
	return tree->links[node].first_child;
}

uint32_t call_tree_next_sibling(const struct call_tree *tree, uint32_t node)
{
	return tree->links[node].next_sibling;
}

int32_t call_tree_pid(const struct call_tree *tree, uint32_t node)
{
	return tree->links[node].pid;
}

static bool reserve_more(struct call_tree *tree, uint32_t count)
{
	struct call_more *more =
		large_memory_move(tree->more, tree->more_count * sizeof(*more),
				  ((size_t)count + 1) * sizeof(*more));

	if (!more)
		return false;
	tree->more = more;
	if (!tree->more_count)
		more[tree->more_count++] = (struct call_more){ 0 };
	return true;
}

bool call_tree_reserve(struct call_tree *tree, uint32_t count)
{
	struct call_links *links;
	struct call_node *nodes;

	if (count <= tree->room)
		return true;
	if (!reserve_more(tree, count))
		return false;
	links = large_memory_move(tree->links, tree->count * sizeof(*links),
				  count * sizeof(*links));
	if (!links)
		return false;
	tree->links = links;
	nodes = large_memory_move(tree->nodes, tree->count * sizeof(*nodes),
				  count * sizeof(*nodes));
	if (!nodes)
		return false;
	tree->nodes = nodes;
	tree->room = count;
	return true;
}

/* Makes room for more nodes: eight times as many, to use large pages early,
 * because nodes are accessed in random order. Memory that is not touched costs
 * nothing.
 */
static bool grow_nodes(struct call_tree *tree)
{
	enum { FIRST = 1024, TIMES = 8 };
	uint32_t room = tree->room > CALL_NODE_MAX / TIMES ? CALL_NODE_MAX :
							     tree->room * TIMES;

	return call_tree_reserve(tree, room ? room : FIRST);
}

static uint32_t add_node(struct call_tree *tree, uint32_t parent,
			 uint32_t function, int32_t pid, uint8_t interrupt)
{
	if (tree->count == CALL_NODE_MAX ||
	    (tree->count == tree->room && !grow_nodes(tree)))
		return CALL_NODE_NONE;
	assert(parent == CALL_NODE_NONE || parent < tree->count);
	tree->nodes[tree->count] = (struct call_node){
		.parent = parent,
		.function = function,
		.interrupt = interrupt,
	};
	tree->links[tree->count] = (struct call_links){
		.first_child = CALL_NODE_NONE,
		.next_sibling = CALL_NODE_NONE,
		.pid = pid,
	};
	return tree->count++;
}

/* Returns the entry of tree->roots for @pid and @part; NULL when out of memory.
 */
static uint64_t *root_of(struct call_tree *tree, int32_t pid, uint32_t part)
{
	return number_map_add(&tree->roots,
			      (uint64_t)(uint32_t)pid << 32 | part);
}

/* Adds all roots to the empty tree->roots. Returns false when out of memory. */
static bool find_roots(struct call_tree *tree)
{
	for (uint32_t root = tree->first_root; root != CALL_NODE_NONE;
	     root = call_tree_next_sibling(tree, root)) {
		const struct call_links *links = &tree->links[root];
		uint64_t *number = root_of(tree, links->pid, links->part);

		if (!number)
			return false;
		*number = (uint64_t)root + 1;
	}
	return true;
}

uint32_t call_tree_root(struct call_tree *tree, int32_t pid)
{
	return call_tree_part_root(tree, pid, 0);
}

uint32_t call_tree_part_root(struct call_tree *tree, int32_t pid, uint32_t part)
{
	uint64_t *number;
	uint32_t root;

	if (!number_map_count(&tree->roots) && !find_roots(tree))
		return CALL_NODE_NONE;
	number = root_of(tree, pid, part);
	if (!number)
		return CALL_NODE_NONE;
	if (*number)
		return (uint32_t)*number - 1;
	root = add_node(tree, CALL_NODE_NONE, FUNCTION_NONE, pid,
			CALL_NO_INTERRUPT);
	if (root == CALL_NODE_NONE)
		return root;
	*number = (uint64_t)root + 1;
	tree->links[root].part = part;
	tree->links[root].next_sibling = tree->first_root;
	tree->first_root = root;
	return root;
}

/* Returns the key of a node that is not a root. Functions differ in their lower
 * 30 bits: the numbers of real ones stay far below 2^30, and states (enum
 * frame_state) have the highest numbers.
 */
static uint64_t key_of(const struct call_node *node)
{
	return (uint64_t)node->parent << 32 | node->function << 2 |
	       node->interrupt;
}

/* Returns the slot of the child with the parent, function and interrupt of
 * @like; if there is none, the free slot for it.
 */
static uint32_t *slot_for(const struct call_tree *tree,
			  const struct call_node *like)
{
	uint64_t key = key_of(like);
	size_t mask = tree->slot_count - 1;
	size_t at = (key * 0x9e3779b97f4a7c15 >> 32) & mask;

	while (tree->slots[at] &&
	       key_of(call_tree_at(tree, tree->slots[at])) != key)
		at = (at + 1) & mask;
	return &tree->slots[at];
}

static bool grow_slots(struct call_tree *tree)
{
	size_t count = tree->slot_count ? tree->slot_count * 2 : 4096;
	uint32_t *slots = large_memory_zeroed(count * sizeof(*slots));

	if (!slots)
		return false;
	free(tree->slots);
	tree->slots = slots;
	tree->slot_count = count;
	for (uint32_t i = 0; i < tree->count; i++)
		if (call_tree_at(tree, i)->parent != CALL_NODE_NONE)
			*slot_for(tree, call_tree_at(tree, i)) = i;
	return true;
}

void call_tree_forget_slots(struct call_tree *tree)
{
	free(tree->slots);
	tree->slots = NULL;
	tree->slot_count = 0;
	number_map_free(&tree->roots);
}

static uint32_t add_child(struct call_tree *tree, uint32_t parent,
			  uint32_t function, uint8_t interrupt)
{
	uint32_t index = add_node(tree, parent, function,
				  call_tree_pid(tree, parent), interrupt);

	if (index == CALL_NODE_NONE)
		return index;
	tree->links[index].next_sibling = tree->links[parent].first_child;
	tree->links[parent].first_child = index;
	return index;
}

/* Notes that @child is the child of @parent entered after its recent_child. */
static void follow(struct call_tree *tree, struct call_node *parent,
		   uint32_t child)
{
	if (parent->recent_child)
		call_tree_at(tree, parent->recent_child)->next_used = child;
	parent->recent_child = child;
	parent->expected_child = call_tree_at(tree, child)->next_used;
}

/* Returns whether the child that was entered last matches, as it does for a
 * quarter of the children that were not expected.
 */
static bool is_recent(const struct call_tree *tree,
		      const struct call_node *parent, uint32_t function,
		      uint8_t interrupt)
{
	const struct call_node *recent =
		call_tree_at(tree, parent->recent_child);

	return parent->recent_child && recent->function == function &&
	       recent->interrupt == interrupt;
}

uint32_t call_tree_find_child(struct call_tree *tree, uint32_t parent,
			      uint32_t function, uint8_t interrupt)
{
	const struct call_node like = {
		.parent = parent,
		.function = function,
		.interrupt = interrupt,
	};
	struct call_node *node = call_tree_at(tree, parent);
	uint32_t *slot;

	if (is_recent(tree, node, function, interrupt)) {
		follow(tree, node, node->recent_child);
		return node->recent_child;
	}
	if ((size_t)tree->count * 2 >= tree->slot_count && !grow_slots(tree))
		return CALL_NODE_NONE;
	slot = slot_for(tree, &like);
	if (!*slot) {
		uint32_t index = add_child(tree, parent, function, interrupt);

		if (index == CALL_NODE_NONE)
			return index;
		*slot = index;
	}
	follow(tree, call_tree_at(tree, parent), *slot);
	return *slot;
}

struct call_more *call_tree_more(struct call_tree *tree, uint32_t index)
{
	uint32_t *number = &tree->links[index].more;

	if (!*number) {
		*number = tree->more_count++;
		tree->more[*number] = (struct call_more){ 0 };
	}
	return &tree->more[*number];
}

/* Moves the counts of node @index to its struct call_more, and returns a
 * pointer to them there. The node's own counts restart at 0; call_tree_calls()
 * adds both.
 */
static struct call_counts *counts_of(struct call_tree *tree, uint32_t index)
{
	struct call_node *node = call_tree_at(tree, index);
	struct call_counts *counts = &call_tree_more(tree, index)->calls;

	*counts = call_tree_calls(tree, index);
	node->direct = 0;
	node->tail = 0;
	return counts;
}

void call_tree_count_more(struct call_tree *tree, uint32_t index,
			  enum call_how how)
{
	call_counts_add(counts_of(tree, index), how);
}

/* Returns whether @calls fit into @node's own counters. */
static bool are_few(const struct call_node *node,
		    const struct call_counts *calls)
{
	return calls->direct <= (uint64_t)UINT16_MAX - node->direct &&
	       calls->tail <= (uint64_t)UINT8_MAX - node->tail &&
	       !calls->async && !calls->starts && !calls->inferred;
}

void call_tree_add_calls(struct call_tree *tree, uint32_t index,
			 const struct call_counts *calls, uint64_t inferred_ns)
{
	struct call_node *node = call_tree_at(tree, index);

	if (are_few(node, calls)) {
		node->direct = (uint16_t)(node->direct + calls->direct);
		node->tail = (uint8_t)(node->tail + calls->tail);
	} else {
		call_counts_join(counts_of(tree, index), calls);
	}
	if (inferred_ns)
		call_tree_more(tree, index)->inferred_ns += inferred_ns;
}

struct tree_walk tree_walk_of(const struct call_tree *tree)
{
	return (struct tree_walk){ .tree = tree, .node = CALL_NODE_NONE };
}

int tree_walk_next(struct tree_walk *walk)
{
	uint32_t next;

	if (walk->node == CALL_NODE_NONE) {
		walk->node = call_tree_first_root(walk->tree);
		return walk->node != CALL_NODE_NONE;
	}
	next = walk->leaving ? call_tree_next_sibling(walk->tree, walk->node) :
			       call_tree_first_child(walk->tree, walk->node);
	if (!walk->leaving && next == CALL_NODE_NONE) {
		walk->leaving = true;
		return 1;
	}
	walk->leaving = next == CALL_NODE_NONE;
	walk->node = walk->leaving ?
			     call_tree_at(walk->tree, walk->node)->parent :
			     next;
	return walk->node != CALL_NODE_NONE;
}

/* Copies node @index below @parent. Returns the copy, or CALL_NODE_NONE when
 * out of memory.
 */
static uint32_t copy_node(struct call_tree *part, const struct call_tree *tree,
			  uint32_t index, uint32_t parent)
{
	const struct call_node *from = call_tree_at(tree, index);
	uint32_t copy = parent == CALL_NODE_NONE ?
				call_tree_root(part, -1) :
				call_tree_find_child(part, parent,
						     from->function,
						     from->interrupt);
	struct call_counts calls;
	struct call_node *to;

	if (copy == CALL_NODE_NONE)
		return copy;
	to = call_tree_at(part, copy);
	to->self_ns = from->self_ns;
	calls = call_tree_calls(tree, index);
	call_tree_add_calls(part, copy, &calls,
			    call_tree_inferred_ns(tree, index));
	return copy;
}

struct call_tree *call_tree_part(const struct call_tree *tree, uint32_t root)
{
	uint32_t count = call_tree_count(tree);
	uint32_t *copies = calloc((size_t)count + 1, sizeof(*copies));
	struct call_tree *part = copies ? call_tree_new() : NULL;
	bool is_whole = part;

	for (uint32_t i = 0; is_whole && i < count; i++) {
		uint32_t parent = call_tree_at(tree, i)->parent;

		copies[i] = CALL_NODE_NONE;
		if (i == root)
			parent = CALL_NODE_NONE;
		else if (parent == CALL_NODE_NONE ||
			 copies[parent] == CALL_NODE_NONE)
			continue;
		else
			parent = copies[parent];
		copies[i] = copy_node(part, tree, i, parent);
		is_whole = copies[i] != CALL_NODE_NONE;
	}
	free(copies);
	if (is_whole)
		return part;
	call_tree_free(part);
	return NULL;
}

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

uint64_t *call_tree_totals(const struct call_tree *tree)
{
	uint64_t *totals = calloc((size_t)tree->count + 1, sizeof(*totals));

	if (!totals)
		return NULL;
	/* Children come after their parents. */
	for (uint32_t i = tree->count; i-- > 0;) {
		const struct call_node *node = call_tree_at(tree, i);

		totals[i] += node->self_ns;
		if (node->parent != CALL_NODE_NONE)
			totals[node->parent] += totals[i];
	}
	return totals;
}

static bool is_used(const struct call_tree *tree, uint32_t index)
{
	const struct call_counts calls = call_tree_calls(tree, index);

	return call_tree_at(tree, index)->self_ns || calls.starts ||
	       calls.inferred || call_counts_calls(&calls);
}

/* Returns an array, by node, of whether the node or a descendant was called or
 * ran; NULL when out of memory. The caller frees it. Other nodes are of
 * functions that were open during the window, and neither ran nor called
 * anything.
 */
static bool *call_tree_used(const struct call_tree *tree)
{
	bool *used = calloc((size_t)tree->count + 1, sizeof(*used));

	if (!used)
		return NULL;
	/* Children come after their parents. */
	for (uint32_t i = tree->count; i-- > 0;) {
		const struct call_node *node = call_tree_at(tree, i);

		used[i] |= is_used(tree, i);
		if (node->parent != CALL_NODE_NONE)
			used[node->parent] |= used[i];
	}
	return used;
}

struct child {
	int32_t pid; /* of a root */
	uint32_t function;
	uint32_t interrupt;
	uint32_t node;
};

/* The used nodes, parents before their children. */
struct order {
	const struct call_tree *tree;
	bool *used;	 /* by node */
	uint32_t *nodes; /* in the new order */
	uint32_t count;
	struct array children; /* struct child: children of one parent */
};

/* Sorts in reverse, because walks visit the child that was created last first.
 */
static int compare_children(const void *a, const void *b)
{
	const struct child *x = a;
	const struct child *y = b;

	if (x->pid != y->pid)
		return x->pid > y->pid ? -1 : 1;
	if (x->function != y->function)
		return x->function > y->function ? -1 : 1;
	return (x->interrupt < y->interrupt) - (x->interrupt > y->interrupt);
}

/* Adds the used siblings from @first on, sorted. */
static bool add_children(struct order *order, uint32_t first)
{
	order->children.count = 0;
	for (uint32_t i = first; i != CALL_NODE_NONE;
	     i = call_tree_next_sibling(order->tree, i)) {
		const struct call_node *node = call_tree_at(order->tree, i);
		struct child *child;

		if (!order->used[i])
			continue;
		child = array_add(&order->children);
		if (!child)
			return false;
		*child = (struct child){
			.pid = call_tree_pid(order->tree, i),
			.function = node->function,
			.interrupt = node->interrupt,
			.node = i,
		};
	}
	if (order->children.count > 1)
		qsort(order->children.items, order->children.count,
		      sizeof(struct child), compare_children);
	for (size_t i = 0; i < order->children.count; i++) {
		const struct child *child = array_at(&order->children, i);

		order->nodes[order->count++] = child->node;
	}
	return true;
}

static bool find_order(struct order *order)
{
	const struct call_tree *tree = order->tree;

	if (!add_children(order, call_tree_first_root(tree)))
		return false;
	for (uint32_t i = 0; i < order->count; i++)
		if (!add_children(order,
				  call_tree_first_child(tree, order->nodes[i])))
			return false;
	return true;
}

/* Sets @places, by node, to the new numbers. Unused nodes get the highest ones.
 */
static void find_places(const struct order *order, uint32_t *places)
{
	uint32_t after = order->count;

	for (uint32_t i = 0; i < order->tree->count; i++)
		if (!order->used[i])
			places[i] = after++;
	for (uint32_t i = 0; i < order->count; i++)
		places[order->nodes[i]] = i;
}

static void swap_nodes(struct call_tree *tree, uint32_t a, uint32_t b)
{
	struct call_node node = tree->nodes[a];
	struct call_links links = tree->links[a];

	tree->nodes[a] = tree->nodes[b];
	tree->links[a] = tree->links[b];
	tree->nodes[b] = node;
	tree->links[b] = links;
}

/* Moves each node to its number in @places, which is destroyed. */
static void move_nodes(struct call_tree *tree, uint32_t *places)
{
	for (uint32_t i = 0; i < tree->count; i++) {
		uint32_t parent = tree->nodes[i].parent;

		if (parent != CALL_NODE_NONE)
			tree->nodes[i].parent = places[parent];
	}
	for (uint32_t i = 0; i < tree->count; i++)
		while (places[i] != i) {
			uint32_t place = places[i];

			swap_nodes(tree, i, place);
			places[i] = places[place];
			places[place] = place;
		}
}

/* Makes the first @count nodes the tree, and links each to its parent as if
 * they had been created in this order.
 */
static void link_nodes(struct call_tree *tree, uint32_t count)
{
	tree->count = count;
	tree->first_root = CALL_NODE_NONE;
	for (uint32_t i = 0; i < count; i++) {
		struct call_node *node = &tree->nodes[i];
		uint32_t *first =
			node->parent == CALL_NODE_NONE ?
				&tree->first_root :
				&tree->links[node->parent].first_child;

		node->next_used = 0;
		node->expected_child = 0;
		node->recent_child = 0;
		tree->links[i].first_child = CALL_NODE_NONE;
		tree->links[i].next_sibling = *first;
		*first = i;
	}
}

bool call_tree_sort(struct call_tree *tree)
{
	struct order order = {
		.tree = tree,
		.used = call_tree_used(tree),
		.children = ARRAY_OF(struct child),
	};
	uint32_t *places = calloc((size_t)tree->count + 1, sizeof(*places));
	bool is_sorted = false;

	order.nodes = calloc((size_t)tree->count + 1, sizeof(*order.nodes));
	if (order.used && order.nodes && places && find_order(&order)) {
		call_tree_forget_slots(tree);
		find_places(&order, places);
		move_nodes(tree, places);
		link_nodes(tree, order.count);
		is_sorted = true;
	}
	free(order.used);
	free(order.nodes);
	free(places);
	array_free(&order.children);
	return is_sorted;
}

struct maker {
	const struct call_tree *tree;
	const uint64_t *totals; /* by node */
	const bool *used;	/* by node */
	struct array rows;	/* struct function_row */
	size_t first_row;	/* of the current process */
	uint32_t *row_of_node;
	/* row of a function in the current process, + 1; 0: none yet */
	uint32_t *row_of_function;
	/* by function: number of its open nodes on the current path */
	uint32_t *open;
	uint64_t self_ns;
};

/* Starts the next tree, whose functions have rows of their own. */
static void begin_process(struct maker *maker)
{
	for (; maker->first_row < maker->rows.count; maker->first_row++) {
		const struct function_row *row =
			array_at(&maker->rows, maker->first_row);

		maker->row_of_function[row->function] = 0;
	}
}

static struct function_row *row_for(struct maker *maker, uint32_t node)
{
	uint32_t function = call_tree_at(maker->tree, node)->function;
	uint32_t *number = &maker->row_of_function[function];
	struct function_row *row;

	if (*number)
		return array_at(&maker->rows, *number - 1);
	row = array_add(&maker->rows);
	if (!row)
		return NULL;
	row->function = function;
	row->pid = call_tree_pid(maker->tree, node);
	*number = (uint32_t)maker->rows.count;
	return row;
}

static int enter(struct maker *maker, uint32_t index)
{
	const struct call_node *node = call_tree_at(maker->tree, index);
	struct call_counts calls;
	struct function_row *row;

	maker->row_of_node[index] = UINT32_MAX;
	if (node->parent == CALL_NODE_NONE)
		begin_process(maker);
	if (node->function == FUNCTION_NONE || !maker->used[index])
		return 0;
	row = row_for(maker, index);
	if (!row)
		return -ERROR_MEMORY;
	maker->row_of_node[index] = maker->row_of_function[node->function] - 1;
	row->self_ns += node->self_ns;
	row->inferred_ns += call_tree_inferred_ns(maker->tree, index);
	maker->self_ns += node->self_ns;
	calls = call_tree_calls(maker->tree, index);
	call_counts_join(&row->calls, &calls);
	if (!maker->open[node->function]++)
		row->total_ns += maker->totals[index];
	return 0;
}

static int walk_tree(struct maker *maker)
{
	struct tree_walk walk = tree_walk_of(maker->tree);

	while (tree_walk_next(&walk)) {
		const struct call_node *node =
			call_tree_at(maker->tree, walk.node);

		if (!walk.leaving) {
			if (enter(maker, walk.node) < 0)
				return -ERROR_MEMORY;
		} else if (maker->row_of_node[walk.node] != UINT32_MAX) {
			maker->open[node->function]--;
		}
	}
	return 0;
}

int function_profile_make(const struct call_tree *tree, uint32_t function_count,
			  struct function_profile *profile)
{
	uint64_t *totals = call_tree_totals(tree);
	bool *used = call_tree_used(tree);
	struct maker maker = {
		.tree = tree,
		.totals = totals,
		.used = used,
		.rows = ARRAY_OF(struct function_row),
		.row_of_node =
			calloc(call_tree_count(tree) + 1, sizeof(uint32_t)),
		.row_of_function = calloc(function_count, sizeof(uint32_t)),
		.open = calloc(function_count, sizeof(uint32_t)),
	};
	int status = -ERROR_MEMORY;

	if (totals && used && maker.row_of_node && maker.row_of_function &&
	    maker.open)
		status = walk_tree(&maker);
	free(totals);
	free(used);
	free(maker.row_of_function);
	free(maker.open);
	*profile = (struct function_profile){
		.rows = maker.rows.items,
		.row_count = maker.rows.count,
		.row_of_node = maker.row_of_node,
		.self_ns = maker.self_ns,
	};
	if (status < 0)
		function_profile_free(profile);
	return status;
}

void function_profile_free(struct function_profile *profile)
{
	free(profile->rows);
	free(profile->row_of_node);
	*profile = (struct function_profile){ 0 };
}

struct function_profile_order {
	uint64_t time_ns;
	uint64_t calls;
	uint32_t function;
	int32_t pid;
	uint32_t row;
};

static int compare_orders(const void *a, const void *b)
{
	const struct function_profile_order *x = a;
	const struct function_profile_order *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns > y->time_ns ? -1 : 1;
	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static uint32_t *sorted_rows(const struct function_profile *profile,
			     bool by_total)
{
	struct function_profile_order *orders =
		calloc(profile->row_count + 1, sizeof(*orders));
	uint32_t *rows = calloc(profile->row_count + 1, sizeof(*rows));

	for (uint32_t i = 0; orders && i < profile->row_count; i++) {
		const struct function_row *row = &profile->rows[i];

		orders[i] = (struct function_profile_order){
			.time_ns = by_total ? row->total_ns : row->self_ns,
			.calls = call_counts_calls(&row->calls),
			.function = row->function,
			.pid = row->pid,
			.row = i,
		};
	}
	if (orders && rows) {
		qsort(orders, profile->row_count, sizeof(*orders),
		      compare_orders);
		for (size_t i = 0; i < profile->row_count; i++)
			rows[i] = orders[i].row;
	} else {
		free(rows);
		rows = NULL;
	}
	free(orders);
	return rows;
}

uint32_t *function_profile_by_self(const struct function_profile *profile)
{
	return sorted_rows(profile, false);
}

uint32_t *function_profile_by_total(const struct function_profile *profile)
{
	return sorted_rows(profile, true);
}
