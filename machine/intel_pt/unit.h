/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_INTEL_PT_UNIT_H
#define KT_MACHINE_INTEL_PT_UNIT_H

#include "machine/intel_pt/encoder.h"
#include "machine/intel_pt/output.h"
#include "machine/intel_pt/registers.h"
#include "machine/intel_pt/timing.h"
#include "machine/unit/loss.h"

#include <stdbool.h>
#include <stdint.h>

/* The Intel PT unit of one CPU, independent of the CPU.
 *
 * The CPU's emulator reports in order: register accesses, every retired branch,
 * every asynchronous transfer, and the position before execution continues. The
 * unit filters (TriggerEn, ContextEn and FilterEn give PacketEn) and writes
 * packets to memory. Times are guest TSC values and do not decrease.
 */
struct pt_unit {
	struct pt_registers registers;
	struct pt_output output;
	struct pt_timing timing;
	struct pt_encoder encoder;
	struct unit_loss loss;
	struct pt_bus bus;
	uint64_t cr3;
	struct pt_mode mode;  /* of the current code */
	bool packet_en;	      /* between TIP.PGE and TIP.PGD */
	bool psb_due;	      /* regardless of PacketByteCnt */
	bool time_due;	      /* TraceEn was just set */
	unsigned power_state; /* C-state of the last PWRE; 0: awake */
};

enum pt_branch {
	PT_BRANCH_NONE,
	PT_BRANCH_CONDITIONAL,
	PT_BRANCH_JUMP,
	PT_BRANCH_CALL,
	PT_BRANCH_INDIRECT_JUMP,
	PT_BRANCH_INDIRECT_CALL,
	PT_BRANCH_RETURN,
	PT_BRANCH_FAR, /* syscall, sysret, int n, lcall … */
	PT_BRANCH_IRET,
};

/* Copies @bus and @rates. @loss_interval: see unit/loss.h, 0 for none. */
void pt_unit_init(struct pt_unit *unit, const struct pt_bus *bus,
		  const struct pt_rates *rates, uint64_t loss_interval);

/* Returns TraceEn. */
bool pt_unit_is_tracing(const struct pt_unit *unit);

/* rdmsr. Afterwards memory contains all packets. */
enum pt_msr_result pt_unit_read_msr(struct pt_unit *unit, uint32_t msr,
				    uint64_t *value);

/* wrmsr at @ip. Tracing starts after, or ends before, that instruction. */
enum pt_msr_result pt_unit_write_msr(struct pt_unit *unit, uint32_t msr,
				     uint64_t value, uint64_t ip, uint64_t tsc);

/* Reports a retired branch to @to. @next is the instruction after the branch.
 */
void pt_unit_branch(struct pt_unit *unit, enum pt_branch kind, uint64_t next,
		    uint64_t to, uint64_t tsc);

/* Reports an interrupt or exception: @from did not retire, and execution
 * continues at @to. Also reports a software interrupt, which is @from itself.
 */
void pt_unit_async(struct pt_unit *unit, uint64_t from, uint64_t to,
		   uint64_t tsc);

/* Reports that a virtual machine runs from now on, which the unit does not
 * trace, until pt_unit_arrive(). Everything before must have been reported.
 */
void pt_unit_enter_machine(struct pt_unit *unit, uint64_t tsc);

/* Reports that the CPU is at @ip. Everything before must have been reported. */
void pt_unit_arrive(struct pt_unit *unit, uint64_t ip, uint64_t tsc);

/* Reports the mode of the following code: CS.L and CS.D. Must be called before
 * the transfer to that code is reported.
 */
void pt_unit_mode(struct pt_unit *unit, bool cs_l, bool cs_d);

/* Report RFLAGS.IF: with the mode at a transfer, or as written by an
 * instruction that is not a transfer (CLI, STI, POPF) before @next.
 */
void pt_unit_interrupt_flag(struct pt_unit *unit, bool enabled);
void pt_unit_flag_written(struct pt_unit *unit, bool enabled, uint64_t next,
			  uint64_t tsc);

/* Returns whether Event Trace is on, which needs the interrupt flag (IF) and
 * the reports of the next two functions.
 */
bool pt_unit_wants_events(const struct pt_unit *unit);

/* The cause of the asynchronous transfer that is reported next. */
struct pt_interrupt {
	uint8_t vector;
	bool has_address; /* it is a page fault */
	uint64_t address; /* CR2 */
};

void pt_unit_interrupt(struct pt_unit *unit,
		       const struct pt_interrupt *interrupt, uint64_t from,
		       uint64_t to, uint64_t tsc);

/* Reports that the next reported branch is an IRET at @ip. */
void pt_unit_iret(struct pt_unit *unit, uint64_t ip, uint64_t to, uint64_t tsc);

/* Reports that CR3 is @cr3: written by MOV CR3 at kernel address @ip if @moved,
 * otherwise only made known.
 */
void pt_unit_cr3(struct pt_unit *unit, uint64_t cr3, bool moved, uint64_t ip,
		 uint64_t tsc);

/* Report that the instruction at @ip stops the CPU: HLT, or MWAIT with these
 * operands.
 */
void pt_unit_halts(struct pt_unit *unit, uint64_t ip, uint64_t tsc);
void pt_unit_mwait(struct pt_unit *unit, uint32_t hints, uint32_t extensions,
		   uint64_t ip, uint64_t tsc);

/* Reports that the CPU was halted from @halted to @tsc. */
void pt_unit_slept(struct pt_unit *unit, uint64_t halted, uint64_t tsc);

/* Reports PTWRITE at @ip with an operand of @size (4 or 8) bytes. */
void pt_unit_ptwrite(struct pt_unit *unit, uint64_t value, unsigned size,
		     uint64_t ip, uint64_t tsc);

#endif
