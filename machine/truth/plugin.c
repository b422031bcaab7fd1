/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ground truth: the guest's execution while it was traced, written by a
 * QEMU plugin that is independent of the trace unit.
 *
 * 	-plugin truth-api7.so,dir=DIR[,clock=virtual|host][,moments=FILE]
 *
 * Load it after the trace unit: QEMU calls the last loaded plugin first, and a
 * unit that skips instructions hides them from later plugins.
 */
#include "machine/truth/arch.h"
#include "machine/truth/instrument.h"
#include "machine/truth/truth.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void on_tb_trans(struct qemu_plugin_tb *tb, void *data)
{
	instrument_block(data, tb);
}

/* QEMU's x86 code reports an exception twice: when it is raised, as an
 * EXCEPTION with an outdated program counter in both addresses, and when it is
 * delivered, as an INTERRUPT with the correct ones (raise_interrupt2() and
 * do_interrupt_all() in target/i386/tcg). Its Arm code reports it once, as an
 * EXCEPTION (arm_cpu_do_interrupt() in target/arm/helper.c).
 */
static void on_discon(unsigned int cpu, enum qemu_plugin_discon_type type,
		      uint64_t from, uint64_t to, void *data)
{
	struct truth *truth = data;
	struct tracker *tracker = &truth->trackers[cpu];
	struct tracker_flags *flags = truth_flags(truth, cpu);

	if (!flags->active)
		return;
	if (type == QEMU_PLUGIN_DISCON_EXCEPTION)
		tracker_raised(tracker);
	if (type == QEMU_PLUGIN_DISCON_INTERRUPT ||
	    (type == QEMU_PLUGIN_DISCON_EXCEPTION && !arch_raises_first))
		tracker_delivered(tracker, flags, from, to);
}

static void on_vcpu_init(unsigned int cpu, void *data)
{
	struct truth *truth = data;
	struct tracker *tracker = &truth->trackers[cpu];

	tracker->clock.host = truth->options.host_clock;
	tracker->moment = truth->moments ? &truth->moments[cpu] : NULL;
	tracker->undated =
		g_array_new(FALSE, FALSE, sizeof(struct truth_record));
	tracker->writer = writer_open(truth->options.dir, cpu);
	if (!tracker->writer) {
		fprintf(stderr, "truth: cannot create %s/truth.%u: %s\n",
			truth->options.dir, cpu, strerror(errno));
		exit(EXIT_FAILURE);
	}
	if (!guest_init(&tracker->guest))
		exit(EXIT_FAILURE);
}

/* Writes a line per vCPU with the accuracy of the ground truth, for tests. */
static void write_summary(FILE *file, unsigned int cpu,
			  const struct tracker *tracker)
{
	fprintf(file,
		"cpu %u records %" PRIu64 " rdtsc %" PRIu64
		" corrections %" PRIu64 " worst %" PRIu64 " inexact %" PRIu64
		" lost-track %" PRIu64 "\n",
		cpu, tracker->records, tracker->clock.syncs,
		tracker->clock.corrections, tracker->clock.worst,
		tracker->inexact, tracker->lost_track);
}

static void finish_cpu(struct truth *truth, unsigned int cpu, FILE *summary)
{
	struct tracker *tracker = &truth->trackers[cpu];

	if (!tracker->writer)
		return;
	tracker_finish(tracker);
	if (summary)
		write_summary(summary, cpu, tracker);
	if (!writer_close(tracker->writer))
		fprintf(stderr, "truth: truth.%u is incomplete: %s\n", cpu,
			strerror(errno));
	guest_fini(&tracker->guest);
	g_array_free(tracker->undated, TRUE);
}

static void on_exit_qemu(void *data)
{
	struct truth *truth = data;
	char *path = g_strdup_printf("%s/summary", truth->options.dir);
	FILE *summary = fopen(path, "we");

	for (unsigned int cpu = 0; cpu < truth->cpus; cpu++)
		finish_cpu(truth, cpu, summary);
	if (!summary || fclose(summary))
		fprintf(stderr, "truth: cannot write %s: %s\n", path,
			strerror(errno));
	g_free(path);
}

static bool share_moments(struct truth *truth)
{
	if (!truth->options.moments)
		return true;
	truth->moments = host_moments_map(truth->options.moments, truth->cpus);
	return truth->moments;
}

static void prepare(struct truth *truth, const qemu_info_t *info)
{
	truth->cpus = info->system.max_vcpus;
	truth->trackers = g_new0(struct tracker, truth->cpus);
	truth->flags = qemu_plugin_scoreboard_new(sizeof(struct tracker_flags));
	truth->active =
		(qemu_plugin_u64){ truth->flags,
				   offsetof(struct tracker_flags, active) };
	truth->reached =
		(qemu_plugin_u64){ truth->flags,
				   offsetof(struct tracker_flags, reached) };
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
				      const qemu_info_t *info, int argc,
				      char **argv);
int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	struct truth *truth;

	if (!plugin_api_usable(info, arch_target))
		return -1;
	truth = g_new0(struct truth, 1);
	if (!truth_options_parse(&truth->options, argc, argv)) {
		g_free(truth);
		return -1;
	}
	/* QEMU's argument strings are valid only during this call. */
	truth->options.dir = g_strdup(truth->options.dir);
	prepare(truth, info);
	if (!share_moments(truth))
		return -1;
	plugin_on_vcpu_init(id, on_vcpu_init, truth);
	plugin_on_tb_trans(id, on_tb_trans, truth);
	plugin_on_discon(id, on_discon, truth);
	plugin_on_exit(id, on_exit_qemu, truth);
	return 0;
}
