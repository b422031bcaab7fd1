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

/* An interrupt or exception is taken.  Called at any time. */
void flow_discontinuity(struct vcpu *vcpu, enum qemu_plugin_discon_type type,
			uint64_t from, uint64_t to);

/* TraceEn changes, at the last instruction of a block. */
void flow_restart(struct vcpu *vcpu);

#endif
