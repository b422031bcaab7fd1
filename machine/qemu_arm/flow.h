/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_FLOW_H
#define KT_MACHINE_QEMU_ARM_FLOW_H

#include "machine/qemu_arm/vcpu.h"

/* Converts QEMU's blocks and discontinuities into executed branches.
 *
 * QEMU reports the start of a block but not its end. A block's last instruction
 * has executed when the next block starts, unless an exception names that
 * instruction. A block may also be left in the middle: by an exception, by a
 * device access that QEMU executes again in a separate block, which is not
 * reported, and by instructions that the plugin emulates.
 */

/* Reports that @block starts. Must be called only while the unit is enabled. */
void flow_block(struct vcpu *vcpu, const struct block *block);

/* Report an interrupt or another exception. @from is its preferred return
 * address, @to its vector.
 */
void flow_interrupt(struct vcpu *vcpu, uint64_t from, uint64_t to);
void flow_exception(struct vcpu *vcpu, uint64_t from, uint64_t to);

/* Reports that the unit is enabled or disabled. */
void flow_restart(struct vcpu *vcpu);

#endif
