/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_PROFILE_COMMAND_H
#define KT_CMD_PROFILE_COMMAND_H

#include "cmd/report_options.h"

struct profile_renderer;

/* Profiles the recording that @options name and renders it.
 *
 * Returns the exit code.
 */
int run_profile(const struct report_options *options,
		const struct profile_renderer *renderer);

/* Runs a command that shows a finished profile: reads its options by @set,
 * which may change *@report and *@default_format, profiles the recording and
 * renders it as --format or else *@default_format says.
 *
 * Returns the exit code.
 */
int run_profile_command(const struct option_set *set,
			const char *const *report,
			const char *const *default_format,
			int argc, char **argv);

#endif
