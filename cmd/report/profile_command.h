/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_PROFILE_COMMAND_H
#define KT_CMD_PROFILE_COMMAND_H

#include "cmd/options/report_options.h"

struct profile_renderer;

/* Profiles the recording that @options select and renders it.
 *
 * Returns the exit code.
 */
int run_profile(const struct report_options *options,
		const struct profile_renderer *renderer);

#endif
