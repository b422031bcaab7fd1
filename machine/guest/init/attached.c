/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/guest.h"

#include <errno.h>
#include <poll.h>

#include "machine/guest/init/disk.h"
#include "machine/guest/init/modules.h"
#include "machine/guest/init/mounts.h"
#include "machine/guest/init/relay.h"
#include "machine/guest/init/written.h"

/* Returns 1 when all settings have arrived, 0 to continue, or -1 with the
 * problem.
 */
static int take_settings(struct guest *guest)
{
	struct frame frame;
	int got;

	while ((got = frame_reader_next(guest->reader, &frame)) > 0) {
		if (frame.type == FRAME_START)
			return 1;
		errno = 0;
		if (frame.type != FRAME_SETTING)
			return problem_set(&guest->problem,
					   "frame %d before the start",
					   (int)frame.type);
		if (settings_add(&guest->settings, frame.payload, frame.length,
				 &guest->problem))
			return -1;
	}
	return got;
}

static int receive_settings(struct guest *guest)
{
	struct pollfd port = { .fd = guest->port, .events = POLLIN };
	int result;

	while (!(result = take_settings(guest))) {
		poll(&port, 1, -1);
		result = frame_reader_fill(guest->reader);
		errno = -result;
		if (result < 0 && result != -EAGAIN)
			return problem_set(&guest->problem, "channel");
	}
	return result < 0 ? -1 : 0;
}

/* Runs differ from here on; a saved state is saved and resumed here. */
static int announce(struct guest *guest)
{
	int error = frame_writer_put(guest->writer, FRAME_READY, 0, NULL, 0);

	if (!error)
		error = frame_writer_flush(guest->writer);
	errno = -error;
	return error ? problem_set(&guest->problem, "channel") : 0;
}

static int load_modules(struct guest *guest)
{
	struct problem *problem = &guest->problem;

	if ((guest->settings.disk &&
	     disk_load(guest->settings.disk_delay_ms, problem)) ||
	    ((guest->settings.net || guest->settings.link) &&
	     modules_load("net", problem)) ||
	    modules_load("trace", problem))
		return -1;
	return 0;
}

/* Mounts the host's folders that must be visible if the root is not the host's.
 */
static int show_host(struct guest *guest)
{
	const struct settings *settings = &guest->settings;
	const char *host = settings->host;

	if (host && mounts_host(host, &guest->problem))
		return -1;
	return mounts_modules(host ? host : "", settings->modules,
			      &guest->problem);
}

int guest_run_attached(struct guest *guest)
{
	struct settings *settings = &guest->settings;
	struct problem *problem = &guest->problem;

	if (guest_connect(guest) || modules_load("root", problem) ||
	    announce(guest) || receive_settings(guest) || load_modules(guest) ||
	    mounts_shared_root(&guest->layers, problem) || show_host(guest) ||
	    guest_prepare(guest) ||
	    results_open(&guest->results, settings, problem) ||
	    command_start(&guest->command, settings, problem))
		return -1;
	frame_writer_put(guest->writer, FRAME_STARTED, 0, NULL, 0);
	if (relay_run(guest->port, guest->reader, guest->writer,
		      &guest->command, &guest->wait_status, problem))
		return -1;
	if (results_finish(&guest->results, settings, problem))
		return -1;
	return written_keep(settings, &guest->layers, guest->writer, problem);
}
