/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/emulate.h"
#include "machine/intel_pt/cpuid.h"
#include "machine/qemu/counting.h"
#include "machine/qemu/events.h"
#include "machine/qemu/flow.h"

/* The x2APIC's ID register. Writing it faults both in xAPIC mode and in x2APIC
 * mode (SDM volume 3, "x2APIC Register Address Space").
 */
enum { MSR_THAT_FAULTS = 0x802 };

static void pend(struct vcpu *vcpu, enum vcpu_pending pending)
{
	vcpu->pending = pending;
	vcpu->board->pending = 1;
}

void emulate_cpuid(struct vcpu *vcpu)
{
	vcpu->cpuid_leaf = (uint32_t)guest_read(&vcpu->guest, GUEST_RAX);
	vcpu->cpuid_subleaf = (uint32_t)guest_read(&vcpu->guest, GUEST_RCX);
	pend(vcpu, VCPU_PENDING_CPUID);
}

/* MWAIT without extensions, like QEMU's. Linux then idles with MWAIT and both
 * operands 0 (prefer_mwait_c1_over_halt() in arch/x86/kernel/process.c).
 */
static void mwait_leaf(struct cpuid_result *result)
{
	*result = (struct cpuid_result){ .eax = 64, .ebx = 64 };
}

static void finish_cpuid(struct vcpu *vcpu)
{
	struct guest *guest = &vcpu->guest;
	struct cpuid_result result = {
		.eax = (uint32_t)guest_read(guest, GUEST_RAX),
		.ebx = (uint32_t)guest_read(guest, GUEST_RBX),
		.ecx = (uint32_t)guest_read(guest, GUEST_RCX),
		.edx = (uint32_t)guest_read(guest, GUEST_RDX),
	};

	pt_cpuid(vcpu->cpuid_leaf, vcpu->cpuid_subleaf,
		 &vcpu->unit.timing.rates, &vcpu->unit.registers.abilities,
		 &result);
	if (vcpu->mwait && vcpu->cpuid_leaf == 5)
		mwait_leaf(&result);
	if (!vcpu->clock.host)
		deadline_cpuid(vcpu->cpuid_leaf, &result);
	guest_write(guest, GUEST_RAX, result.eax);
	guest_write(guest, GUEST_RBX, result.ebx);
	guest_write(guest, GUEST_RCX, result.ecx);
	guest_write(guest, GUEST_RDX, result.edx);
}

static bool read_deadline(struct vcpu *vcpu, uint32_t msr, uint64_t *value)
{
	return !vcpu->clock.host &&
	       deadline_read(&vcpu->deadline, msr,
			     guest_clock_now(&vcpu->clock), value);
}

static bool write_deadline(struct vcpu *vcpu, uint32_t msr, uint64_t value)
{
	return !vcpu->clock.host &&
	       deadline_write(&vcpu->deadline, &vcpu->guest, msr, value,
			      guest_clock_now(&vcpu->clock));
}

void emulate_rdmsr(struct vcpu *vcpu, uint64_t ip)
{
	uint32_t msr = (uint32_t)guest_read(&vcpu->guest, GUEST_RCX);
	uint64_t *value = &vcpu->msr_value;

	counting_run(vcpu, ip);
	if (msr == MSR_PLATFORM_INFO)
		*value = (uint64_t)vcpu->unit.timing.rates.bus_ratio << 8;
	else if (!perfmon_read(&vcpu->perfmon, msr, value) &&
		 !read_deadline(vcpu, msr, value) &&
		 pt_unit_read_msr(&vcpu->unit, msr, value) != PT_MSR_DONE)
		return;
	pend(vcpu, VCPU_PENDING_RDMSR);
}

void emulate_rdtsc(struct vcpu *vcpu)
{
	guest_clock_before_rdtsc(&vcpu->clock);
	pend(vcpu, VCPU_PENDING_RDTSC);
}

void emulate_finish(struct vcpu *vcpu)
{
	enum vcpu_pending pending = vcpu->pending;

	vcpu->pending = VCPU_PENDING_NONE;
	vcpu->board->pending = 0;
	switch (pending) {
	case VCPU_PENDING_NONE:
		break;
	case VCPU_PENDING_CPUID:
		finish_cpuid(vcpu);
		break;
	case VCPU_PENDING_RDMSR:
		guest_write_edx_eax(&vcpu->guest, vcpu->msr_value);
		break;
	case VCPU_PENDING_RDTSC:
		guest_clock_after_rdtsc(&vcpu->clock,
					guest_read_edx_eax(&vcpu->guest));
		break;
	}
}

static void refuse(struct vcpu *vcpu)
{
	vcpu->fault_rcx = guest_read(&vcpu->guest, GUEST_RCX);
	vcpu->fault_wanted = true;
	guest_write(&vcpu->guest, GUEST_RCX, MSR_THAT_FAULTS);
}

static void watch_blocks(struct vcpu *vcpu)
{
	vcpu->board->watched = pt_unit_is_tracing(&vcpu->unit) ||
			       vcpu->perfmon.counting;
}

void emulate_wrmsr(struct vcpu *vcpu, uint64_t ip)
{
	uint32_t msr = (uint32_t)guest_read(&vcpu->guest, GUEST_RCX);
	uint64_t value = guest_read_edx_eax(&vcpu->guest);
	bool was_tracing = pt_unit_is_tracing(&vcpu->unit);

	events_report_flags(vcpu);
	counting_run(vcpu, ip);
	counting_interrupt(vcpu);
	if (perfmon_write(&vcpu->perfmon, msr, value)) {
		if (!vcpu->perfmon.counting)
			vcpu->counted_block = NULL;
		watch_blocks(vcpu);
		return;
	}
	if (write_deadline(vcpu, msr, value))
		return;
	if (pt_unit_write_msr(&vcpu->unit, msr, value, ip,
			      guest_clock_now(&vcpu->clock)) == PT_MSR_FAULT) {
		refuse(vcpu);
		return;
	}
	if (pt_unit_is_tracing(&vcpu->unit) != was_tracing) {
		flow_restart(vcpu);
		watch_blocks(vcpu);
		vcpu->board->events = pt_unit_wants_events(&vcpu->unit);
	}
}

void emulate_wrmsr_fault(struct vcpu *vcpu)
{
	if (!vcpu->fault_wanted)
		return;
	vcpu->fault_wanted = false;
	guest_write(&vcpu->guest, GUEST_RCX, vcpu->fault_rcx);
}

void emulate_rdpmc(struct vcpu *vcpu, uint64_t ip, uint64_t next)
{
	uint32_t index = (uint32_t)guest_read(&vcpu->guest, GUEST_RCX);

	counting_run(vcpu, ip);
	guest_write_edx_eax(&vcpu->guest, perfmon_rdpmc(&vcpu->perfmon, index));
	qemu_plugin_set_pc(next);
}
