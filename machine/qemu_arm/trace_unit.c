/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu_arm/trace_unit.h"
#include "machine/qemu_arm/bus.h"
#include "machine/qemu_arm/flow.h"
#include "machine/qemu_arm/instrument.h"

#include <stdlib.h>

static void on_vcpu_init(unsigned int index, void *data)
{
	struct trace_unit *plugin = data;
	struct vcpu *vcpu = &plugin->vcpus[index];
	struct ete_bus bus;

	if (index >= plugin->count || !a64_registers_init(&vcpu->guest))
		exit(EXIT_FAILURE);
	vcpu->index = index;
	vcpu->board = qemu_plugin_scoreboard_find(plugin->boards, index);
	bus_init(&bus, vcpu, plugin->options.dump_dir);
	guest_clock_init(&vcpu->clock, plugin->options.host_clock,
			 &vcpu->board->retired);
	if (!ete_unit_init(&vcpu->unit, &bus, plugin->options.loss_interval))
		exit(EXIT_FAILURE);
	vcpu->unit.registers.removed = plugin->removed;
	vcpu->unit.encoder.fault = plugin->fault;
}

/* A call of the machine's firmware (PSCI) does not affect traced code. */
static void on_discontinuity(unsigned int index,
			     enum qemu_plugin_discon_type type, uint64_t from,
			     uint64_t to, void *data)
{
	struct trace_unit *plugin = data;
	struct vcpu *vcpu = &plugin->vcpus[index];

	if (index >= plugin->count || !vcpu->board->watched)
		return;
	if (type == QEMU_PLUGIN_DISCON_INTERRUPT)
		flow_interrupt(vcpu, from, to);
	else if (type == QEMU_PLUGIN_DISCON_EXCEPTION)
		flow_exception(vcpu, from, to);
}

static void on_translate(struct qemu_plugin_tb *tb, void *data)
{
	instrument_block(data, tb);
}

static void on_exit_qemu(void *data)
{
	struct trace_unit *plugin = data;

	for (unsigned i = 0; i < plugin->count; i++)
		bus_close(&plugin->vcpus[i]);
}

static bool alter_unit(struct trace_unit *plugin)
{
	const struct options *options = &plugin->options;

	return options_known(options,
			     !options->fault || ete_fault_parse(&plugin->fault,
								options->fault),
			     !options->without ||
				     ete_abilities_remove(&plugin->removed,
							  options->without));
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
				      const qemu_info_t *info, int argc,
				      char **argv);

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	struct trace_unit *plugin = g_new0(struct trace_unit, 1);

	if (!plugin_api_usable(info, "aarch64") ||
	    !options_parse(&plugin->options, argc, argv) ||
	    !alter_unit(plugin)) {
		g_free(plugin);
		return -1;
	}
	plugin->count = (unsigned)info->system.max_vcpus;
	plugin->vcpus = g_new0(struct vcpu, plugin->count);
	plugin->boards = vcpu_boards_new();

	plugin_on_vcpu_init(id, on_vcpu_init, plugin);
	plugin_on_tb_trans(id, on_translate, plugin);
	plugin_on_discon(id, on_discontinuity, plugin);
	plugin_on_exit(id, on_exit_qemu, plugin);
	return 0;
}
