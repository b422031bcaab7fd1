/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ARM_ETE_UNIT_H
#define KT_MACHINE_ARM_ETE_UNIT_H

#include "machine/arm_ete/encoder.h"
#include "machine/arm_ete/registers.h"
#include "machine/arm_ete/trace_buffer.h"
#include "machine/unit/loss.h"

#include <stdbool.h>
#include <stdint.h>

/* The Embedded Trace Extension of one CPU, independent of the CPU.
 *
 * The CPU's emulator reports in order: register accesses, every executed
 * branch, every exception, and the position before execution continues. The
 * unit filters (permission, exception level, address ranges, start and stop
 * points) and writes packets to the trace buffer.
 */
struct ete_unit {
	struct ete_registers registers;
	struct trace_buffer *buffer;
	struct ete_encoder encoder;
	struct unit_loss loss;
	uint32_t context_id;
	bool active;	   /* the current code is traced */
	bool started;	   /* by a start point */
	bool needs_target; /* a decoder does not know the next address */
	bool at_target;	   /* reached by a branch or exception */
	bool sync_due;
	bool was_stopped; /* the buffer's state at the last check */
	bool time_due;
};

enum ete_branch {
	ETE_BRANCH_NONE,
	ETE_BRANCH_CONDITIONAL,
	ETE_BRANCH_DIRECT,
	ETE_BRANCH_LINK,
	ETE_BRANCH_INDIRECT, /* including RET */
	ETE_BRANCH_INDIRECT_LINK,
	ETE_BRANCH_EXCEPTION_RETURN,
	ETE_BRANCH_ISB,
};

/* Copies @bus. @loss_interval: see unit/loss.h, 0 for none. Returns false when
 * out of memory; ete_unit_free() accepts that too.
 */
bool ete_unit_init(struct ete_unit *unit, const struct ete_bus *bus,
		   uint64_t loss_interval);
void ete_unit_free(struct ete_unit *unit);

/* Returns TRCPRGCTLR.EN. */
bool ete_unit_is_enabled(const struct ete_unit *unit);

/* Accesses to TRC* by their offset, TRFCR_EL1 and TRB*. */
uint64_t ete_unit_read(struct ete_unit *unit, unsigned offset);
void ete_unit_write(struct ete_unit *unit, unsigned offset, uint64_t value,
		    const struct ete_time *time);
void ete_unit_write_permission(struct ete_unit *unit, uint64_t trfcr);
uint64_t ete_unit_read_buffer(struct ete_unit *unit, enum trb_register which);
void ete_unit_write_buffer(struct ete_unit *unit, enum trb_register which,
			   uint64_t value);

/* TSB CSYNC: writes the trace of all executed code to memory. */
void ete_unit_drain(struct ete_unit *unit);

/* Reports that CONTEXTIDR_EL1 is @id from now on. */
void ete_unit_context_id(struct ete_unit *unit, uint32_t id);

/* Reports an executed branch to @to. @next is the instruction after the branch.
 */
void ete_unit_branch(struct ete_unit *unit, enum ete_branch kind, uint64_t next,
		     uint64_t to, const struct ete_time *time);

/* Reports that the CPU is at @ip and executes up to before @end. If both are
 * equal, an exception prevents execution.
 */
void ete_unit_arrive(struct ete_unit *unit, uint64_t ip, uint64_t end,
		     const struct ete_time *time);

/* Reports an exception with preferred return address @from. If the CPU had
 * reached @from by a branch, ete_unit_arrive() must have been called.
 */
void ete_unit_exception(struct ete_unit *unit, enum ete_exception type,
			uint64_t from, const struct ete_time *time);

#endif
