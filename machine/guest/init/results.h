/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_RESULTS_H
#define KT_MACHINE_GUEST_RESULTS_H

#include "machine/guest/init/problem.h"
#include "machine/guest/init/settings.h"

/* The host's results folders, from mounting to the last byte on the host. */
struct results {
	size_t count;
	int fds[SETTINGS_RESULTS_MAX]; /* remember write errors */
};

/* Mounts each, or memory if they come late, at its own path.  Returns 0, or -1
 * with the problem. */
int results_open(struct results *results, const struct settings *settings,
		 struct problem *problem);

/* Writes back, or copies, what is still in the guest's memory.
 * Returns 0, or -1 with the problem: files did not reach the host whole.
 */
int results_finish(struct results *results, const struct settings *settings,
		   struct problem *problem);

/* The isolated machine: folders in memory until the command has ended ... */
int results_make_folders(const struct settings *settings,
			 struct problem *problem);

/* ... and copied to the host then. */
int results_copy(const struct settings *settings, struct problem *problem);

#endif
