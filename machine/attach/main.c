/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "machine/attach/options.h"
#include "machine/attach/session.h"

/* A socket must not get the number of a closed standard stream. */
static void open_standard_streams(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	close(fd);
}

/* The host's side of one run; started by machine/host/machine. */
int main(int argc, char **argv)
{
	struct options options;
	int exit_code = EXIT_USAGE;

	open_standard_streams();
	if (options_parse(&options, argc, argv))
		fprintf(stderr, "machine: attach: wrong usage\n");
	else
		exit_code = session_run(&options);
	options_free(&options);
	return exit_code;
}
