/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/trace_unit.h"
#include "machine/qemu/bus.h"
#include "machine/qemu/emulate.h"
#include "machine/qemu/flow.h"
#include "machine/qemu/instrument.h"

#include <stdlib.h>
#include <x86intrin.h>

enum { BUS_HZ = 100000000 };

/* With -icount the guest's TSC runs at 1 GHz. */
static const struct pt_rates virtual_rates = {
	.bus_ratio = 10,
	.tsc_numerator = DEADLINE_TSC_NUMERATOR,
};

/* With the host's clock an emulated branch takes hundreds of ticks. This is the
 * slowest possible crystal; with a faster one almost every branch would start a
 * period.
 */
enum { HOST_TSC_NUMERATOR = 1024 };

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) +
	       (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* With the host's clock the guest's TSC has the host's frequency. */
static struct pt_rates clock_rates(const struct trace_unit *plugin)
{
	if (!plugin->options.host_clock)
		return virtual_rates;

	double ticks = (double)(__rdtsc() - plugin->start_tsc);
	double ratio = ticks / seconds_since(&plugin->start_time) / BUS_HZ;

	return (struct pt_rates){ .bus_ratio = (uint8_t)(ratio + 0.5),
				  .tsc_numerator = HOST_TSC_NUMERATOR };
}

static void on_vcpu_init(unsigned int index, void *data)
{
	struct trace_unit *plugin = data;
	struct vcpu *vcpu = &plugin->vcpus[index];
	struct pt_rates rates = clock_rates(plugin);
	struct pt_bus bus;

	if (index >= plugin->count || !x86_registers_init(&vcpu->guest))
		exit(EXIT_FAILURE);
	vcpu->board = qemu_plugin_scoreboard_find(plugin->boards, index);
	vcpu->mwait = plugin->options.mwait;
	bus_init(&bus, vcpu, plugin->options.dump_dir, index);
	guest_clock_init(&vcpu->clock, plugin->options.host_clock,
			 &vcpu->board->retired);
	vcpu->clock.moment = plugin->moments ? &plugin->moments[index] : NULL;
	pt_unit_init(&vcpu->unit, &bus, &rates, plugin->options.loss_interval);
	vcpu->unit.registers.abilities = plugin->abilities;
	vcpu->unit.output.fault = plugin->fault;
}

/* QEMU's x86 code reports an exception twice: when it is raised, as an
 * EXCEPTION with outdated addresses, and when it is delivered, as an INTERRUPT
 * with correct addresses (raise_interrupt2() and do_interrupt_all() in
 * target/i386/tcg).
 */
static void on_discontinuity(unsigned int index,
			     enum qemu_plugin_discon_type type, uint64_t from,
			     uint64_t to, void *data)
{
	struct trace_unit *plugin = data;
	struct vcpu *vcpu = &plugin->vcpus[index];

	if (index >= plugin->count)
		return;
	if (type == QEMU_PLUGIN_DISCON_INTERRUPT) {
		flow_delivered(vcpu, from, to);
	} else if (type == QEMU_PLUGIN_DISCON_EXCEPTION) {
		emulate_wrmsr_fault(vcpu);
		flow_raised(vcpu);
	}
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

	plugin->abilities = pt_abilities_full();
	return options_known(options,
			     !options->fault || pt_fault_parse(&plugin->fault,
							       options->fault),
			     !options->without ||
				     pt_abilities_remove(&plugin->abilities,
							 options->without));
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
				      const qemu_info_t *info, int argc,
				      char **argv);

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	struct trace_unit *plugin = g_new0(struct trace_unit, 1);

	if (!plugin_api_usable(info, "x86_64") ||
	    !options_parse(&plugin->options, argc, argv) ||
	    !alter_unit(plugin)) {
		g_free(plugin);
		return -1;
	}
	plugin->count = (unsigned)info->system.max_vcpus;
	plugin->vcpus = g_new0(struct vcpu, plugin->count);
	plugin->boards = vcpu_boards_new();
	if (plugin->options.moments) {
		plugin->moments = host_moments_map(plugin->options.moments,
						   plugin->count);
		if (!plugin->moments)
			return -1;
	}
	plugin->start_tsc = __rdtsc();
	clock_gettime(CLOCK_MONOTONIC, &plugin->start_time);

	plugin_on_vcpu_init(id, on_vcpu_init, plugin);
	plugin_on_tb_trans(id, on_translate, plugin);
	plugin_on_discon(id, on_discontinuity, plugin);
	plugin_on_exit(id, on_exit_qemu, plugin);
	return 0;
}
