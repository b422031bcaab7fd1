/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/counting.h"

static struct perfmon_now now(struct vcpu *vcpu)
{
	return (struct perfmon_now){
		.cycles = guest_clock_now(&vcpu->clock),
		.instructions = vcpu->board->retired,
	};
}

void counting_run(struct vcpu *vcpu, uint64_t ip)
{
	struct perfmon_now until = now(vcpu);

	if (perfmon_advance(&vcpu->perfmon, &until, ip >> 63))
		vcpu->counter_overflowed = true;
}

void counting_interrupt(struct vcpu *vcpu)
{
	if (vcpu->counter_overflowed)
		perfmon_interrupt(&vcpu->guest);
	vcpu->counter_overflowed = false;
}

void counting_woke(struct vcpu *vcpu)
{
	struct perfmon_now until = now(vcpu);

	perfmon_skip(&vcpu->perfmon, &until);
}
