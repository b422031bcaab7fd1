/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ARM_ETE_ENCODER_H
#define KT_MACHINE_ARM_ETE_ENCODER_H

#include "machine/arm_ete/address.h"
#include "machine/arm_ete/atoms.h"
#include "machine/arm_ete/fault.h"
#include "machine/arm_ete/registers.h"
#include "machine/arm_ete/return_stack.h"
#include "machine/arm_ete/trace_buffer.h"

#include <stdbool.h>
#include <stdint.h>

/* The time of an event. Neither count ever decreases. */
struct ete_time {
	uint64_t timestamp; /* the generic timer's count */
	bool known;	    /* false: no timestamp can be sent */
	uint64_t cycles;
};

/* Turns trace elements into packets: collects atoms, compresses addresses and
 * timestamps, and adds cycle counts to their elements.
 */
struct ete_encoder {
	const struct ete_registers *registers; /* borrowed */
	struct trace_buffer *buffer;	       /* borrowed */
	struct ete_atoms atoms;
	struct ete_addresses addresses;
	struct ete_return_stack returns;
	struct ete_context context; /* as known to a decoder */
	bool context_known;
	uint64_t last_timestamp;
	/* last_timestamp as it was sent: a fault may have altered it */
	uint64_t sent_timestamp;
	uint64_t counted_cycles; /* up to the last cycle count */
	uint64_t since_sync;	 /* bytes since the last A-sync */
	bool discarding;	 /* packets are being lost */
	struct unit_fault fault;
};

void ete_encoder_init(struct ete_encoder *encoder,
		      const struct ete_registers *registers,
		      struct trace_buffer *buffer);

/* Resets the state except the fault: the unit was enabled at @time, and nothing
 * has been sent.
 */
void ete_encoder_restart(struct ete_encoder *encoder,
			 const struct ete_time *time);

/* Writes A-sync and Trace Info. An address with context must follow. */
void ete_encoder_sync(struct ete_encoder *encoder);
bool ete_encoder_sync_is_due(const struct ete_encoder *encoder);

/* Writes that packets were lost. All state that a decoder needs must be sent
 * again after it. Returns false if the fault suppressed this packet.
 */
bool ete_encoder_overflow(struct ete_encoder *encoder);

void ete_encoder_trace_on(struct ete_encoder *encoder);

/* Adds a branch or an ISB, @taken or not. */
void ete_encoder_atom(struct ete_encoder *encoder, bool taken,
		      const struct ete_time *time);

/* Adds a branch with link: a return to @next needs no address. */
void ete_encoder_link(struct ete_encoder *encoder, uint64_t next);

/* Returns true if the indirect branch to @target needs no address. */
bool ete_encoder_returns_to(struct ete_encoder *encoder, uint64_t target);

/* Writes that execution continues at @address in @context. The context is sent
 * if it has changed.
 */
void ete_encoder_address(struct ete_encoder *encoder, uint64_t address,
			 const struct ete_context *context);
void ete_encoder_context(struct ete_encoder *encoder,
			 const struct ete_context *context);

void ete_encoder_exception(struct ete_encoder *encoder, enum ete_exception type,
			   uint64_t return_address,
			   const struct ete_time *time);

void ete_encoder_timestamp(struct ete_encoder *encoder,
			   const struct ete_time *time);

/* Writes all atoms as packets, and all packets to memory. */
void ete_encoder_drain(struct ete_encoder *encoder);

#endif
