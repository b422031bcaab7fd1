/* SPDX-License-Identifier: MIT */
#include "attribution/table.h"

#include "attribution/events/event_handler.h"
#include "attribution/relations/function_choice.h"
#include "attribution/relations/function_report.h"
#include "attribution/relations/part_tree.h"
#include "common/error.h"
#include "report/profile/profile.h"
#include "symbolize/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

enum { SLOWEST_CALLS = 64 }; /* kept, so that --top has a choice */

struct function_option {
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
	struct function_option *option = (struct function_option *)handler;
	struct step_callback *callback = profile_callback(option->profile);

	callback->take(callback, step);
	if (!option->status)
		option->status = function_study_take(option->study, step);
}

static void close_option(struct event_handler *handler)
{
	struct function_option *option = (struct function_option *)handler;

	function_study_free(option->study);
	profile_free(option->profile);
	function_choice_free(option->choice);
	free(option);
}

static bool open_parts(struct function_option *option)
{
	const struct attribution_input *input = &option->input;
	const struct profile_options profile = {
		.filter = input->filter,
		.window = input->window,
	};
	struct function_study_options study = {
		.filter = input->filter,
		.window = input->window,
		.slowest = SLOWEST_CALLS,
	};

	option->choice = function_choice_new(symbols_functions(input->symbols),
					     input->argument,
					     strlen(input->argument));
	study.functions = option->choice;
	option->profile = profile_new(&profile);
	if (option->choice)
		option->study = function_study_new(&study);
	return option->profile && option->study;
}

static struct event_handler *open_option(const struct attribution_input *input)
{
	struct function_option *option = calloc(1, sizeof(*option));

	if (!option)
		return NULL;
	option->handler.step = take;
	option->input = *input;
	if (open_parts(option))
		return &option->handler;
	close_option(&option->handler);
	return NULL;
}

static int show(const struct function_option *option,
		struct function_report *report,
		const struct attribution_output *output)
{
	const struct call_tree *tree = function_study_tree(option->study);
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

static int show_compared(const struct function_option *option,
			 struct function_report *report,
			 const struct attribution_output *output)
{
	struct study_class slow;
	struct study_class typical;
	int status = function_study_compare(option->study, &slow, &typical);

	if (status < 0)
		return status;
	report->slow = &slow;
	report->typical = &typical;
	status = show(option, report, output);
	study_class_free(&slow);
	study_class_free(&typical);
	return status;
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	const struct function_option *option =
		(const struct function_option *)handler;
	const struct function_table *functions =
		symbols_functions(option->input.symbols);
	struct function_relations relations;
	struct function_report report = {
		.name = option->input.argument,
		.functions = functions,
		.names = option->input.names,
		.relations = &relations,
		.study = option->study,
	};
	int status = option->status;

	/* Its tables have orders of their own. */
	if (output->sort)
		return -ERROR_NOT_FOUND;
	if (!status)
		status = profile_end(option->profile);
	if (!status)
		status = function_relations_make(profile_tree(option->profile),
						 function_count(functions),
						 option->choice, &relations);
	if (status < 0)
		return status;
	status = show_compared(option, &report, output);
	function_relations_free(&relations);
	return status;
}

const struct attribution_table function_option = {
	.name = "function",
	.argument = "NAME",
	.help = "one function: callers, callees, times, its slowest calls",
	.check = check,
	.open = open_option,
	.render = render,
	.close = close_option,
};
