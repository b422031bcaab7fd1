/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/truth/instrument.h"

/* An instruction with its own callback. */
struct site {
	struct truth *truth;
	uint32_t index; /* in its block */
	uint32_t insn;	/* its first bytes */
};

static void on_block(unsigned int cpu, void *data)
{
	const struct block *block = data;
	struct truth *truth = block->truth;
	struct tracker *tracker = &truth->trackers[cpu];
	uint64_t start = block->start;

	/* User code may be mapped at a different address from that at
	 * translation.
	 */
	if (!(start >> 63))
		start = guest_register(&tracker->guest, GUEST_PC);
	tracker_block(tracker, truth_flags(truth, cpu), block, start,
		      &truth->site);
}

static void before_far(unsigned int cpu, void *data)
{
	const struct block *block = data;
	struct tracker *tracker = &block->truth->trackers[cpu];

	tracker->far_sp = guest_register(&tracker->guest, GUEST_SP);
}

static void before_control(unsigned int cpu, void *data)
{
	const struct site *site = data;
	struct tracker *tracker = &site->truth->trackers[cpu];
	struct control control = tracker->control;

	if (control_write(&control, &tracker->guest, site->insn))
		tracker_control(tracker, truth_flags(site->truth, cpu),
				site->index, &control);
}

static void before_clock(unsigned int cpu, void *data)
{
	const struct site *site = data;

	tracker_before_clock(&site->truth->trackers[cpu], site->index,
			     site->insn);
}

static void after_clock(unsigned int cpu, void *data)
{
	struct truth *truth = data;

	tracker_after_clock(&truth->trackers[cpu]);
}

static void before_hand_over(unsigned int cpu, void *data)
{
	struct truth *truth = data;
	uint64_t function, offsets;

	if (!arch_hand_over(&truth->trackers[cpu].guest, &function, &offsets))
		return;
	truth->site.pid_offset = offsets >> 32;
	truth->site.tgid_offset = offsets;
	truth->site.function = function;
}

static struct site *site_new(struct truth *truth, uint32_t index,
			     const struct qemu_plugin_insn *insn)
{
	struct site *site = g_new0(struct site, 1);

	site->truth = truth;
	site->index = index;
	qemu_plugin_insn_data(insn, &site->insn, sizeof(site->insn));
	return site;
}

/* With the host's clock a reading may be in the middle of a block; its result
 * is read at the next instruction, even while nothing is tracked.
 */
static void watch_clock(struct truth *truth, const struct qemu_plugin_tb *tb,
			uint32_t index)
{
	bool middle = index + 1 < qemu_plugin_tb_n_insns(tb);
	enum qemu_plugin_cond when = truth->options.host_clock && middle ?
					     QEMU_PLUGIN_COND_ALWAYS :
					     QEMU_PLUGIN_COND_NE;

	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, index);

	qemu_plugin_register_vcpu_insn_exec_cond_cb(
		insn, before_clock, QEMU_PLUGIN_CB_NO_REGS, when, truth->active,
		0, site_new(truth, index, insn));
	if (middle)
		qemu_plugin_register_vcpu_insn_exec_cond_cb(
			qemu_plugin_tb_get_insn(tb, index + 1), after_clock,
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
	case SPECIAL_CONTROL:
		qemu_plugin_register_vcpu_insn_exec_cb(
			insn, before_control, QEMU_PLUGIN_CB_R_REGS,
			site_new(truth, index, insn));
		break;
	case SPECIAL_CLOCK:
		watch_clock(truth, tb, index);
		break;
	case SPECIAL_HAND_OVER:
		qemu_plugin_register_vcpu_insn_exec_cb(
			insn, before_hand_over, QEMU_PLUGIN_CB_R_REGS, truth);
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

	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, on_block,
						  QEMU_PLUGIN_CB_R_REGS,
						  QEMU_PLUGIN_COND_NE,
						  truth->active, 0, block);
	for (uint32_t i = 0; i < block->count; i++)
		watch_special(truth, tb, i);
	watch_last(truth, block, qemu_plugin_tb_get_insn(tb, block->count - 1));
}
