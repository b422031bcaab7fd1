/* SPDX-License-Identifier: MIT */
#include "cmd/report/profile_command.h"

#include "cmd/command.h"
#include "cmd/console/say.h"
#include "cmd/report/attribution_command.h"
#include "cmd/report/profile_table.h"
#include "report/profile/profile_report.h"

#include <stdio.h>

int run_profile(const struct report_options *options,
		const struct profile_renderer *renderer)
{
	const struct attribution_request request = {
		.table = &profile_table,
		.renderer = renderer,
		.sort = options->sort,
		.is_quiet = true,
	};

	if (renderer->render_second && !options->output) {
		say("--format=%s writes two files: name the first with -o FILE",
		    renderer->format);
		return EXIT_USAGE;
	}
	return run_attribution(options, &request, 1);
}
