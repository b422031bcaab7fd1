/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu_arm/emulate.h"
#include "machine/qemu_arm/a64.h"
#include "machine/qemu_arm/flow.h"

enum { TRFCR_EL1 = A64_REGISTER(3, 0, 1, 2, 1) };

static bool is_trc(unsigned which)
{
	return which >> 14 == 2;
}

/* CRn[2:0], op2, CRm. */
static unsigned trc_offset(unsigned which)
{
	unsigned crn = which >> 7 & 7, crm = which >> 3 & 15, op2 = which & 7;

	return (crn << 7 | op2 << 4 | crm) * 4;
}

static uint64_t read_register(struct vcpu *vcpu, unsigned which)
{
	if (is_trc(which))
		return ete_unit_read(&vcpu->unit, trc_offset(which));
	if (which == TRFCR_EL1)
		return vcpu->unit.registers.trfcr;
	return ete_unit_read_buffer(&vcpu->unit, which & 7);
}

static void write_register(struct vcpu *vcpu, unsigned which, uint64_t value)
{
	struct ete_time now = guest_clock_now(&vcpu->clock);
	bool was_enabled = ete_unit_is_enabled(&vcpu->unit);

	if (is_trc(which))
		ete_unit_write(&vcpu->unit, trc_offset(which), value, &now);
	else if (which == TRFCR_EL1)
		ete_unit_write_permission(&vcpu->unit, value);
	else
		ete_unit_write_buffer(&vcpu->unit, which & 7, value);
	if (ete_unit_is_enabled(&vcpu->unit) == was_enabled)
		return;
	flow_restart(vcpu);
	vcpu->board->watched = !was_enabled;
}

void emulate_access(struct vcpu *vcpu, uint32_t insn, uint64_t ip)
{
	unsigned which = a64_system_register(insn);
	unsigned operand = a64_target(insn);

	if (a64_is_read(insn))
		guest_write_operand(&vcpu->guest, operand,
				    read_register(vcpu, which));
	else
		write_register(vcpu, which,
			       guest_read_operand(&vcpu->guest, operand));
	qemu_plugin_set_pc(ip + A64_INSN_SIZE);
}

void emulate_reading(struct vcpu *vcpu, enum vcpu_pending what, uint32_t insn)
{
	if (what == VCPU_PENDING_COUNTER)
		guest_clock_before_reading(&vcpu->clock);
	vcpu->pending = what;
	vcpu->pending_operand = a64_target(insn);
	vcpu->board->pending = 1;
}

void emulate_finish(struct vcpu *vcpu)
{
	enum vcpu_pending pending = vcpu->pending;
	unsigned operand = vcpu->pending_operand;
	uint64_t value = guest_read_operand(&vcpu->guest, operand);

	vcpu->pending = VCPU_PENDING_NONE;
	vcpu->board->pending = 0;
	if (pending == VCPU_PENDING_DEBUG_FEATURES)
		guest_write_operand(&vcpu->guest, operand,
				    ete_debug_features(value));
	else if (pending == VCPU_PENDING_COUNTER && value)
		guest_clock_after_reading(&vcpu->clock, value);
}
