/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/truth/instrument.h"

enum {
	IA32_RTIT_CTL = 0x570,
	HAND_OVER = 0x4b545452, /* "KTTR": cpuid leaf that names __switch_to */
};

/* An instruction that has a callback of its own. */
struct site {
	struct truth *truth;
	uint32_t index; /* in its block */
};

static void on_block(unsigned int cpu, void *data)
{
	const struct block *block = data;
	struct truth *truth = block->truth;
	struct tracker *tracker = &truth->trackers[cpu];
	uint64_t start = block->start;

	/* User code may be mapped elsewhere than where it was translated. */
	if (!(start >> 63))
		start = guest_register(&tracker->guest, GUEST_RIP);
	tracker_block(tracker, truth_flags(truth, cpu), block, start,
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
		tracker_control(tracker, truth_flags(site->truth, cpu),
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

void instrument_block(struct truth *truth, struct qemu_plugin_tb *tb)
{
	struct block *block = block_new(truth, tb);

	qemu_plugin_register_vcpu_tb_exec_cond_cb(
		tb, on_block, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_NE,
		truth->active, 0, block);
	for (uint32_t i = 0; i < block->count; i++)
		watch_special(truth, tb, i);
	watch_last(truth, block, qemu_plugin_tb_get_insn(tb, block->count - 1));
}
