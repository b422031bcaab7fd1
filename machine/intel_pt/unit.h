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

/* The Intel PT unit of one CPU, without the CPU.
 *
 * Whoever executes instructions reports, in order: register accesses, every
 * retired branch, every asynchronous transfer, and where the CPU is before it
 * goes on.  The unit filters (TriggerEn, ContextEn, FilterEn make PacketEn)
 * and writes packets to memory.  Times are guest TSC values and do not
 * decrease.
 */
struct pt_unit {
	struct pt_registers registers;
	struct pt_output output;
	struct pt_timing timing;
	struct pt_encoder encoder;
	struct unit_loss loss;
	struct pt_bus bus;
	uint64_t cr3;
	struct pt_mode mode;  /* that code runs in */
	bool packet_en;	      /* between TIP.PGE and TIP.PGD */
	bool psb_due;	      /* whatever PacketByteCnt says */
	bool time_due;	      /* TraceEn was set a moment ago */
	unsigned power_state; /* C-state that PWRE said, 0: awake */
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

/* @loss_interval: see unit/loss.h, 0 for none.  Copies @bus and @rates. */
void pt_unit_init(struct pt_unit *unit, const struct pt_bus *bus,
		  const struct pt_rates *rates, uint64_t loss_interval);

/* TraceEn. */
bool pt_unit_is_tracing(const struct pt_unit *unit);

/* rdmsr; memory holds all packets afterwards. */
enum pt_msr_result pt_unit_read_msr(struct pt_unit *unit, uint32_t msr,
				    uint64_t *value);

/* wrmsr at @ip; tracing begins after and ends before that instruction. */
enum pt_msr_result pt_unit_write_msr(struct pt_unit *unit, uint32_t msr,
				     uint64_t value, uint64_t ip, uint64_t tsc);

/* A branch retired and went to @to; @next is the instruction after it. */
void pt_unit_branch(struct pt_unit *unit, enum pt_branch kind, uint64_t next,
		    uint64_t to, uint64_t tsc);

/* An interrupt or exception: @from did not retire, execution goes on at @to.  Or
 * a software interrupt, which is @from.
 */
void pt_unit_async(struct pt_unit *unit, uint64_t from, uint64_t to,
		   uint64_t tsc);

/* The CPU is at @ip, everything before has been reported. */
void pt_unit_arrive(struct pt_unit *unit, uint64_t ip, uint64_t tsc);

/* The mode that code runs in from here: CS.L and CS.D.  Reported before the
 * transfer that leads there.
 */
void pt_unit_mode(struct pt_unit *unit, bool cs_l, bool cs_d);

/* RFLAGS.IF is @enabled, reported as the mode is; or an instruction that is no
 * transfer (CLI, STI, POPF) made it so before @next.
 */
void pt_unit_interrupt_flag(struct pt_unit *unit, bool enabled);
void pt_unit_flag_written(struct pt_unit *unit, bool enabled, uint64_t next,
			  uint64_t tsc);

/* Event Trace asks for IF and for what the next two functions report. */
bool pt_unit_wants_events(const struct pt_unit *unit);

/* The asynchronous transfer that is about to be reported has this cause. */
struct pt_interrupt {
	uint8_t vector;
	bool has_address; /* a page fault: */
	uint64_t address; /* CR2 */
};

void pt_unit_interrupt(struct pt_unit *unit,
		       const struct pt_interrupt *interrupt, uint64_t from,
		       uint64_t to, uint64_t tsc);

/* The branch that is about to be reported is an IRET at @ip. */
void pt_unit_iret(struct pt_unit *unit, uint64_t ip, uint64_t to, uint64_t tsc);

/* CR3 got @cr3: by MOV CR3 at kernel address @ip if @moved, else it is only
 * made known.
 */
void pt_unit_cr3(struct pt_unit *unit, uint64_t cr3, bool moved, uint64_t ip,
		 uint64_t tsc);

/* The instruction at @ip stops the CPU: HLT, or MWAIT with these operands. */
void pt_unit_halts(struct pt_unit *unit, uint64_t ip, uint64_t tsc);
void pt_unit_mwait(struct pt_unit *unit, uint32_t hints, uint32_t extensions,
		   uint64_t ip, uint64_t tsc);

/* The CPU was halted from @halted to @tsc. */
void pt_unit_slept(struct pt_unit *unit, uint64_t halted, uint64_t tsc);

/* PTWRITE at @ip of an operand of @size (4 or 8) bytes. */
void pt_unit_ptwrite(struct pt_unit *unit, uint64_t value, unsigned size,
		     uint64_t ip, uint64_t tsc);

#endif
