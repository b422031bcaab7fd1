/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_GUEST_H
#define KT_MACHINE_GUEST_GUEST_H

#include "machine/channel/frame.h"
#include "machine/guest/init/command.h"
#include "machine/guest/init/mounts.h"
#include "machine/guest/init/problem.h"
#include "machine/guest/init/results.h"
#include "machine/guest/init/settings.h"

/* All that init has to do with in one boot. */
struct guest {
	int port; /* -1 until the channel is open */
	struct frame_reader *reader;
	struct frame_writer *writer;
	struct settings settings;
	struct command command;
	struct results results;
	struct layers layers; /* of the root, if it is shared */
	int wait_status;
	struct problem problem;
};

/* All return 0, or -1 with guest->problem. */

/* Opens the channel to the host. */
int guest_connect(struct guest *guest);

/* What both kinds of machine need: devices, limits, sysctls, the truth. */
int guest_prepare(struct guest *guest);

/* The usual machine: the host's root, streams and results folders by virtio
 * while the command runs.
 */
int guest_run_attached(struct guest *guest);

/* The isolated machine (docs/machine.md): everything comes from the initramfs,
 * and nothing of the host is touched before the command has ended, so that
 * two runs are the same to the last instruction.
 */
int guest_run_isolated(struct guest *guest);

#endif
