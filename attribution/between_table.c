/* SPDX-License-Identifier: MIT */
#include "attribution/table.h"

#include "attribution/between.h"
#include "attribution/between_report.h"
#include "attribution/function_choice.h"
#include "attribution/witness.h"
#include "symbolize/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct between_table {
	struct witness witness;
	const struct function_table *functions;
	char *first;			/* the functions' names */
	const char *second;		/* in the same memory */
	struct function_choice *from;
	struct function_choice *to;
	struct between *between;
	int status;
};

static size_t first_length(const char *argument)
{
	return strcspn(argument, ",");
}

static bool check_name(const struct attribution_input *input, const char *name,
		       size_t length, char *message, size_t size)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);
	struct function_choice *choice =
		function_choice_new(functions, name, length);
	bool is_good = choice && function_choice_count(choice);

	function_choice_free(choice);
	if (!is_good)
		function_choice_suggest(functions, name, length, message,
					size);
	return is_good;
}

static bool check(const struct attribution_input *input, char *message,
		  size_t size)
{
	const char *argument = input->argument;
	size_t length = first_length(argument);

	if (!length || !argument[length] || !argument[length + 1]) {
		snprintf(message, size, "needs two functions");
		return false;
	}
	return check_name(input, argument, length, message, size) &&
	       check_name(input, argument + length + 1,
			  strlen(argument + length + 1), message, size);
}

static void take(struct witness *witness, const struct call_step *step)
{
	struct between_table *table = (struct between_table *)witness;

	if (!table->status)
		table->status = between_take(table->between, step);
}

static void close_table(struct witness *witness)
{
	struct between_table *table = (struct between_table *)witness;

	between_free(table->between);
	function_choice_free(table->from);
	function_choice_free(table->to);
	free(table->first);
	free(table);
}

static bool open_parts(struct between_table *table,
		       const struct attribution_input *input)
{
	struct between_question question = {
		.kinds = input->kinds,
		.filter = input->filter,
		.window = input->window,
	};
	size_t length = first_length(input->argument);

	table->first = strdup(input->argument);
	if (!table->first)
		return false;
	table->first[length] = '\0';
	table->second = table->first + length + 1;
	table->from = function_choice_new(table->functions, table->first,
					  length);
	table->to = function_choice_new(table->functions, table->second,
					strlen(table->second));
	question.from = table->from;
	question.to = table->to;
	if (table->from && table->to)
		table->between = between_new(&question);
	return table->between;
}

static struct witness *open_table(const struct attribution_input *input)
{
	struct between_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->witness.step = take;
	table->functions = symbols_functions(input->symbols);
	if (open_parts(table, input))
		return &table->witness;
	close_table(&table->witness);
	return NULL;
}

static int render(struct witness *witness,
		  const struct attribution_output *output)
{
	struct between_table *table = (struct between_table *)witness;
	const struct between_report report = {
		.between = table->between,
		.functions = table->functions,
		.from = table->first,
		.to = table->second,
	};

	if (table->status)
		return table->status;
	between_end(table->between);
	return between_report_write(&report, output);
}

const struct attribution_table between_table = {
	.name = "between",
	.argument = "A B",
	.help = "the time from entering function A to entering B in it",
	.check = check,
	.open = open_table,
	.render = render,
	.close = close_table,
};
