/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_VCPU_H
#define KT_MACHINE_QEMU_VCPU_H

#include "machine/intel_pt/unit.h"
#include "machine/qemu/block.h"
#include "machine/qemu/deadline.h"
#include "machine/qemu/guest_clock.h"
#include "machine/qemu/idt.h"
#include "machine/qemu/perfmon.h"
#include "machine/qemu/vcpu_board.h"
#include "machine/qemu/x86_registers.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* An instruction that QEMU executes and whose result is corrected afterwards.
 */
enum vcpu_pending {
	VCPU_PENDING_NONE,
	VCPU_PENDING_CPUID,
	VCPU_PENDING_RDMSR,
	VCPU_PENDING_RDTSC,
};

/* The IF values that instructions of the current block write: CLI may be in its
 * middle, STI and POPF end it.
 */
enum { VCPU_FLAG_WRITES = 2 };

struct vcpu_flag_write {
	bool enabled;
	uint64_t next; /* the next instruction */
};

/* A virtual CPU: its trace unit and the state that drives it. */
struct vcpu {
	struct vcpu_board *board;
	struct guest guest;
	struct guest_clock clock;
	struct idt idt;
	struct perfmon perfmon;
	struct deadline deadline;
	struct pt_unit unit;
	const struct block *block; /* the executing block; NULL: unknown */
	uint64_t block_start;	   /* its address in this execution */
	/* an exception was raised and not delivered yet */
	bool raised;
	bool cr3_moved; /* the last instruction wrote CR3 */
	/* where the virtual machine that it runs returns; 0: it runs none */
	uint64_t machine_exit;
	bool mwait; /* CPUID announces MWAIT */
	bool halted;
	uint64_t halted_tsc;
	bool fault_wanted; /* wrmsr was turned into one that faults */
	uint64_t fault_rcx;
	struct vcpu_flag_write flag_writes[VCPU_FLAG_WRITES];
	unsigned flag_write_count; /* not reported yet */
	bool counter_overflowed;   /* the interrupt is pending */
	/* While a counter counts: the executing block, NULL if unknown, and the
	 * branches at the ends of earlier ones.
	 */
	const struct block *counted_block;
	uint64_t branches, far_branches;
	enum vcpu_pending pending;
	uint32_t cpuid_leaf, cpuid_subleaf;
	uint64_t msr_value;
	FILE *dump; /* copy of the unit's output, or NULL */
};

#endif
