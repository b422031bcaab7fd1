/* SPDX-License-Identifier: MIT */
#include "explain/explain.h"
#include "cmd/command.h"
#include "cmd/options/report_options.h"
#include "cmd/report/attribution_command.h"
#include "tables/table.h"

#include <stddef.h>

static int run_explain(int argc, char **argv)
{
	const struct option_set set = {
		.command = "explain",
		.purpose = "Explains why the recorded command took as long as "
			   "it did: the chain of what\nhad to happen for it to "
			   "end, summed up by cause.",
		.formats = "text, csv or json",
		.is_paged = true,
		.has_no_rows = true,
		.takes_input = true,
	};
	const struct attribution_request request = { .table = &explain_table };
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
