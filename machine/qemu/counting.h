/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_COUNTING_H
#define KT_MACHINE_QEMU_COUNTING_H

#include "machine/qemu/vcpu.h"

/* The performance counters of a running vCPU. They count block by block; a
 * cycle is a tick of the TSC.
 */

/* Counts up to now. The code at @ip runs next. */
void counting_run(struct vcpu *vcpu, uint64_t ip);

/* Counts up to the start of @block, which runs next, and interrupts the guest
 * if a counter has overflowed.
 */
void counting_block(struct vcpu *vcpu, const struct block *block);

/* Interrupts the guest if a counter has overflowed. QEMU allows this only
 * between blocks and at a block's last instruction.
 */
void counting_interrupt(struct vcpu *vcpu);

/* Skips the time up to now, in which the vCPU was halted. */
void counting_woke(struct vcpu *vcpu);

#endif
