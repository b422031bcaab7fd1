/* SPDX-License-Identifier: MIT */
#include "explain/explain.h"
#include "cmd/command.h"
#include "cmd/options/option_lists.h"
#include "cmd/options/report_options.h"
#include "cmd/report/attribution_command.h"

#include <stdbool.h>
#include <stdint.h>

static const char *read_request(void *text, char *argument)
{
	uint64_t number;

	*(const char **)text = argument;
	return option_number(argument, UINT64_MAX, &number) && number ?
		       NULL :
		       "a number above 0";
}

static int run_explain(int argc, char **argv)
{
	static const struct own_option own[] = {
		{ "request", "N",
		  "one request, by its number in report --requests", 0,
		  READS(struct attribution_request, argument, read_request) },
	};
	struct attribution_request request = { .table = &explain_table };
	const struct option_set set = {
		.command = "explain",
		.purpose = "Explains why the recorded command took as long as "
			   "it did: the chain of what\nhad to happen for it to "
			   "end, summed up by cause.",
		.formats = "text, csv or json",
		.is_paged = true,
		.has_no_rows = true,
		.takes_input = true,
		OWN_OPTIONS(own),
		.ctx = &request,
	};
	struct report_options options;
	int status = report_options_read(&options, &set, argc, argv) - 1;

	if (status < 0)
		status = run_attribution(&options, &request, 1);
	report_options_free(&options);
	return status;
}

const struct command explain_command = {
	.name = "explain",
	.summary = "explain why the command took as long as it did",
	.run = run_explain,
};
