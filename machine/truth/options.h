/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TRUTH_OPTIONS_H
#define KT_MACHINE_TRUTH_OPTIONS_H

#include <stdbool.h>

/* -plugin truth.so,dir=DIR[,clock=virtual|host][,moments=FILE] */
struct truth_options {
	const char *dir; /* folder of truth.<cpu> and summary */
	bool host_clock; /* several vCPUs, no -icount */
	/* unit/host_moments.h; NULL: the unit reads the clock itself */
	const char *moments;
};

/* Parses the options; borrows @argv. Returns false, after a message to stderr,
 * if an option is unknown or dir is missing.
 */
bool truth_options_parse(struct truth_options *options, int argc, char **argv);

#endif
