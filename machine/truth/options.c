/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/truth/options.h"

#include <stdio.h>
#include <string.h>

static bool parse_option(struct truth_options *options, const char *option)
{
	if (!strncmp(option, "dir=", strlen("dir="))) {
		options->dir = option + strlen("dir=");
		return true;
	}
	if (!strncmp(option, "moments=", strlen("moments="))) {
		options->moments = option + strlen("moments=");
		return true;
	}
	if (!strcmp(option, "clock=host") || !strcmp(option, "clock=virtual")) {
		options->host_clock = !strcmp(option, "clock=host");
		return true;
	}
	fprintf(stderr, "truth: unknown option %s\n", option);
	return false;
}

bool truth_options_parse(struct truth_options *options, int argc, char **argv)
{
	*options = (struct truth_options){ 0 };
	for (int i = 0; i < argc; i++)
		if (!parse_option(options, argv[i]))
			return false;
	if (!options->dir)
		fprintf(stderr, "truth: option dir=DIR is missing\n");
	return options->dir;
}
