/* SPDX-License-Identifier: MIT */
#include "attribution/table.h"

#include "attribution/events/event_handler.h"
#include "attribution/relations/between.h"
#include "attribution/relations/between_report.h"
#include "attribution/relations/function_choice.h"
#include "symbolize/symbols/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct between_option {
	struct event_handler handler;
	const struct function_table *functions;
	char *first;	    /* the functions' names */
	const char *second; /* in the same memory */
	struct function_choice *from;
	struct function_choice *to;
	struct between *between;
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
	struct between_option *option = (struct between_option *)handler;

	if (!option->status)
		option->status = between_take(option->between, step);
}

static void close_option(struct event_handler *handler)
{
	struct between_option *option = (struct between_option *)handler;

	between_free(option->between);
	function_choice_free(option->from);
	function_choice_free(option->to);
	free(option->first);
	free(option);
}

static bool open_parts(struct between_option *option,
		       const struct attribution_input *input)
{
	struct between_question question = {
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
		option->between = between_new(&question);
	return option->between;
}

static struct event_handler *open_option(const struct attribution_input *input)
{
	struct between_option *option = calloc(1, sizeof(*option));

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
	struct between_option *option = (struct between_option *)handler;
	const struct between_report report = {
		.between = option->between,
		.functions = option->functions,
		.from = option->first,
		.to = option->second,
	};

	if (option->status)
		return option->status;
	between_end(option->between);
	return between_report_write(&report, output);
}

const struct attribution_table between_option = {
	.name = "between",
	.argument = "A B",
	.help = "the time from entering function A to entering B in it",
	.check = check,
	.open = open_option,
	.render = render,
	.close = close_option,
};
