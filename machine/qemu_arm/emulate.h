/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_EMULATE_H
#define KT_MACHINE_QEMU_ARM_EMULATE_H

#include "machine/qemu_arm/vcpu.h"

#include <stdint.h>

/* Instructions by which software finds and programs the trace unit. */

/* MRS or MSR @insn at @ip of one of the unit's registers, of which QEMU knows
 * nothing.  Does not return.
 */
void emulate_access(struct vcpu *vcpu, uint32_t insn, uint64_t ip);

/* MRS @insn of a register that QEMU has is about to be executed; called before
 * the instruction after it if board->pending was set.
 */
void emulate_reading(struct vcpu *vcpu, enum vcpu_pending what, uint32_t insn);
void emulate_finish(struct vcpu *vcpu);

#endif
