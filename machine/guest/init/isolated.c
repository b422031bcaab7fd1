/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/guest/init/disk.h"
#include "machine/guest/init/modules.h"
#include "machine/guest/init/mounts.h"
#include "machine/guest/init/relay.h"

#define OUTPUT "/output"
#define ERRORS "/errors"

static int keep_file(const char *path)
{
	return open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

static int run_command(struct guest *guest)
{
	int fds[3] = { open("/dev/null", O_RDONLY | O_CLOEXEC),
		       keep_file(OUTPUT), keep_file(ERRORS) };
	int status;
	pid_t pid;

	if (fds[0] < 0 || fds[1] < 0 || fds[2] < 0)
		return problem_set(&guest->problem, "files for the streams");
	if (command_start_on(&guest->command, &guest->settings, fds,
			     &guest->problem))
		return -1;
	while ((pid = wait(&status)) != guest->command.pid) {
		if (pid < 0)
			return problem_set(&guest->problem, "wait");
	}
	guest->wait_status = status;
	return 0;
}

/* Sends the streams, which were written to files, as if they were pipes. */
static int pass_streams(struct guest *guest)
{
	struct command ended = {
		.streams = { -1, open(OUTPUT, O_RDONLY | O_CLOEXEC),
			     open(ERRORS, O_RDONLY | O_CLOEXEC) },
	};
	int ignored;

	frame_writer_put(guest->writer, FRAME_STARTED, 0, NULL, 0);
	return relay_run(guest->port, guest->reader, guest->writer, &ended,
			 &ignored, &guest->problem);
}

int guest_run_isolated(struct guest *guest)
{
	struct settings *settings = &guest->settings;
	struct problem *problem = &guest->problem;

	if (settings_read(settings, "/settings", problem) ||
	    (settings->disk && disk_load(settings->disk_delay_ms, problem)) ||
	    ((settings->net || settings->link) &&
	     modules_load("net", problem)) ||
	    modules_load("trace", problem) || guest_prepare(guest) ||
	    results_make_folders(settings, problem) || run_command(guest))
		return -1;
	if (guest_connect(guest) || modules_load("root", problem) ||
	    pass_streams(guest))
		return -1;
	return results_copy(settings, problem);
}
