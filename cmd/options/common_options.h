/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_COMMON_OPTIONS_H
#define KT_CMD_COMMON_OPTIONS_H

#include "cmd/options/own_option.h"

#include <stdbool.h>

struct option_set;
struct report_options;

/* Options shared by several commands that read recordings. */
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
	OPTION_FULL_NAMES,
	OPTION_MANGLED,
	OPTION_SYMFS,
	OPTION_DEBUGINFOD,
	OPTION_JOBS,
	OPTION_ENGINE,
	OPTION_COLOR,
	OPTION_HELP,
	OPTION_COUNT,
};

extern const struct own_option common_options[OPTION_COUNT];

/* Returns whether the command of @set accepts @option. */
bool common_option_is_taken(const struct option_set *set,
			    enum common_option option);

/* Stores @option in @options. Returns whether @argument is valid. */
bool common_option_take(struct report_options *options,
			enum common_option option, const char *argument);

#endif
