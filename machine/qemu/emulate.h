/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_EMULATE_H
#define KT_MACHINE_QEMU_EMULATE_H

#include "machine/qemu/vcpu.h"

#include <stdint.h>

/* The instructions with which software detects and programs the trace unit.
 *
 * QEMU executes them without knowing the unit. Each function is called before
 * the instruction. If board->pending is set, emulate_finish() is called before
 * the next instruction and corrects the result.
 */
void emulate_cpuid(struct vcpu *vcpu);
void emulate_rdmsr(struct vcpu *vcpu, uint64_t ip);
void emulate_rdtsc(struct vcpu *vcpu);
void emulate_finish(struct vcpu *vcpu);

/* Handles wrmsr at @ip. A write that the unit refuses is turned into one that
 * QEMU refuses, so that the guest gets its #GP.
 */
void emulate_wrmsr(struct vcpu *vcpu, uint64_t ip);
/* Restores the guest's ECX when the fault of a refused wrmsr is delivered. */
void emulate_wrmsr_fault(struct vcpu *vcpu);

/* Executes rdpmc at @ip, which QEMU does not implement. Does not return. */
void emulate_rdpmc(struct vcpu *vcpu, uint64_t ip, uint64_t next);

/* Executes ptwrite, which QEMU does not implement. Does not return, unless its
 * memory operand cannot be read: QEMU then raises an invalid opcode.
 */
struct ptwrite_insn {
	uint64_t ip, next;
	uint8_t bytes[15];
	uint8_t size;
};
void emulate_ptwrite(struct vcpu *vcpu, const struct ptwrite_insn *insn);

#endif
