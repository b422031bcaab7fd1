/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_FLOW_H
#define KT_MACHINE_QEMU_ARM_FLOW_H

#include "machine/qemu_arm/vcpu.h"

/* From QEMU's blocks and discontinuities to executed branches.
 *
 * QEMU reports that a block begins, not that it ended.  A block's last
 * instruction was executed when the next block begins, unless an exception
 * names that instruction; a block may also be left in its middle: by an
 * exception, by a device access that QEMU executes again in a block of its
 * own, which is not reported, and by instructions that are emulated here.
 */

/* @block begins.  Called only while the unit is enabled. */
void flow_block(struct vcpu *vcpu, const struct block *block);

/* An interrupt, or another exception, is taken: @from is the instruction to
 * which it returns by preference, @to its vector.
 */
void flow_interrupt(struct vcpu *vcpu, uint64_t from, uint64_t to);
void flow_exception(struct vcpu *vcpu, uint64_t from, uint64_t to);

/* The unit is enabled or disabled. */
void flow_restart(struct vcpu *vcpu);

#endif
