/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/attach/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT, CONSOLE, TTY, ISOLATED, VERBOSE, SAVE, RESUMED, SET, QEMU };

static const struct option LONG_OPTIONS[] = {
	{ "timeout", required_argument, NULL, TIMEOUT },
	{ "console", required_argument, NULL, CONSOLE },
	{ "tty", no_argument, NULL, TTY },
	{ "isolated", no_argument, NULL, ISOLATED },
	{ "verbose", no_argument, NULL, VERBOSE },
	{ "save", required_argument, NULL, SAVE },
	{ "resumed", no_argument, NULL, RESUMED },
	{ "set", required_argument, NULL, SET },
	{ "qemu", required_argument, NULL, QEMU },
	{ 0 },
};

/* getopt must stop here, because QEMU's words look like options. */
static int take_qemu(struct options *options, int argc, char **argv, int first)
{
	int count = atoi(optarg);

	if (count < 1 || count > argc - first - 1)
		return -1;
	options->qemu = calloc((size_t)count + 1, sizeof(*options->qemu));
	if (!options->qemu)
		return -1;
	memcpy(options->qemu, argv + first,
	       (size_t)count * sizeof(*options->qemu));
	options->command = argv + first + count;
	return 0;
}

static int take(struct options *options, int option)
{
	switch (option) {
	case TIMEOUT:
		options->timeout_s = (unsigned int)atoi(optarg);
		return 0;
	case CONSOLE:
		options->console = optarg;
		return 0;
	case TTY:
		options->tty = true;
		return 0;
	case ISOLATED:
		options->isolated = true;
		return 0;
	case VERBOSE:
		options->verbose = true;
		return 0;
	case SAVE:
		options->save = optarg;
		return 0;
	case RESUMED:
		options->resumed = true;
		return 0;
	case SET:
		options->settings[options->setting_count++] = optarg;
		return 0;
	default:
		return -1;
	}
}

int options_parse(struct options *options, int argc, char **argv)
{
	int option;

	memset(options, 0, sizeof(*options));
	options->settings = calloc((size_t)argc, sizeof(*options->settings));
	if (!options->settings)
		return -1;
	while ((option = getopt_long(argc, argv, "+", LONG_OPTIONS, NULL)) !=
	       -1) {
		if (option == QEMU)
			return take_qemu(options, argc, argv, optind);
		if (take(options, option))
			return -1;
	}
	return -1;
}

void options_free(struct options *options)
{
	free(options->settings);
	free(options->qemu);
}
