/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_COMMAND_H
#define KT_MACHINE_GUEST_COMMAND_H

#include <sys/types.h>

#include "machine/guest/init/problem.h"
#include "machine/guest/init/settings.h"

/* The user's command and init's ends of its standard streams (non-blocking;
 * owned by the caller). On a terminal, streams[0] and [1] are both the pty's
 * master and streams[2] is -1.
 */
struct command {
	pid_t pid;
	int streams[3];
};

/* Starts the command of the settings with pipes, or with a pty if the settings
 * have tty. If it cannot be executed, the child prints the reason and exits
 * with 126 or 127, like env(1). Returns 0, or -1 with the problem.
 */
int command_start(struct command *command, const struct settings *settings,
		  struct problem *problem);

/* Like command_start(), with these three file descriptors, which stay open. */
int command_start_on(struct command *command, const struct settings *settings,
		     const int fds[3], struct problem *problem);

/* Returns the exit code for the host: 128+N for signal N. */
int command_exit_code(int wait_status);

#endif
