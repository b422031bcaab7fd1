/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_WRITTEN_H
#define KT_MACHINE_GUEST_WRITTEN_H

#include "machine/channel/frame.h"
#include "machine/guest/init/mounts.h"
#include "machine/guest/init/problem.h"
#include "machine/guest/init/settings.h"

/* Files that a command wrote lie in the layer above the host's root.  Copies
 * those below the folders that settings->keep names to the host, and tells it
 * in a note which these were, which of the host's the command removed (they
 * stay), and which are left elsewhere in the machine.
 *
 * Call it when the command and all that it started have ended.
 * Returns 0, or -1 with the problem: a file did not reach the host.
 */
int written_keep(const struct settings *settings, const struct layers *layers,
		 struct frame_writer *writer, struct problem *problem);

#endif
