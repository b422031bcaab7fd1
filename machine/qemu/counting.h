/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_COUNTING_H
#define KT_MACHINE_QEMU_COUNTING_H

#include "machine/qemu/vcpu.h"

/* The performance counters of a running vCPU: they count from block to block,
 * a tick of the TSC for each cycle.
 */

/* Counts until now, from where on code at @ip runs. */
void counting_run(struct vcpu *vcpu, uint64_t ip);

/* Interrupts the guest if a counter has overflowed.  QEMU allows that between
 * blocks and at a block's last instruction only.
 */
void counting_interrupt(struct vcpu *vcpu);

/* The vCPU was halted until now. */
void counting_woke(struct vcpu *vcpu);

#endif
