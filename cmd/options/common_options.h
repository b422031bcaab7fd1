/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_COMMON_OPTIONS_H
#define KT_CMD_COMMON_OPTIONS_H

#include "cmd/options/own_option.h"

#include <stdbool.h>

struct option_set;
struct report_options;

/* The options that more than one reading command has. */
enum common_option {
	OPTION_INPUT,
	OPTION_OUTPUT,
	OPTION_FORMAT,
	OPTION_TOP,
	OPTION_SINCE,
	OPTION_UNTIL,
	OPTION_PID,
	OPTION_TREE,
	OPTION_COMM,
	OPTION_CPU,
	OPTION_WITH_IDLE,
	OPTION_WITH_TRACER,
	OPTION_BILL,
	OPTION_BY,
	OPTION_SYMFS,
	OPTION_JOBS,
	OPTION_ENGINE,
	OPTION_COLOR,
	OPTION_HELP,
	OPTION_COUNT,
};

extern const struct own_option common_options[OPTION_COUNT];

/* Returns whether the command of @set takes @option. */
bool common_option_is_taken(const struct option_set *set,
			    enum common_option option);

/* Puts @option into @options.  Returns whether @argument is acceptable. */
bool common_option_take(struct report_options *options,
			enum common_option option, const char *argument);

#endif
