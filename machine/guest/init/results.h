/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_RESULTS_H
#define KT_MACHINE_GUEST_RESULTS_H

#include "machine/guest/init/problem.h"
#include "machine/guest/init/settings.h"

/* The host's results folders, from mounting to the last byte on the host. */
struct results {
	size_t count;
	/* descriptors that report write errors */
	int fds[SETTINGS_RESULTS_MAX];
};

/* Mounts each folder at its own path, or memory if results are copied late.
 * Returns 0, or -1 with the problem.
 */
int results_open(struct results *results, const struct settings *settings,
		 struct problem *problem);

/* Writes back, or copies, the data in the guest's memory. Returns 0, or -1 with
 * the problem: some files are incomplete on the host.
 */
int results_finish(struct results *results, const struct settings *settings,
		   struct problem *problem);

/* For the isolated machine: creates the folders in memory. */
int results_make_folders(const struct settings *settings,
			 struct problem *problem);

/* For the isolated machine: copies the folders to the host after the command
 * has ended.
 */
int results_copy(const struct settings *settings, struct problem *problem);

#endif
