/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/counting.h"

static struct perfmon_now now(struct vcpu *vcpu)
{
	return (struct perfmon_now){ {
		[PERFMON_CYCLES] = guest_clock_now(&vcpu->clock),
		[PERFMON_INSTRUCTIONS] = vcpu->board->retired,
		[PERFMON_BRANCHES] = vcpu->branches,
		[PERFMON_FAR_BRANCHES] = vcpu->far_branches,
	} };
}

/* Counts the branch at the end of the previous block, which the CPU has left,
 * unless an exception in the middle of that block was the reason.
 */
static void count_branch(struct vcpu *vcpu)
{
	const struct block *block = vcpu->counted_block;

	if (!block || !vcpu->board->last_began)
		return;
	vcpu->branches += block->branch != PT_BRANCH_NONE;
	vcpu->far_branches += block->branch == PT_BRANCH_FAR ||
			      block->branch == PT_BRANCH_IRET;
}

void counting_run(struct vcpu *vcpu, uint64_t ip)
{
	struct perfmon_now until = now(vcpu);

	if (perfmon_advance(&vcpu->perfmon, &until, ip >> 63))
		vcpu->counter_overflowed = true;
}

void counting_block(struct vcpu *vcpu, const struct block *block)
{
	count_branch(vcpu);
	counting_run(vcpu, block->start);
	counting_interrupt(vcpu);
	vcpu->counted_block = block;
	/* While the unit traces, flow_block() still needs the value. */
	if (!pt_unit_is_tracing(&vcpu->unit))
		vcpu->board->last_began = 0;
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
