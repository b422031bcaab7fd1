/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ground truth: what the guest executed while it had itself traced,
 * written by a QEMU plugin that knows nothing of the trace unit.
 *
 *	-plugin truth-api7.so,dir=DIR[,clock=virtual|host]
 *
 * Load it before the trace unit: a unit that skips instructions hides them
 * from the plugins behind it.
 */
#include "machine/truth/options.h"
#include "machine/truth/tracker.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	IA32_RTIT_CTL = 0x570,
	HAND_OVER = 0x4b545452, /* "KTTR": cpuid leaf that names __switch_to */
};

struct truth {
	struct truth_options options;
	unsigned int cpus;
	struct tracker *trackers; /* one per vCPU */
	struct qemu_plugin_scoreboard *flags;
	qemu_plugin_u64 active;
	qemu_plugin_u64 reached;
	struct switch_site site;
};

/* An instruction that has a callback of its own. */
struct site {
	struct truth *truth;
	uint32_t index; /* in its block */
};

static struct tracker_flags *flags_of(struct truth *truth, unsigned int cpu)
{
	return qemu_plugin_scoreboard_find(truth->flags, cpu);
}

static void on_block(unsigned int cpu, void *data)
{
	const struct block *block = data;
	struct truth *truth = block->truth;
	struct tracker *tracker = &truth->trackers[cpu];
	uint64_t start = block->start;

	/* User code may be mapped elsewhere than where it was translated. */
	if (!(start >> 63))
		start = guest_register(&tracker->guest, GUEST_RIP);
	tracker_block(tracker, flags_of(truth, cpu), block, start,
		      &truth->site);
}

static void before_far(unsigned int cpu, void *data)
{
	const struct block *block = data;
	struct tracker *tracker = &block->truth->trackers[cpu];

	tracker->far_sp = guest_register(&tracker->guest, GUEST_RSP);
}

static void before_wrmsr(unsigned int cpu, void *data)
{
	const struct site *site = data;
	struct tracker *tracker = &site->truth->trackers[cpu];
	struct guest *guest = &tracker->guest;

	if ((uint32_t)guest_register(guest, GUEST_RCX) == IA32_RTIT_CTL)
		tracker_control(tracker, flags_of(site->truth, cpu),
				site->index, guest_edx_eax(guest));
}

static void before_rdtsc(unsigned int cpu, void *data)
{
	const struct site *site = data;

	tracker_before_rdtsc(&site->truth->trackers[cpu], site->index);
}

static void after_rdtsc(unsigned int cpu, void *data)
{
	struct truth *truth = data;

	tracker_after_rdtsc(&truth->trackers[cpu]);
}

static void before_cpuid(unsigned int cpu, void *data)
{
	struct truth *truth = data;
	struct guest *guest = &truth->trackers[cpu].guest;
	uint64_t offsets;

	if ((uint32_t)guest_register(guest, GUEST_RAX) != HAND_OVER)
		return;
	offsets = guest_register(guest, GUEST_RDX);
	truth->site.pid_offset = offsets >> 32;
	truth->site.tgid_offset = offsets;
	truth->site.function = guest_register(guest, GUEST_RBX);
}

static struct site *site_new(struct truth *truth, uint32_t index)
{
	struct site *site = g_new0(struct site, 1);

	site->truth = truth;
	site->index = index;
	return site;
}

/* Under the host clock rdtsc may stand in the middle of a block, and its
 * result is read at the next instruction, even while nothing is tracked.
 */
static void watch_rdtsc(struct truth *truth, const struct qemu_plugin_tb *tb,
			uint32_t index)
{
	bool middle = index + 1 < qemu_plugin_tb_n_insns(tb);
	enum qemu_plugin_cond when = truth->options.host_clock && middle
					     ? QEMU_PLUGIN_COND_ALWAYS
					     : QEMU_PLUGIN_COND_NE;

	qemu_plugin_register_vcpu_insn_exec_cond_cb(
		qemu_plugin_tb_get_insn(tb, index), before_rdtsc,
		QEMU_PLUGIN_CB_NO_REGS, when, truth->active, 0,
		site_new(truth, index));
	if (middle)
		qemu_plugin_register_vcpu_insn_exec_cond_cb(
			qemu_plugin_tb_get_insn(tb, index + 1), after_rdtsc,
			QEMU_PLUGIN_CB_R_REGS, when, truth->active, 0, truth);
}

static void watch_special(struct truth *truth, const struct qemu_plugin_tb *tb,
			  uint32_t index)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, index);
	uint8_t bytes[15];
	size_t size = qemu_plugin_insn_data(insn, bytes, sizeof(bytes));

	switch (branch_special(bytes, size)) {
	case SPECIAL_NONE:
		break;
	case SPECIAL_WRMSR:
		qemu_plugin_register_vcpu_insn_exec_cb(insn, before_wrmsr,
						       QEMU_PLUGIN_CB_R_REGS,
						       site_new(truth, index));
		break;
	case SPECIAL_RDTSC:
		watch_rdtsc(truth, tb, index);
		break;
	case SPECIAL_CPUID:
		qemu_plugin_register_vcpu_insn_exec_cb(
			insn, before_cpuid, QEMU_PLUGIN_CB_R_REGS, truth);
		break;
	}
}

static void watch_last(struct truth *truth, struct block *block,
		       struct qemu_plugin_insn *insn)
{
	qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
		insn, QEMU_PLUGIN_INLINE_STORE_U64, truth->reached, 1);
	if (block->last.far_sp)
		qemu_plugin_register_vcpu_insn_exec_cond_cb(
			insn, before_far, QEMU_PLUGIN_CB_R_REGS,
			QEMU_PLUGIN_COND_NE, truth->active, 0, block);
}

static void on_tb_trans(struct qemu_plugin_tb *tb, void *data)
{
	struct truth *truth = data;
	struct block *block = block_new(truth, tb);

	qemu_plugin_register_vcpu_tb_exec_cond_cb(
		tb, on_block, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_NE,
		truth->active, 0, block);
	for (uint32_t i = 0; i < block->count; i++)
		watch_special(truth, tb, i);
	watch_last(truth, block, qemu_plugin_tb_get_insn(tb, block->count - 1));
}

/* QEMU's x86 code reports an exception twice: when it is raised, as an
 * EXCEPTION with an outdated program counter in both addresses, and when it
 * is delivered, as an INTERRUPT with the right ones (raise_interrupt2() and
 * do_interrupt_all() in target/i386/tcg).
 */
static void on_discon(unsigned int cpu, enum qemu_plugin_discon_type type,
		      uint64_t from, uint64_t to, void *data)
{
	struct truth *truth = data;
	struct tracker *tracker = &truth->trackers[cpu];
	struct tracker_flags *flags = flags_of(truth, cpu);

	if (!flags->active)
		return;
	if (type == QEMU_PLUGIN_DISCON_EXCEPTION)
		tracker_raised(tracker);
	else if (type == QEMU_PLUGIN_DISCON_INTERRUPT)
		tracker_delivered(tracker, flags, from, to);
}

static void on_vcpu_init(unsigned int cpu, void *data)
{
	struct truth *truth = data;
	struct tracker *tracker = &truth->trackers[cpu];

	tracker->clock.host = truth->options.host_clock;
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

/* A line per vCPU that lets a test see how exact the truth is. */
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

	if (!plugin_api_usable(info, "x86_64"))
		return -1;
	truth = g_new0(struct truth, 1);
	if (!truth_options_parse(&truth->options, argc, argv)) {
		g_free(truth);
		return -1;
	}
	/* QEMU's argument strings end with this call. */
	truth->options.dir = g_strdup(truth->options.dir);
	prepare(truth, info);
	plugin_on_vcpu_init(id, on_vcpu_init, truth);
	plugin_on_tb_trans(id, on_tb_trans, truth);
	plugin_on_discon(id, on_discon, truth);
	plugin_on_exit(id, on_exit_qemu, truth);
	return 0;
}
