/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/emulate.h"
#include "machine/qemu/flow.h"
#include "machine/qemu/options.h"
#include "machine/qemu/plugin_api.h"
#include "machine/qemu/vcpu.h"
#include "machine/qemu/x86_branch.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

/* The plugin: one trace unit per vCPU, and what makes them see the guest. */
struct trace_unit {
	struct options options;
	struct qemu_plugin_scoreboard *boards;
	struct vcpu *vcpus;
	unsigned count;
	uint64_t start_tsc;	/* host, to measure its frequency */
	struct timespec start_time;
};

/* Under -icount the guest's TSC runs at 1 GHz. */
enum { BUS_HZ = 100000000, VIRTUAL_BUS_RATIO = 10 };

/* Where an instruction's callback finds its vCPU and the instruction. */
struct site {
	struct trace_unit *plugin;
	const struct block *block;
	struct ptwrite_insn insn;
};

static bool read_memory(void *machine, uint64_t address, void *bytes,
			size_t size)
{
	struct vcpu *vcpu = machine;

	return guest_read_physical(&vcpu->guest, address, bytes, size);
}

static bool write_memory(void *machine, uint64_t address, const void *bytes,
			 size_t size)
{
	struct vcpu *vcpu = machine;

	if (vcpu->dump && fwrite(bytes, 1, size, vcpu->dump) != size) {
		perror("trace unit: dump");
		exit(EXIT_FAILURE);
	}
	return guest_write_physical(&vcpu->guest, address, bytes, size);
}

static void raise_interrupt(void *machine)
{
	struct vcpu *vcpu = machine;

	perfmon_topa_interrupt(&vcpu->perfmon, &vcpu->guest);
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) +
	       (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* Host clock: the guest's TSC has the host's frequency. */
static uint8_t bus_ratio(const struct trace_unit *plugin)
{
	if (!plugin->options.host_clock)
		return VIRTUAL_BUS_RATIO;

	double ticks = (double)(__rdtsc() - plugin->start_tsc);

	return (uint8_t)(ticks / seconds_since(&plugin->start_time) / BUS_HZ +
			 0.5);
}

static FILE *open_dump(const struct trace_unit *plugin, unsigned index)
{
	char path[4096];

	if (!plugin->options.dump_dir)
		return NULL;
	snprintf(path, sizeof(path), "%s/trace.%u", plugin->options.dump_dir,
		 index);

	FILE *file = fopen(path, "wb");

	if (!file) {
		fprintf(stderr, "trace unit: cannot write %s: ", path);
		perror("");
		exit(EXIT_FAILURE);
	}
	return file;
}

static void on_vcpu_init(unsigned int index, void *data)
{
	struct trace_unit *plugin = data;
	struct vcpu *vcpu = &plugin->vcpus[index];
	struct pt_bus bus = { read_memory, write_memory, raise_interrupt,
			      vcpu };

	if (index >= plugin->count || !guest_init(&vcpu->guest))
		exit(EXIT_FAILURE);
	vcpu->board = qemu_plugin_scoreboard_find(plugin->boards, index);
	vcpu->dump = open_dump(plugin, index);
	guest_clock_init(&vcpu->clock, plugin->options.host_clock,
			 &vcpu->board->retired);
	pt_unit_init(&vcpu->unit, &bus, bus_ratio(plugin),
		     plugin->options.loss_interval);
}

static void on_discontinuity(unsigned int index,
			     enum qemu_plugin_discon_type type, uint64_t from,
			     uint64_t to, void *data)
{
	struct trace_unit *plugin = data;

	if (index >= plugin->count || type == QEMU_PLUGIN_DISCON_HOSTCALL)
		return;
	if (type == QEMU_PLUGIN_DISCON_EXCEPTION)
		emulate_wrmsr_fault(&plugin->vcpus[index]);
	flow_discontinuity(&plugin->vcpus[index], type, from, to);
}

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

static void on_cpuid(unsigned int index, void *data)
{
	emulate_cpuid(vcpu_at(data, index));
}

static void on_rdmsr(unsigned int index, void *data)
{
	emulate_rdmsr(vcpu_at(data, index));
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

	emulate_rdpmc(vcpu_at(site, index), site->insn.next);
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

static void on_hlt(unsigned int index, void *data)
{
	struct vcpu *vcpu = vcpu_at(data, index);

	vcpu->halted = true;
	vcpu->halted_tsc = guest_clock_now(&vcpu->clock);
	guest_clock_halt(&vcpu->clock);
}

/* What to call before each special instruction. */
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
	[X86_PTWRITE] = { on_ptwrite, QEMU_PLUGIN_CB_RW_REGS_PC },
};

static qemu_plugin_u64 board_member(const struct trace_unit *plugin,
				    size_t offset)
{
	return (qemu_plugin_u64){ plugin->boards, offset };
}

static void call_when(struct qemu_plugin_insn *insn,
		      qemu_plugin_vcpu_udata_cb_t call, qemu_plugin_u64 flag,
		      struct site *site)
{
	qemu_plugin_register_vcpu_insn_exec_cond_cb(
		insn, call, QEMU_PLUGIN_CB_RW_REGS, QEMU_PLUGIN_COND_NE, flag,
		0, site);
}

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

/* Returns true if the instruction after @insn has to look for something to
 * finish.
 */
static bool instrument(struct trace_unit *plugin, const struct block *block,
		       struct qemu_plugin_insn *insn)
{
	uint8_t bytes[15];
	size_t size = qemu_plugin_insn_data(insn, bytes, sizeof(bytes));
	enum x86_special special = x86_special(bytes, size);

	if (special == X86_ORDINARY)
		return false;
	qemu_plugin_register_vcpu_insn_exec_cb(insn, specials[special].call,
					       specials[special].flags,
					       site_new(plugin, block, insn));
	return special == X86_CPUID || special == X86_RDMSR ||
	       special == X86_RDTSC;
}

static void on_translate(struct qemu_plugin_tb *tb, void *data)
{
	struct trace_unit *plugin = data;
	struct block *block = block_new(tb);
	struct site *site = g_new0(struct site, 1);
	qemu_plugin_u64 pending =
		board_member(plugin, offsetof(struct vcpu_board, pending));
	bool unfinished = true;

	site->plugin = plugin;
	site->block = block;
	qemu_plugin_register_vcpu_tb_exec_cond_cb(
		tb, on_block, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_NE,
		board_member(plugin, offsetof(struct vcpu_board, tracing)), 0,
		site);
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
		tb, QEMU_PLUGIN_INLINE_ADD_U64,
		board_member(plugin, offsetof(struct vcpu_board, retired)),
		block->count);
	for (size_t i = 0; i < block->count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (unfinished)
			call_when(insn, on_finish, pending, site);
		unfinished = instrument(plugin, block, insn);
		if (i + 1 == block->count)
			qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
				insn, QEMU_PLUGIN_INLINE_STORE_U64,
				board_member(plugin,
					     offsetof(struct vcpu_board,
						      last_began)),
				1);
	}
}

static void on_exit_qemu(void *data)
{
	struct trace_unit *plugin = data;

	for (unsigned i = 0; i < plugin->count; i++) {
		struct vcpu *vcpu = &plugin->vcpus[i];

		if (vcpu->dump && fclose(vcpu->dump))
			perror("trace unit: dump");
		vcpu->dump = NULL;
	}
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
				      const qemu_info_t *info, int argc,
				      char **argv);

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	struct trace_unit *plugin = g_new0(struct trace_unit, 1);

	if (!plugin_api_usable(info, "x86_64") ||
	    !options_parse(&plugin->options, argc, argv)) {
		g_free(plugin);
		return -1;
	}
	plugin->count = (unsigned)info->system.max_vcpus;
	plugin->vcpus = g_new0(struct vcpu, plugin->count);
	plugin->boards = qemu_plugin_scoreboard_new(sizeof(struct vcpu_board));
	plugin->start_tsc = __rdtsc();
	clock_gettime(CLOCK_MONOTONIC, &plugin->start_time);

	plugin_on_vcpu_init(id, on_vcpu_init, plugin);
	plugin_on_tb_trans(id, on_translate, plugin);
	plugin_on_discon(id, on_discontinuity, plugin);
	plugin_on_exit(id, on_exit_qemu, plugin);
	return 0;
}
