/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_FLOW_H
#define KT_MACHINE_QEMU_FLOW_H

#include "machine/qemu/plugin_api.h"
#include "machine/qemu/vcpu.h"

/* Converts QEMU's blocks and discontinuities into retired branches.
 *
 * QEMU reports the start of a block but not its end. A block's last instruction
 * has retired when the next block starts, unless a fault names that
 * instruction. A block may also be left in the middle: by a fault, or by a
 * device access that QEMU executes again in a separate block, which is not
 * reported.
 */

/* Reports that @block starts. Must be called only while TraceEn is set. */
void flow_block(struct vcpu *vcpu, const struct block *block);

/* Reports that an exception was raised. The next delivery is this exception. */
void flow_raised(struct vcpu *vcpu);

/* Reports that an interrupt, or the raised exception, is delivered. @from is
 * the instruction that it prevented from running or that raised it, @to its
 * handler.
 */
void flow_delivered(struct vcpu *vcpu, uint64_t from, uint64_t to);

/* Reports a change of TraceEn, at the last instruction of a block. */
void flow_restart(struct vcpu *vcpu);

#endif
