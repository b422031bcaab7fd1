/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/events.h"

enum {
	RFLAGS_IF = 1 << 9,
	VECTOR_PAGE_FAULT = 14,
};

void events_tell_flag(struct vcpu *vcpu, uint64_t rflags)
{
	if (pt_unit_wants_events(&vcpu->unit))
		pt_unit_interrupt_flag(&vcpu->unit, rflags & RFLAGS_IF);
}

/* Returns the IF that POPF will load from the stack. If the stack cannot be
 * read, returns the current IF, because POPF will fault.
 */
static bool popped_flag(struct vcpu *vcpu)
{
	uint64_t flags = guest_read(&vcpu->guest, GUEST_EFLAGS);

	guest_read_virtual(&vcpu->guest, guest_read(&vcpu->guest, GUEST_RSP),
			   &flags, sizeof(flags));
	return flags & RFLAGS_IF;
}

void events_flag_written(struct vcpu *vcpu, enum x86_special insn,
			 uint64_t next)
{
	bool enabled = insn == X86_POPF ? popped_flag(vcpu) : insn == X86_STI;

	unsigned count = vcpu->flag_write_count;

	/* A second CLI changes nothing. */
	if (count == VCPU_FLAG_WRITES ||
	    (count && vcpu->flag_writes[count - 1].enabled == enabled))
		return;
	vcpu->flag_writes[count].enabled = enabled;
	vcpu->flag_writes[count].next = next;
	vcpu->flag_write_count++;
}

void events_report_flags(struct vcpu *vcpu)
{
	for (unsigned i = 0; i < vcpu->flag_write_count; i++)
		pt_unit_flag_written(&vcpu->unit, vcpu->flag_writes[i].enabled,
				     vcpu->flag_writes[i].next,
				     guest_clock_now(&vcpu->clock));
	vcpu->flag_write_count = 0;
}

void events_interrupt(struct vcpu *vcpu, uint64_t from, uint64_t to)
{
	struct pt_interrupt interrupt = { 0 };

	if (!pt_unit_wants_events(&vcpu->unit) ||
	    !idt_find(&vcpu->idt, &vcpu->guest, to, &interrupt.vector))
		return;
	interrupt.has_address = interrupt.vector == VECTOR_PAGE_FAULT;
	if (interrupt.has_address)
		interrupt.address = guest_read(&vcpu->guest, GUEST_CR2);
	pt_unit_interrupt(&vcpu->unit, &interrupt, from, to,
			  guest_clock_now(&vcpu->clock));
}

void events_hlt(struct vcpu *vcpu, uint64_t ip)
{
	events_report_flags(vcpu);
	pt_unit_halts(&vcpu->unit, ip, guest_clock_now(&vcpu->clock));
}

void events_mwait(struct vcpu *vcpu, uint64_t ip)
{
	events_report_flags(vcpu);
	pt_unit_mwait(&vcpu->unit,
		      (uint32_t)guest_read(&vcpu->guest, GUEST_RAX),
		      (uint32_t)guest_read(&vcpu->guest, GUEST_RCX), ip,
		      guest_clock_now(&vcpu->clock));
}
