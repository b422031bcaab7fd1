/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ARM_ETE_UNIT_H
#define KT_MACHINE_ARM_ETE_UNIT_H

#include "machine/arm_ete/encoder.h"
#include "machine/arm_ete/registers.h"
#include "machine/arm_ete/trace_buffer.h"
#include "machine/unit/loss.h"

#include <stdbool.h>
#include <stdint.h>

/* The Embedded Trace Extension of one CPU, without the CPU.
 *
 * Whoever executes instructions reports, in order: register accesses, every
 * branch that was executed, every exception, and where the CPU is before it
 * goes on.  The unit filters (permission, exception level, address ranges,
 * start and stop points) and writes packets to the trace buffer.
 */
struct ete_unit {
	struct ete_registers registers;
	struct trace_buffer *buffer;
	struct ete_encoder encoder;
	struct unit_loss loss;
	uint32_t context_id;
	bool active;	   /* the code under way is traced */
	bool started;	   /* by a start point */
	bool needs_target; /* the next address is not known to a decoder */
	bool at_target;	   /* a branch or exception has led here */
	bool sync_due;
	bool was_stopped; /* the buffer, when last looked at */
	bool time_due;
};

enum ete_branch {
	ETE_BRANCH_NONE,
	ETE_BRANCH_CONDITIONAL,
	ETE_BRANCH_DIRECT,
	ETE_BRANCH_LINK,
	ETE_BRANCH_INDIRECT, /* RET too */
	ETE_BRANCH_INDIRECT_LINK,
	ETE_BRANCH_EXCEPTION_RETURN,
	ETE_BRANCH_ISB,
};

/* @loss_interval: see unit/loss.h, 0 for none.  Copies @bus.  False when out of
 * memory; free accepts that too.
 */
bool ete_unit_init(struct ete_unit *unit, const struct ete_bus *bus,
		   uint64_t loss_interval);
void ete_unit_free(struct ete_unit *unit);

/* TRCPRGCTLR.EN. */
bool ete_unit_is_enabled(const struct ete_unit *unit);

/* Accesses to TRC* by their offset, TRFCR_EL1 and TRB*. */
uint64_t ete_unit_read(struct ete_unit *unit, unsigned offset);
void ete_unit_write(struct ete_unit *unit, unsigned offset, uint64_t value,
		    const struct ete_time *time);
void ete_unit_write_permission(struct ete_unit *unit, uint64_t trfcr);
uint64_t ete_unit_read_buffer(struct ete_unit *unit, enum trb_register which);
void ete_unit_write_buffer(struct ete_unit *unit, enum trb_register which,
			   uint64_t value);

/* TSB CSYNC: all that was executed is in memory. */
void ete_unit_drain(struct ete_unit *unit);

/* CONTEXTIDR_EL1 is @id from here on. */
void ete_unit_context_id(struct ete_unit *unit, uint32_t id);

/* A branch was executed and went to @to; @next is the instruction after it. */
void ete_unit_branch(struct ete_unit *unit, enum ete_branch kind, uint64_t next,
		     uint64_t to, const struct ete_time *time);

/* The CPU is at @ip and goes on to before @end; if those are equal, an
 * exception keeps it from going on.
 */
void ete_unit_arrive(struct ete_unit *unit, uint64_t ip, uint64_t end,
		     const struct ete_time *time);

/* An exception that returns to @from by preference.  ete_unit_arrive() has
 * been told if the CPU had got there by a branch.
 */
void ete_unit_exception(struct ete_unit *unit, enum ete_exception type,
			uint64_t from, const struct ete_time *time);

#endif
