/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_EMULATE_H
#define KT_MACHINE_QEMU_EMULATE_H

#include "machine/qemu/vcpu.h"

#include <stdint.h>

/* Instructions by which software finds and programs the trace unit.
 *
 * QEMU executes them too, without knowing the unit; each function is called
 * before the instruction, and emulate_finish() before the one after it if
 * board->pending was set, to put the outcome right.
 */
void emulate_cpuid(struct vcpu *vcpu);
void emulate_rdmsr(struct vcpu *vcpu, uint64_t ip);
void emulate_rdtsc(struct vcpu *vcpu);
void emulate_finish(struct vcpu *vcpu);

/* wrmsr at @ip, followed by @next.  A write that the unit refuses is turned
 * into one that QEMU refuses: the guest gets its #GP.
 */
void emulate_wrmsr(struct vcpu *vcpu, uint64_t ip);
/* That fault is being taken: gives the guest its ECX back. */
void emulate_wrmsr_fault(struct vcpu *vcpu);

/* rdpmc at @ip, which QEMU does not have.  Does not return. */
void emulate_rdpmc(struct vcpu *vcpu, uint64_t ip, uint64_t next);

/* ptwrite, which QEMU does not have. Does not return, unless memory cannot
 * be read: QEMU then raises its invalid opcode.
 */
struct ptwrite_insn {
	uint64_t ip, next;
	uint8_t bytes[15];
	uint8_t size;
};
void emulate_ptwrite(struct vcpu *vcpu, const struct ptwrite_insn *insn);

#endif
