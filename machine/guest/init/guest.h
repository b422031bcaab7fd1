/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_GUEST_H
#define KT_MACHINE_GUEST_GUEST_H

#include "machine/channel/frame.h"
#include "machine/guest/init/command.h"
#include "machine/guest/init/mounts.h"
#include "machine/guest/init/problem.h"
#include "machine/guest/init/results.h"
#include "machine/guest/init/settings.h"

/* The state of init during one boot. */
struct guest {
	int port; /* -1 until the channel is open */
	struct frame_reader *reader;
	struct frame_writer *writer;
	struct settings settings;
	struct command command;
	struct results results;
	struct layers layers; /* layers of the root, if it is shared */
	int wait_status;
	struct problem problem;
};

/* All functions return 0, or -1 with guest->problem. */

/* Opens the channel to the host. */
int guest_connect(struct guest *guest);

/* Sets up devices, limits, sysctls and the ground truth, for both kinds of
 * machine.
 */
int guest_prepare(struct guest *guest);

/* Runs the usual machine: the host's root, streams and results folders over
 * virtio while the command runs.
 */
int guest_run_attached(struct guest *guest);

/* Runs the isolated machine (docs/machine.md): everything is in the initramfs,
 * and the host is not accessed before the command has ended, so that two runs
 * are equal to the last instruction.
 */
int guest_run_isolated(struct guest *guest);

#endif
