/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu_arm/instrument.h"
#include "machine/qemu/doorbell.h"
#include "machine/qemu_arm/a64.h"
#include "machine/qemu_arm/emulate.h"
#include "machine/qemu_arm/flow.h"
#include "machine/qemu_arm/gic.h"

/* The argument of an instruction's callback: its plugin and the instruction. */
struct site {
	struct trace_unit *plugin;
	const struct block *block;
	uint64_t ip;
	uint32_t insn;
};

static struct vcpu *vcpu_at(const struct site *site, unsigned index)
{
	return &site->plugin->vcpus[index];
}

static void on_block(unsigned int index, void *data)
{
	const struct site *site = data;

	flow_block(vcpu_at(site, index), site->block);
}

static void on_finish(unsigned int index, void *data)
{
	emulate_finish(vcpu_at(data, index));
}

static void on_access(unsigned int index, void *data)
{
	const struct site *site = data;

	emulate_access(vcpu_at(site, index), site->insn, site->ip);
}

static void on_debug_features(unsigned int index, void *data)
{
	const struct site *site = data;

	emulate_reading(vcpu_at(site, index), VCPU_PENDING_DEBUG_FEATURES,
			site->insn);
}

static void on_counter(unsigned int index, void *data)
{
	const struct site *site = data;

	emulate_reading(vcpu_at(site, index), VCPU_PENDING_COUNTER, site->insn);
}

static void on_context_id(unsigned int index, void *data)
{
	vcpu_at(data, index)->context_moved = true;
}

static void on_wait(unsigned int index, void *data)
{
	guest_clock_wait(&vcpu_at(data, index)->clock);
}

static void on_trace_sync(unsigned int index, void *data)
{
	ete_unit_drain(&vcpu_at(data, index)->unit);
}

static void on_store(unsigned int index, qemu_plugin_meminfo_t info,
		     uint64_t address, void *data)
{
	doorbell_wait(qemu_plugin_get_hwaddr(info, address),
		      gic_device_is_pending, &vcpu_at(data, index)->guest);
}

/* The callback before each special instruction. */
static const struct {
	qemu_plugin_vcpu_udata_cb_t call;
	enum qemu_plugin_cb_flags flags;
	bool kernel_only; /* user code gets QEMU's exception */
	bool unfinished;  /* the next instruction must finish it */
} specials[] = {
	[A64_TRACE_REGISTER] = { on_access, QEMU_PLUGIN_CB_RW_REGS_PC, true,
				 false },
	[A64_DEBUG_FEATURES] = { on_debug_features, QEMU_PLUGIN_CB_NO_REGS,
				 true, true },
	[A64_CONTEXT_ID] = { on_context_id, QEMU_PLUGIN_CB_NO_REGS, true,
			     false },
	[A64_COUNTER] = { on_counter, QEMU_PLUGIN_CB_NO_REGS, false, true },
	[A64_WAIT] = { on_wait, QEMU_PLUGIN_CB_NO_REGS, false, false },
	[A64_TRACE_SYNC] = { on_trace_sync, QEMU_PLUGIN_CB_R_REGS, true,
			     false },
};

static struct site *site_new(struct trace_unit *plugin,
			     const struct block *block, uint64_t ip,
			     uint32_t insn)
{
	struct site *site = g_new0(struct site, 1);

	*site = (struct site){ plugin, block, ip, insn };
	return site;
}

/* Returns true if a callback has to run before the next instruction to finish
 * @insn.
 */
static bool instrument(struct trace_unit *plugin, const struct block *block,
		       struct qemu_plugin_insn *insn)
{
	uint32_t bits = block_insn(insn);
	enum a64_special special = a64_special(bits);
	uint64_t ip = qemu_plugin_insn_vaddr(insn);

	if (!plugin->options.host_clock && ip >> 63 && a64_may_ring(bits))
		qemu_plugin_register_vcpu_mem_cb(
			insn, on_store, QEMU_PLUGIN_CB_NO_REGS,
			QEMU_PLUGIN_MEM_W, site_new(plugin, block, ip, bits));
	if (special == A64_ORDINARY ||
	    (specials[special].kernel_only && !(ip >> 63)))
		return false;
	qemu_plugin_register_vcpu_insn_exec_cb(
		insn, specials[special].call, specials[special].flags,
		site_new(plugin, block, ip, bits));
	return specials[special].unfinished;
}

static void instrument_insns(struct trace_unit *plugin,
			     const struct qemu_plugin_tb *tb, struct site *site)
{
	bool unfinished = true;

	for (size_t i = 0; i < site->block->count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (unfinished)
			vcpu_boards_watch_pending(plugin->boards, insn,
						  on_finish, site);
		unfinished = instrument(plugin, site->block, insn);
	}
}

void instrument_block(struct trace_unit *plugin, struct qemu_plugin_tb *tb)
{
	struct block *block = block_new(tb);
	struct site *site = site_new(plugin, block, block->start, 0);

	vcpu_boards_watch_block(plugin->boards, tb, block->count, on_block,
				site);
	instrument_insns(plugin, tb, site);
	vcpu_boards_note_last(plugin->boards,
			      qemu_plugin_tb_get_insn(tb, block->count - 1));
}
