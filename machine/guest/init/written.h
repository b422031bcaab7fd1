/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_WRITTEN_H
#define KT_MACHINE_GUEST_WRITTEN_H

#include "machine/channel/frame.h"
#include "machine/guest/init/mounts.h"
#include "machine/guest/init/problem.h"
#include "machine/guest/init/settings.h"

/* Copies files that the command wrote to the host. They are in the layer above
 * the host's root; only files below the folders of settings->keep are copied.
 * Sends the host a note with the copied files, the host's files that the
 * command removed (they stay), and the files that are left elsewhere in the
 * machine.
 *
 * Must be called after the command and all its descendants have ended. Returns
 * 0, or -1 with the problem: a file did not reach the host.
 */
int written_keep(const struct settings *settings, const struct layers *layers,
		 struct frame_writer *writer, struct problem *problem);

#endif
