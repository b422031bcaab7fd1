/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/instrument.h"
#include "machine/qemu/apic.h"
#include "machine/qemu/counting.h"
#include "machine/qemu/doorbell.h"
#include "machine/qemu/emulate.h"
#include "machine/qemu/events.h"
#include "machine/qemu/flow.h"
#include "machine/qemu/stale_code.h"
#include "machine/qemu/x86_branch.h"

/* The argument of an instruction's callback: its plugin and the instruction. */
struct site {
	struct trace_unit *plugin;
	const struct block *block;
	struct ptwrite_insn insn;
	enum x86_special special;
};

static struct vcpu *vcpu_at(const struct site *site, unsigned index)
{
	return &site->plugin->vcpus[index];
}

static void on_block(unsigned int index, void *data)
{
	const struct site *site = data;
	struct vcpu *vcpu = vcpu_at(site, index);

	if (vcpu->perfmon.counting)
		counting_block(vcpu, site->block);
	if (pt_unit_is_tracing(&vcpu->unit))
		flow_block(vcpu, site->block);
}

static void on_breakpoint(unsigned int index, void *data)
{
	const struct site *site = data;

	stale_code_check(vcpu_at(site, index), site->block);
}

static void on_finish(unsigned int index, void *data)
{
	emulate_finish(vcpu_at(data, index));
}

static void on_cpuid(unsigned int index, void *data)
{
	emulate_cpuid(vcpu_at(data, index));
}

static void on_rdmsr(unsigned int index, void *data)
{
	const struct site *site = data;

	emulate_rdmsr(vcpu_at(site, index), site->insn.ip);
}

static void on_wrmsr(unsigned int index, void *data)
{
	const struct site *site = data;

	emulate_wrmsr(vcpu_at(site, index), site->insn.ip);
}

static void on_rdtsc(unsigned int index, void *data)
{
	emulate_rdtsc(vcpu_at(data, index));
}

static void on_rdpmc(unsigned int index, void *data)
{
	const struct site *site = data;

	emulate_rdpmc(vcpu_at(site, index), site->insn.ip, site->insn.next);
}

static void on_ptwrite(unsigned int index, void *data)
{
	const struct site *site = data;

	emulate_ptwrite(vcpu_at(site, index), &site->insn);
}

static void on_mov_to_cr3(unsigned int index, void *data)
{
	vcpu_at(data, index)->cr3_moved = true;
}

static void halt(struct vcpu *vcpu, uint64_t ip)
{
	counting_run(vcpu, ip);
	counting_interrupt(vcpu);
	vcpu->halted = true;
	vcpu->halted_tsc = guest_clock_now(&vcpu->clock);
	guest_clock_halt(&vcpu->clock, &vcpu->guest);
}

static void on_hlt(unsigned int index, void *data)
{
	const struct site *site = data;
	struct vcpu *vcpu = vcpu_at(site, index);

	events_hlt(vcpu, site->insn.ip);
	halt(vcpu, site->insn.ip);
}

/* QEMU's MWAIT halts only a single CPU. With several CPUs it would have to
 * watch their stores; it is a pause then (helper_mwait() in
 * target/i386/tcg/system), and this callback is not registered.
 */
static void on_mwait(unsigned int index, void *data)
{
	const struct site *site = data;
	struct vcpu *vcpu = vcpu_at(site, index);

	events_mwait(vcpu, site->insn.ip);
	halt(vcpu, site->insn.ip);
}

static void on_flag_written(unsigned int index, void *data)
{
	const struct site *site = data;

	events_flag_written(vcpu_at(site, index), site->special,
			    site->insn.next);
}

static void on_doorbell(unsigned int index, qemu_plugin_meminfo_t info,
			uint64_t address, void *data)
{
	struct vcpu *vcpu = vcpu_at(data, index);

	doorbell_wait(qemu_plugin_get_hwaddr(info, address),
		      apic_device_is_pending, &vcpu->guest);
}

/* The callback before each special instruction. */
static const struct {
	qemu_plugin_vcpu_udata_cb_t call;
	enum qemu_plugin_cb_flags flags;
} specials[] = {
	[X86_CPUID] = { on_cpuid, QEMU_PLUGIN_CB_R_REGS },
	[X86_RDMSR] = { on_rdmsr, QEMU_PLUGIN_CB_R_REGS },
	[X86_WRMSR] = { on_wrmsr, QEMU_PLUGIN_CB_RW_REGS },
	[X86_RDTSC] = { on_rdtsc, QEMU_PLUGIN_CB_NO_REGS },
	[X86_RDPMC] = { on_rdpmc, QEMU_PLUGIN_CB_RW_REGS_PC },
	[X86_MOV_TO_CR3] = { on_mov_to_cr3, QEMU_PLUGIN_CB_NO_REGS },
	[X86_HLT] = { on_hlt, QEMU_PLUGIN_CB_NO_REGS },
	[X86_MWAIT] = { on_mwait, QEMU_PLUGIN_CB_R_REGS },
	[X86_PTWRITE] = { on_ptwrite, QEMU_PLUGIN_CB_RW_REGS_PC },
};

static struct site *site_new(struct trace_unit *plugin,
			     const struct block *block,
			     const struct qemu_plugin_insn *insn)
{
	struct site *site = g_new0(struct site, 1);

	site->plugin = plugin;
	site->block = block;
	site->insn.ip = qemu_plugin_insn_vaddr(insn);
	site->insn.next = site->insn.ip + qemu_plugin_insn_size(insn);
	site->insn.size = (uint8_t)qemu_plugin_insn_data(
		insn, site->insn.bytes, sizeof(site->insn.bytes));
	return site;
}

/* MWAIT outside the kernel faults. */
static bool idles_by_mwait(const struct trace_unit *plugin,
			   const struct block *block)
{
	return plugin->options.mwait && plugin->count == 1 &&
	       block_is_kernel(block);
}

static bool writes_flag(enum x86_special special)
{
	return special == X86_CLI || special == X86_STI || special == X86_POPF;
}

/* In user code these instructions fault or do not change the flag. */
static void instrument_flag(struct trace_unit *plugin,
			    const struct block *block,
			    struct qemu_plugin_insn *insn,
			    enum x86_special special)
{
	struct site *site;

	if (!block_is_kernel(block))
		return;
	site = site_new(plugin, block, insn);
	site->special = special;
	vcpu_boards_watch_events(plugin->boards, insn, on_flag_written, site);
}

/* Returns true if a callback has to run before the next instruction to finish
 * @insn.
 */
static bool instrument(struct trace_unit *plugin, const struct block *block,
		       struct qemu_plugin_insn *insn)
{
	uint8_t bytes[15];
	size_t size = qemu_plugin_insn_data(insn, bytes, sizeof(bytes));
	enum x86_special special = x86_special(bytes, size);

	if (!plugin->options.host_clock && x86_may_ring(bytes, size))
		qemu_plugin_register_vcpu_mem_cb(insn, on_doorbell,
						 QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_W,
						 site_new(plugin, block, insn));
	if (special == X86_ORDINARY)
		return false;
	if (special == X86_MWAIT && !idles_by_mwait(plugin, block))
		return false;
	if (writes_flag(special)) {
		instrument_flag(plugin, block, insn, special);
		return false;
	}
	qemu_plugin_register_vcpu_insn_exec_cb(insn, specials[special].call,
					       specials[special].flags,
					       site_new(plugin, block, insn));
	return special == X86_CPUID || special == X86_RDMSR ||
	       special == X86_RDTSC;
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
	struct site *site = g_new0(struct site, 1);

	site->plugin = plugin;
	site->block = block;
	/* This callback must be the first, because it may start the block
	 * again.
	 */
	if (block->breakpoint && block_is_kernel(block) && plugin->count > 1)
		qemu_plugin_register_vcpu_tb_exec_cb(
			tb, on_breakpoint, QEMU_PLUGIN_CB_RW_REGS_PC, site);
	vcpu_boards_watch_block(plugin->boards, tb, block->count, on_block,
				site);
	instrument_insns(plugin, tb, site);
	vcpu_boards_note_last(plugin->boards,
			      qemu_plugin_tb_get_insn(tb, block->count - 1));
}
