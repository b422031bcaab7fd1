/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_PROFILE_COMMAND_H
#define KT_CMD_PROFILE_COMMAND_H

#include "cmd/report_options.h"

/* Runs a command that shows a finished profile: reads its options by @set,
 * which chooses *@report, profiles the recording and renders it as --format
 * says, or else in @default_format.
 *
 * Returns the exit code.
 */
int run_profile_command(const struct option_set *set,
			const char *const *report, const char *default_format,
			int argc, char **argv);

#endif
