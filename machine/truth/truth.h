/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TRUTH_TRUTH_H
#define KT_MACHINE_TRUTH_TRUTH_H

#include "machine/truth/options.h"
#include "machine/truth/tracker.h"

/* The plugin: a tracker per vCPU, and the state shared with translated code. */
struct truth {
	struct truth_options options;
	unsigned int cpus;
	struct tracker *trackers;    /* one per vCPU */
	struct host_moment *moments; /* one per vCPU, or NULL */
	struct qemu_plugin_scoreboard *flags;
	qemu_plugin_u64 active;
	qemu_plugin_u64 reached;
	struct switch_site site;
};

static inline struct tracker_flags *truth_flags(struct truth *truth,
						unsigned int cpu)
{
	return qemu_plugin_scoreboard_find(truth->flags, cpu);
}

#endif
