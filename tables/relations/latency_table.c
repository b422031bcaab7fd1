/* SPDX-License-Identifier: MIT */
#include "tables/table.h"

#include "attribution/events/event_handler.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/trackers.h"
#include "symbolize/symbols/symbols.h"
#include "tables/relations/function_choice.h"
#include "tables/relations/latency.h"
#include "tables/relations/latency_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct latency_table {
	struct event_handler handler;
	const struct function_table *functions;
	char *first;	    /* the functions' names */
	const char *second; /* in the same memory */
	struct function_choice *from;
	struct function_choice *to;
	struct latency *latency;
	int status;
};

static size_t first_length(const char *argument)
{
	return strcspn(argument, ",");
}

static bool check(const struct attribution_input *input, char *message,
		  size_t size)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);
	const char *argument = input->argument;
	size_t length = first_length(argument);

	if (!length || !argument[length] || !argument[length + 1]) {
		snprintf(message, size, "needs two functions");
		return false;
	}
	return function_choice_check(functions, argument, length, message,
				     size) &&
	       function_choice_check(functions, argument + length + 1,
				     strlen(argument + length + 1), message,
				     size);
}

static void take(struct event_handler *handler, const struct call_step *step)
{
	struct latency_table *table = (struct latency_table *)handler;

	if (!table->status)
		table->status = latency_take(table->latency, step);
}

static bool is_done(const struct event_handler *handler, uint64_t time_ns)
{
	const struct latency_table *table =
		(const struct latency_table *)handler;

	return latency_is_done(table->latency, time_ns);
}

static void close_table(struct event_handler *handler)
{
	struct latency_table *table = (struct latency_table *)handler;

	latency_free(table->latency);
	function_choice_free(table->from);
	function_choice_free(table->to);
	free(table->first);
}

static bool open_parts(struct latency_table *table,
		       const struct attribution_input *input)
{
	struct latency_question question = {
		.kinds = input->kinds,
		.paths =
			thread_tracker_paths(trackers_threads(input->trackers)),
		.filter = input->filter,
		.window = input->window,
	};
	size_t length = first_length(input->argument);

	table->first = strdup(input->argument);
	if (!table->first)
		return false;
	table->first[length] = '\0';
	table->second = table->first + length + 1;
	table->from =
		function_choice_new(table->functions, table->first, length);
	table->to = function_choice_new(table->functions, table->second,
					strlen(table->second));
	question.from = table->from;
	question.to = table->to;
	if (question.paths && table->from && table->to)
		table->latency = latency_new(&question);
	return table->latency;
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct latency_table *table = (struct latency_table *)handler;

	table->handler.step = take;
	table->functions = symbols_functions(input->symbols);
	return open_parts(table, input);
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct latency_table *table = (struct latency_table *)handler;
	const struct latency_report report = {
		.latency = table->latency,
		.functions = table->functions,
		.from = table->first,
		.to = table->second,
	};

	if (table->status)
		return table->status;
	latency_end(table->latency);
	return latency_report_write(&report, output);
}

const struct attribution_table latency_table = {
	.name = "between",
	.columns = "count total_ns on_cpu_ns mean_ns max_ns",
	.argument = "A B",
	.help = "the time from entering function A to entering B in it",
	.check = check,
	.size = sizeof(struct latency_table),
	.open = open_table,
	.render = render,
	.close = close_table,
	.is_done = is_done,
};
