/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_EMULATE_H
#define KT_MACHINE_QEMU_ARM_EMULATE_H

#include "machine/qemu_arm/vcpu.h"

#include <stdint.h>

/* The instructions with which software detects and programs the trace unit. */

/* Executes MRS or MSR @insn at @ip of a register of the unit, which QEMU does
 * not implement. Does not return.
 */
void emulate_access(struct vcpu *vcpu, uint32_t insn, uint64_t ip);

/* emulate_reading() is called before MRS @insn of a register that QEMU
 * implements. If it sets board->pending, emulate_finish() is called before the
 * next instruction.
 */
void emulate_reading(struct vcpu *vcpu, enum vcpu_pending what, uint32_t insn);
void emulate_finish(struct vcpu *vcpu);

#endif
