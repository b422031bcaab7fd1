/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <unistd.h>

#include "machine/guest/init/cpus.h"
#include "machine/guest/init/guest.h"
#include "machine/guest/init/mounts.h"

static void block_child_signal(void)
{
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static void report(struct guest *guest, bool failed)
{
	const char *text = guest->problem.text;

	if (failed)
		frame_writer_put(guest->writer, FRAME_FAILED, 0, text,
				 strlen(text));
	else
		frame_writer_put_numbers(
			guest->writer, FRAME_EXIT, 0,
			(uint32_t)command_exit_code(guest->wait_status), 0);
}

/* The host ends the machine after it has received the last frame. */
static void wait_for_end(struct guest *guest)
{
	struct pollfd port = { .fd = guest->port, .events = POLLOUT };

	while (!frame_writer_flush(guest->writer) &&
	       frame_writer_pending(guest->writer))
		poll(&port, 1, -1);
	for (;;)
		pause();
}

/* PID 1 of the guest.  It runs one command and never returns. */
int main(void)
{
	struct guest guest = { .port = -1 };
	int result;

	block_child_signal();
	result = mounts_first(&guest.problem) || cpus_start(&guest.problem);
	if (!result && !access("/settings", F_OK))
		result = guest_run_isolated(&guest);
	else if (!result)
		result = guest_run_attached(&guest);
	if (result)
		fprintf(stderr, "machine: %s\n", guest.problem.text);
	if (!guest.writer && guest_connect(&guest)) {
		fprintf(stderr, "machine: %s\n", guest.problem.text);
		reboot(RB_POWER_OFF);
	}
	report(&guest, result);
	wait_for_end(&guest);
}
