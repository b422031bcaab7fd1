/* SPDX-License-Identifier: MIT */
#include "collector/events/event_spec.h"
#include "common/formats/recording_events.h"

#include <linux/hw_breakpoint.h>
#include <stdio.h>

static struct event_spec spec_of(const char *name, uint32_t type,
				 uint64_t config, enum event_scope scope)
{
	struct event_spec spec = {
		.scope = scope,
		.ring = RING_SIDEBAND,
		.attr = {
			.wakeup_watermark = 256 << 10,
			.type = type,
			.size = PERF_ATTR_SIZE_VER7,
			.config = config,
			.sample_period = 1,
			.sample_type = EVENT_SAMPLE_TYPE,
			.read_format = PERF_FORMAT_ID,
			.sample_id_all = 1,
			.inherit = 1,
			.exclude_hv = 1,
			.watermark = 1,
		},
	};

	snprintf(spec.name, sizeof(spec.name), "%s", name);
	return spec;
}

/* Returns the spec of an event that counts nothing, and only provides sideband
 * records. It excludes the kernel because perf_event_paranoid 2 permits only
 * that for a user's own tasks.
 */
static struct event_spec dummy(enum event_scope scope)
{
	struct event_spec spec = spec_of("dummy:u", PERF_TYPE_SOFTWARE,
					 PERF_COUNT_SW_DUMMY, scope);

	spec.attr.exclude_kernel = 1;
	return spec;
}

struct event_spec event_spec_text_poke(void)
{
	struct event_spec spec = dummy(EVENT_OF_KERNEL);

	spec.ring = RING_CODE;
	spec.attr.wakeup_watermark = 1;
	spec.attr.text_poke = 1;
	spec.attr.ksymbol = 1;
	spec.attr.bpf_event = 1;
	return spec;
}

struct event_spec event_spec_switches(bool of_cpus)
{
	struct event_spec spec =
		dummy(of_cpus ? EVENT_OF_CPUS : EVENT_OF_TARGET);

	/* for away_cpus_find() */
	spec.attr.read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED;
	spec.attr.context_switch = 1;
	return spec;
}

struct event_spec event_spec_tasks(bool wakes)
{
	struct event_spec spec = dummy(EVENT_OF_TARGET);

	if (wakes) {
		spec.ring = RING_MAPS;
		spec.attr.wakeup_watermark = 1;
	}
	spec.attr.mmap = 1;
	spec.attr.mmap2 = 1;
	spec.attr.build_id = 1;
	spec.attr.comm = 1;
	spec.attr.comm_exec = 1;
	spec.attr.task = 1;
	return spec;
}

struct event_spec event_spec_tracepoint(const char *name, uint64_t id,
					enum event_scope scope)
{
	struct event_spec spec = spec_of(name, PERF_TYPE_TRACEPOINT, id, scope);

	spec.attr.disabled = 1;
	spec.attr.sample_type |= PERF_SAMPLE_RAW | PERF_SAMPLE_PERIOD;
	return spec;
}

/* All general registers except the segments: enum perf_event_x86_regs in
 * arch/x86/include/uapi/asm/perf_regs.h, and perf_regs.h of arm64.
 */
#ifdef __x86_64__
#define USER_REGISTERS UINT64_C(0xff0fff)
#else
#define USER_REGISTERS UINT64_C(0x1ffffffff)
#endif

void event_spec_add_user_stack(struct event_spec *spec, uint32_t stack_bytes)
{
	spec->ring = RING_STACKS;
	spec->attr.sample_type |= PERF_SAMPLE_REGS_USER |
				  PERF_SAMPLE_STACK_USER;
	spec->attr.sample_regs_user = USER_REGISTERS;
	spec->attr.sample_stack_user = stack_bytes;
}

/* Returns the spec of a breakpoint at the kernel's function at @address. */
static struct event_spec breakpoint(const char *name, uint64_t address)
{
	struct event_spec spec =
		spec_of(name, PERF_TYPE_BREAKPOINT, 0, EVENT_OF_KERNEL);

	spec.attr.bp_type = HW_BREAKPOINT_X;
	spec.attr.bp_addr = address;
	spec.attr.bp_len = sizeof(long);
	return spec;
}

struct event_spec event_spec_text_poke_breakpoint(uint64_t address)
{
	struct event_spec spec =
		breakpoint(TEXT_POKE_BREAKPOINT_EVENT, address);

	spec.ring = RING_PATCHES;
	spec.attr.sample_type |= PERF_SAMPLE_REGS_INTR;
	spec.attr.sample_regs_intr = TEXT_POKE_BREAKPOINT_REGISTERS;
	return spec;
}

/* arm64's kernels step over a breakpoint with interrupts enabled. The interrupt
 * by which a sample wakes the recorder would end the step before the
 * instruction has run, and the same call would be sampled until the ring is
 * full.
 */
#ifdef __x86_64__
#define BPF_TEXT_RING RING_CODE
#else
#define BPF_TEXT_RING RING_PATCHES
#endif

struct event_spec event_spec_mremap(uint64_t address, uint64_t registers)
{
	struct event_spec spec = breakpoint(MREMAP_EVENT, address);

	spec.attr.sample_type |= PERF_SAMPLE_REGS_USER;
	spec.attr.sample_regs_user = registers;
	return spec;
}

struct event_spec event_spec_bpf_text(const char *name, uint64_t address,
				      uint64_t registers)
{
	struct event_spec spec = breakpoint(name, address);

	spec.ring = BPF_TEXT_RING;
	if (spec.ring == RING_CODE)
		spec.attr.wakeup_watermark = 1;
	spec.attr.sample_type |= PERF_SAMPLE_REGS_INTR;
	spec.attr.sample_regs_intr = registers;
	return spec;
}

struct event_spec event_spec_module(const char *name, uint64_t id)
{
	struct event_spec spec =
		event_spec_tracepoint(name, id, EVENT_OF_KERNEL);

	spec.ring = RING_CODE;
	spec.attr.disabled = 0;
	return spec;
}

struct event_spec event_spec_bpf_output(const char *name, enum event_ring ring)
{
	struct event_spec spec = spec_of(name, PERF_TYPE_SOFTWARE,
					 PERF_COUNT_SW_BPF_OUTPUT,
					 EVENT_OF_CPUS);

	spec.ring = ring;
	spec.attr.sample_type |= PERF_SAMPLE_RAW;
	spec.attr.wakeup_watermark = 1;
	return spec;
}

void event_spec_act(struct event_spec *spec, size_t trace,
		    enum event_aux_action action)
{
	spec->group = 1 + trace;
	spec->aux_action = action;
}

/* Uses the shortest period that the kernel allows
 * (perf_swevent_start_hrtimer()).
 */
struct event_spec event_spec_resume(size_t trace)
{
	struct event_spec spec = spec_of("resume", PERF_TYPE_SOFTWARE,
					 PERF_COUNT_SW_CPU_CLOCK,
					 EVENT_OF_TARGET);

	spec.ring = RING_NONE;
	spec.attr.sample_period = 10000;
	spec.attr.disabled = 1;
	spec.on_demand = true;
	event_spec_act(&spec, trace, AUX_RESUME);
	return spec;
}

struct event_spec event_spec_trace(const char *name, bool user, bool on_exec,
				   uint32_t aux_watermark_bytes)
{
	struct event_spec spec = spec_of(name, 0, 0, EVENT_OF_TARGET);

	spec.ring = RING_TRACE;
	spec.attr.disabled = 1;
	spec.attr.enable_on_exec = on_exec;
	spec.attr.exclude_user = !user;
	spec.attr.aux_watermark = aux_watermark_bytes;
	return spec;
}
