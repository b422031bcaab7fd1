/* SPDX-License-Identifier: MIT */
#include "tables/table.h"

#include "attribution/events/event_handler.h"
#include "common/error.h"
#include "report/profile/profile.h"
#include "symbolize/symbols/symbols.h"
#include "tables/relations/function_choice.h"
#include "tables/relations/function_report.h"
#include "tables/relations/part_tree.h"

#include <stdlib.h>
#include <string.h>

enum { SLOWEST_CALLS = 64 }; /* collected before --top is known */

struct relations_table {
	struct event_handler handler;
	struct attribution_input input;
	struct function_choice *choice;
	struct profile *profile;
	struct function_study *study;
	int status;
};

static bool check(const struct attribution_input *input, char *message,
		  size_t size)
{
	return function_choice_check(symbols_functions(input->symbols),
				     input->argument, strlen(input->argument),
				     message, size);
}

static void take(struct event_handler *handler, const struct call_step *step)
{
	struct relations_table *table = (struct relations_table *)handler;
	struct step_callback *callback = profile_callback(table->profile);

	callback->take(callback, step);
	if (!table->status)
		table->status = function_study_take(table->study, step);
}

/* The profile is done at the end of the window. */
static bool is_done(const struct event_handler *handler, uint64_t time_ns)
{
	const struct relations_table *table =
		(const struct relations_table *)handler;

	return function_study_is_done(table->study, time_ns);
}

static void close_table(struct event_handler *handler)
{
	struct relations_table *table = (struct relations_table *)handler;

	function_study_free(table->study);
	profile_free(table->profile);
	function_choice_free(table->choice);
}

static bool open_parts(struct relations_table *table)
{
	const struct attribution_input *input = &table->input;
	const struct profile_options profile = {
		.filter = input->filter,
		.window = input->window,
	};
	struct function_study_options study = {
		.filter = input->filter,
		.window = input->window,
		.slowest = SLOWEST_CALLS,
	};

	table->choice = function_choice_new(symbols_functions(input->symbols),
					    input->argument,
					    strlen(input->argument));
	study.functions = table->choice;
	table->profile = profile_new(&profile);
	if (table->choice)
		table->study = function_study_new(&study);
	return table->profile && table->study;
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct relations_table *table = (struct relations_table *)handler;

	table->handler.step = take;
	table->input = *input;
	return open_parts(table);
}

static int show(const struct relations_table *table,
		struct function_report *report,
		const struct attribution_output *output)
{
	const struct call_tree *tree = function_study_tree(table->study);
	struct part_tree *slow =
		part_tree_new(tree, &report->slow->parts, report->slow->calls);
	struct part_tree *typical = part_tree_new(tree, &report->typical->parts,
						  report->typical->calls);
	int status = -ERROR_MEMORY;

	report->slow_tree = slow;
	report->typical_tree = typical;
	if (slow && typical)
		status = output->format == RECORD_TABLE ?
				 function_report_text(report, output) :
				 function_report_records(report, output);
	part_tree_free(slow);
	part_tree_free(typical);
	return status;
}

static int show_compared(const struct relations_table *table,
			 struct function_report *report,
			 const struct attribution_output *output)
{
	struct study_class slow;
	struct study_class typical;
	int status = function_study_compare(table->study, &slow, &typical);

	if (status < 0)
		return status;
	report->slow = &slow;
	report->typical = &typical;
	status = show(table, report, output);
	study_class_free(&slow);
	study_class_free(&typical);
	return status;
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	const struct relations_table *table =
		(const struct relations_table *)handler;
	const struct function_table *functions =
		symbols_functions(table->input.symbols);
	struct function_relations relations;
	struct function_report report = {
		.name = table->input.argument,
		.functions = functions,
		.names = table->input.names,
		.relations = &relations,
		.study = table->study,
	};
	int status = table->status;

	/* The order of this report's tables is fixed. */
	if (output->sort)
		return -ERROR_NOT_FOUND;
	if (!status)
		status = profile_end(table->profile);
	if (!status)
		status = function_relations_make(profile_tree(table->profile),
						 function_count(functions),
						 table->choice, &relations);
	if (status < 0)
		return status;
	status = show_compared(table, &report, output);
	function_relations_free(&relations);
	return status;
}

const struct attribution_table relations_table = {
	.name = "function",
	.argument = "NAME",
	.help = "one function: callers, callees, times, its slowest calls",
	.check = check,
	.size = sizeof(struct relations_table),
	.open = open_table,
	.render = render,
	.close = close_table,
	.is_done = is_done,
};
