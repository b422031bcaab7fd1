/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "machine/attach/options.h"
#include "machine/attach/session.h"

/* The host's side of one run; machine/host/machine starts it. */
int main(int argc, char **argv)
{
	struct options options;
	int exit_code = EXIT_USAGE;

	if (options_parse(&options, argc, argv))
		fprintf(stderr, "machine: attach: wrong usage\n");
	else
		exit_code = session_run(&options);
	options_free(&options);
	return exit_code;
}
