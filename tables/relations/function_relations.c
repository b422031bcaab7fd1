/* SPDX-License-Identifier: MIT */
#include "tables/relations/function_relations.h"

#include "common/error.h"
#include "report/profile/call_graph.h"
#include "report/profile/function_profile.h"
#include "symbolize/functions/function_table.h"
#include "tables/relations/function_choice.h"

void function_relations_free(struct function_relations *relations)
{
	array_free(&relations->callers);
	array_free(&relations->callees);
}

static bool is_chosen(const struct function_choice *choice,
		      const struct function_profile *profile, uint32_t row)
{
	return row != CALL_GRAPH_NOBODY &&
	       function_choice_has(choice, profile->rows[row].function);
}

static int add_arc(struct array *list, const struct call_arc *arc,
		   uint32_t function)
{
	return array_append(list, &(struct function_relation){
					  .function = function,
					  .is_interrupt = arc->is_interrupt,
					  .calls = arc->calls,
					  .self_ns = arc->self_ns,
					  .total_ns = arc->total_ns,
				  });
}

static int add_arcs(struct function_relations *relations,
		    const struct function_profile *profile,
		    const struct call_graph *graph,
		    const struct function_choice *choice)
{
	int status = 0;

	for (size_t i = 0; i < graph->arc_count && !status; i++) {
		const struct call_arc *arc = &graph->arcs[i];
		uint32_t caller = arc->caller == CALL_GRAPH_NOBODY ?
					  FUNCTION_NONE :
					  profile->rows[arc->caller].function;

		if (is_chosen(choice, profile, arc->callee))
			status = add_arc(&relations->callers, arc, caller);
		if (!status && is_chosen(choice, profile, arc->caller))
			status = add_arc(&relations->callees, arc,
					 profile->rows[arc->callee].function);
	}
	return status;
}

static void add_up(struct function_relations *relations,
		   const struct function_profile *profile,
		   const struct function_choice *choice)
{
	for (uint32_t i = 0; i < profile->row_count; i++) {
		const struct function_row *row = &profile->rows[i];

		if (!is_chosen(choice, profile, i))
			continue;
		call_counts_join(&relations->calls, &row->calls);
		relations->self_ns += row->self_ns;
		relations->total_ns += row->total_ns;
	}
}

static int compare_relations(const void *a, const void *b)
{
	const struct function_relation *x = a;
	const struct function_relation *y = b;
	uint64_t x_calls = call_counts_calls(&x->calls);
	uint64_t y_calls = call_counts_calls(&y->calls);

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	if (x_calls != y_calls)
		return x_calls > y_calls ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

int function_relations_make(const struct call_tree *tree,
			    uint32_t function_count,
			    const struct function_choice *choice,
			    struct function_relations *relations)
{
	struct function_profile profile;
	struct call_graph graph;
	int status = function_profile_make(tree, function_count, &profile);

	*relations = (struct function_relations){
		.callers = ARRAY_OF(struct function_relation),
		.callees = ARRAY_OF(struct function_relation),
	};
	if (status < 0)
		return status;
	status = call_graph_make(tree, &profile, &graph);
	if (!status) {
		add_up(relations, &profile, choice);
		status = add_arcs(relations, &profile, &graph, choice);
		call_graph_free(&graph);
	}
	function_profile_free(&profile);
	if (status < 0) {
		function_relations_free(relations);
		return status;
	}
	array_sort(&relations->callers, compare_relations);
	array_sort(&relations->callees, compare_relations);
	return 0;
}
