/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_RELAY_H
#define KT_MACHINE_GUEST_RELAY_H

#include "machine/channel/frame.h"
#include "machine/guest/init/command.h"
#include "machine/guest/init/problem.h"

/* Passes the command's streams through the channel and reaps its orphans, until
 * the command has ended, its remaining processes are killed, and all output has
 * been passed on. Takes ownership of the command's streams.
 *
 * command->pid may be 0: no command runs any more, and the streams are passed
 * on to their ends.
 *
 * Returns 0 and the wait status, or -1 with the problem.
 */
int relay_run(int port, struct frame_reader *reader,
	      struct frame_writer *writer, const struct command *command,
	      int *wait_status, struct problem *problem);

#endif
