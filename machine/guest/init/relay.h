/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_RELAY_H
#define KT_MACHINE_GUEST_RELAY_H

#include "machine/channel/frame.h"
#include "machine/guest/init/command.h"
#include "machine/guest/init/problem.h"

/* Passes the command's streams through the channel and its orphans away, until
 * the command has ended, all that it left running is killed, and all that was
 * written has been passed on.  Takes over the command's streams.
 *
 * command->pid may be 0: nothing runs any more, the streams are passed to
 * their ends.
 *
 * Returns 0 and the wait status, or -1 with the problem.
 */
int relay_run(int port, struct frame_reader *reader,
	      struct frame_writer *writer, const struct command *command,
	      int *wait_status, struct problem *problem);

#endif
