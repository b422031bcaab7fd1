/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_X86_BRANCH_H
#define KT_MACHINE_QEMU_X86_BRANCH_H

#include "machine/intel_pt/unit.h"

#include <stddef.h>
#include <stdint.h>

/* Returns the kind of branch of the instruction @bytes in 64-bit or 32-bit
 * mode.
 *
 * Source: SDM volume 3, "Intel Processor Trace", table of change-of-flow
 * instructions; volume 2, opcode maps.
 */
enum pt_branch x86_branch(const uint8_t *bytes, size_t size);

/* Returns whether the instruction is int n, int3, int1 or into: far branches
 * that QEMU reports as exceptions.
 */
bool x86_is_software_interrupt(const uint8_t *bytes, size_t size);

/* int3, which replaces an instruction while it is being patched. */
enum { X86_INT3 = 0xcc };

/* Instructions that the trace unit has to observe or emulate. */
enum x86_special {
	X86_ORDINARY,
	X86_CPUID,
	X86_RDMSR,
	X86_WRMSR,
	X86_RDTSC, /* and rdtscp */
	X86_RDPMC,
	X86_MOV_TO_CR3,
	X86_HLT,
	X86_MWAIT,
	X86_CLI,
	X86_STI,
	X86_POPF,
	X86_PTWRITE,
};

enum x86_special x86_special(const uint8_t *bytes, size_t size);

/* Returns whether the instruction is vmrun. */
bool x86_enters_machine(const uint8_t *bytes, size_t size);

/* Returns whether the instruction is a 16-bit store of the form in Linux's
 * iowrite16() (lib/iomap.c), which may ring a device's doorbell.
 */
bool x86_may_ring(const uint8_t *bytes, size_t size);

#endif
