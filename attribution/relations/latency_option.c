/* SPDX-License-Identifier: MIT */
#include "attribution/table.h"

#include "attribution/events/event_handler.h"
#include "attribution/relations/function_choice.h"
#include "attribution/relations/latency.h"
#include "attribution/relations/latency_report.h"
#include "symbolize/symbols/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct latency_option {
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
	struct latency_option *option = (struct latency_option *)handler;

	if (!option->status)
		option->status = latency_take(option->latency, step);
}

static void close_option(struct event_handler *handler)
{
	struct latency_option *option = (struct latency_option *)handler;

	latency_free(option->latency);
	function_choice_free(option->from);
	function_choice_free(option->to);
	free(option->first);
	free(option);
}

static bool open_parts(struct latency_option *option,
		       const struct attribution_input *input)
{
	struct latency_question question = {
		.kinds = input->kinds,
		.filter = input->filter,
		.window = input->window,
	};
	size_t length = first_length(input->argument);

	option->first = strdup(input->argument);
	if (!option->first)
		return false;
	option->first[length] = '\0';
	option->second = option->first + length + 1;
	option->from =
		function_choice_new(option->functions, option->first, length);
	option->to = function_choice_new(option->functions, option->second,
					 strlen(option->second));
	question.from = option->from;
	question.to = option->to;
	if (option->from && option->to)
		option->latency = latency_new(&question);
	return option->latency;
}

static struct event_handler *open_option(const struct attribution_input *input)
{
	struct latency_option *option = calloc(1, sizeof(*option));

	if (!option)
		return NULL;
	option->handler.step = take;
	option->functions = symbols_functions(input->symbols);
	if (open_parts(option, input))
		return &option->handler;
	close_option(&option->handler);
	return NULL;
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct latency_option *option = (struct latency_option *)handler;
	const struct latency_report report = {
		.latency = option->latency,
		.functions = option->functions,
		.from = option->first,
		.to = option->second,
	};

	if (option->status)
		return option->status;
	latency_end(option->latency);
	return latency_report_write(&report, output);
}

const struct attribution_table latency_option = {
	.name = "between",
	.argument = "A B",
	.help = "the time from entering function A to entering B in it",
	.check = check,
	.open = open_option,
	.render = render,
	.close = close_option,
};
