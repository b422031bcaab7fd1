/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_FLOW_H
#define KT_MACHINE_QEMU_FLOW_H

#include "machine/qemu/plugin_api.h"
#include "machine/qemu/vcpu.h"

/* From QEMU's blocks and discontinuities to retired branches.
 *
 * QEMU reports that a block begins, not that it ended.  A block's last
 * instruction has retired when the next block begins, unless a fault names
 * that instruction; a block may also be left in its middle: by a fault, or by
 * a device access that QEMU executes again in a block of its own, which is
 * not reported.
 */

/* @block begins.  Called only while TraceEn is set. */
void flow_block(struct vcpu *vcpu, const struct block *block);

/* An exception was raised: what is delivered next is that exception. */
void flow_raised(struct vcpu *vcpu);

/* An interrupt, or the exception that was raised, is delivered: @from is the
 * instruction that it kept from running or that raised it, @to its handler.
 */
void flow_delivered(struct vcpu *vcpu, uint64_t from, uint64_t to);

/* TraceEn changes, at the last instruction of a block. */
void flow_restart(struct vcpu *vcpu);

#endif
