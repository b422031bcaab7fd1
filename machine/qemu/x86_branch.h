/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_X86_BRANCH_H
#define KT_MACHINE_QEMU_X86_BRANCH_H

#include "machine/intel_pt/unit.h"

#include <stddef.h>
#include <stdint.h>

/* Returns what kind of branch the 64-bit or 32-bit mode instruction @bytes is.
 *
 * Source: SDM volume 3, "Intel Processor Trace", table of change-of-flow
 * instructions; volume 2, opcode maps.
 */
enum pt_branch x86_branch(const uint8_t *bytes, size_t size);

/* int n, int3, int1, into: far branches that QEMU reports as exceptions. */
bool x86_is_software_interrupt(const uint8_t *bytes, size_t size);

/* int3: stands in for an instruction that is being changed. */
enum { X86_INT3 = 0xcc };

/* Instructions that the trace unit has to see or to stand in for. */
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

/* A 16-bit store of the form that Linux's iowrite16() has (lib/iomap.c), which
 * may be to a device's doorbell.
 */
bool x86_may_ring(const uint8_t *bytes, size_t size);

#endif
