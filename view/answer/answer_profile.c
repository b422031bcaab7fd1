/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "report/profile/call_tree.h"
#include "report/profile/function_profile.h"
#include "symbolize/functions/function_table.h"
#include "view/answer/answer_names.h"
#include "view/answer/answers.h"
#include "view/answer/request.h"
#include "view/answer/selection_tree.h"

#include <stdlib.h>

/* Nodes too small for any flame graph are left out of the tree, and lines
 * beyond this number out of the table; the answer reports both.
 */
enum { SMALLEST_PART = 4000, FUNCTIONS_MOST = 20000 };

struct profile_answer {
	const struct call_tree *tree;
	const uint64_t *totals; /* by node */
	struct answer_names named;
	struct json_out *json;
};

static bool is_small(const struct profile_answer *answer, uint32_t node,
		     uint64_t all_ns)
{
	return answer->totals[node] <= all_ns / SMALLEST_PART &&
	       call_tree_at(answer->tree, node)->parent != CALL_NODE_NONE;
}

static void write_node(struct profile_answer *answer, uint32_t parent,
		       uint32_t index)
{
	const struct call_node *node = call_tree_at(answer->tree, index);
	const struct call_counts calls = call_tree_calls(answer->tree, index);

	json_signed(answer->json, (int32_t)parent);
	json_signed(answer->json, (int32_t)node->function);
	json_number(answer->json, call_counts_calls(&calls));
	json_number(answer->json, node->self_ns);
	json_number(answer->json, answer->totals[index]);
	answer_names_add(&answer->named, node->function);
}

/* Writes the member "tree": parent's number (-1: none), function, calls, self
 * and total time of each node; parents come first.
 */
static int write_tree(struct profile_answer *answer)
{
	uint32_t count = call_tree_count(answer->tree);
	uint32_t *numbers = calloc(count + 1, sizeof(*numbers));
	uint64_t all_ns = count ? answer->totals[0] : 0;
	uint32_t written = 0;

	if (!numbers)
		return -ERROR_MEMORY;
	json_key(answer->json, "tree");
	json_begin(answer->json, "[]");
	for (uint32_t i = 0; i < count; i++) {
		uint32_t parent = call_tree_at(answer->tree, i)->parent;

		if (is_small(answer, i, all_ns))
			continue;
		numbers[i] = written++;
		write_node(answer,
			   parent == CALL_NODE_NONE ? CALL_NODE_NONE :
						      numbers[parent],
			   i);
	}
	json_end(answer->json, "[]");
	json_member_number(answer->json, "left_out", count - written);
	free(numbers);
	return 0;
}

/* Writes the member "flat": function, calls, self and total time. */
static int write_flat(struct profile_answer *answer)
{
	struct function_profile flat;
	uint32_t *order;

	if (function_profile_make(answer->tree,
				  function_count(answer->named.functions),
				  &flat) < 0)
		return -ERROR_MEMORY;
	order = function_profile_by_self(&flat);
	json_key(answer->json, "flat");
	json_begin(answer->json, "[]");
	for (size_t i = 0; order && i < flat.row_count && i < FUNCTIONS_MOST;
	     i++) {
		const struct function_row *row = &flat.rows[order[i]];

		json_number(answer->json, row->function);
		json_number(answer->json, call_counts_calls(&row->calls));
		json_number(answer->json, row->self_ns);
		json_number(answer->json, row->total_ns);
		answer_names_add(&answer->named, row->function);
	}
	json_end(answer->json, "[]");
	json_member_number(answer->json, "function_count", flat.row_count);
	json_member_number(answer->json, "self_ns", flat.self_ns);
	function_profile_free(&flat);
	free(order);
	return order ? 0 : -ERROR_MEMORY;
}

static int write_profile(const struct view_sources *sources,
			 const struct call_tree *tree, struct json_out *json)
{
	uint64_t *totals = call_tree_totals(tree);
	struct profile_answer answer = {
		.tree = tree,
		.totals = totals,
		.json = json,
	};
	int status = answer_names_init(&answer.named, sources->functions);

	if (!status && !totals)
		status = -ERROR_MEMORY;
	if (!status)
		status = write_flat(&answer);
	if (!status)
		status = write_tree(&answer);
	if (!status)
		answer_names_write(&answer.named, json);
	answer_names_free(&answer.named);
	free(totals);
	return status;
}

/* Parses the selection. Returns whether it is valid. */
static bool read_selection(const struct view_sources *sources,
			   const struct view_request *request,
			   struct view_selection *selection)
{
	uint64_t with_idle;
	uint64_t with_tracer;

	if (!request_window(request, sources->summary, &selection->window) ||
	    !request_thread(request, sources->summary, &selection->number) ||
	    !request_number(request, "with_idle", 1, 0, &with_idle) ||
	    !request_number(request, "with_tracer", 1, 0, &with_tracer))
		return false;
	selection->scope = (struct profile_scope){
		.kinds = sources->kinds,
		.shows = {
			[PROFILE_WORK] = true,
			[PROFILE_IDLE] = with_idle,
			[PROFILE_TRACER] = with_tracer,
		},
	};
	return true;
}

/* Writes the start and end of the selection, and the time of each part, shown
 * or not.
 */
static void write_selection(const struct view_selection *selection,
			    uint64_t first_ns, struct json_out *json)
{
	const struct time_window *window = &selection->window;

	json_member_signed(json, "from",
			   (int64_t)(window->since_ns - first_ns));
	json_member_signed(json, "to", (int64_t)(window->until_ns - first_ns));
	json_key(json, "part_ns");
	json_begin(json, "[]");
	for (int i = 0; i < PROFILE_PARTS; i++)
		json_number(json, selection->part_ns[i]);
	json_end(json, "[]");
}

enum view_status answer_profile(const struct view_sources *sources,
				const struct view_request *request,
				struct json_out *json)
{
	struct view_selection selection;
	int status;

	if (!read_selection(sources, request, &selection))
		return VIEW_BAD;
	if (selection_tree(sources, &selection) < 0)
		return VIEW_FAILED;
	write_selection(&selection, sources->summary->first_ns, json);
	status = write_profile(sources, selection.tree, json);
	call_tree_free(selection.tree);
	return status < 0 ? VIEW_FAILED : VIEW_OK;
}
