/* SPDX-License-Identifier: MIT */
#ifndef KT_SELFTEST_SELFTEST_OPTIONS_INTERNAL_H
#define KT_SELFTEST_SELFTEST_OPTIONS_INTERNAL_H

#include <stdbool.h>

struct output_folder;

/* The trials to make, and their folder; all borrowed. */
struct selftest_options {
	const char *program;		    /* the path of ktrace-hw */
	const struct output_folder *folder; /* for the recordings */
	const char *trials; /* names, separated by commas; NULL: all */
	/* root of the recorded machine's files, for its programs; NULL: / */
	const char *symfs;
	bool judges_only; /* record nothing: @folder has the recordings */
	/* run no checks: the recordings will be judged elsewhere */
	bool records_only;
	bool with_hotplug; /* permit the trial that switches a CPU off */
};

#endif
