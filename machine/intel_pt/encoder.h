/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_INTEL_PT_ENCODER_H
#define KT_MACHINE_INTEL_PT_ENCODER_H

#include "machine/intel_pt/packet.h"
#include "machine/intel_pt/return_stack.h"
#include "machine/intel_pt/timing.h"

#include <stdbool.h>
#include <stdint.h>

/* The packets of control flow, with the state they are compressed against:
 * pending TNT bits, the last IP, the return stack. The encoder does not filter;
 * its caller decides which packets to send (unit.h). Every function takes the
 * TSC of the event.
 */
struct pt_encoder {
	struct pt_output *output;
	struct pt_timing *timing;
	struct pt_return_stack returns;
	uint64_t last_ip;
	bool last_ip_valid; /* a decoder has the same last_ip */
	uint64_t tnt_bits;
	unsigned tnt_count;
	uint64_t tnt_tsc;    /* of the newest bit */
	struct pt_mode mode; /* as last sent in MODE.Exec */
};

void pt_encoder_init(struct pt_encoder *encoder, struct pt_output *output,
		     struct pt_timing *timing);

/* Resets the state that packets are compressed against, including pending TNT
 * bits, because TraceEn was set or packets were lost.
 */
void pt_encoder_forget(struct pt_encoder *encoder);

/* Writes pending TNT bits. */
void pt_encoder_flush_tnt(struct pt_encoder *encoder);

/* Writes the time packets due by @tsc, after older TNT bits. */
void pt_encoder_time(struct pt_encoder *encoder, uint64_t tsc);

/* Adds a conditional branch, or a compressed return (taken). */
void pt_encoder_tnt(struct pt_encoder *encoder, bool taken, uint64_t tsc);

/* Writes TIP, TIP.PGE, TIP.PGD or FUP with its payload compressed. */
void pt_encoder_ip(struct pt_encoder *encoder, enum pt_ip_packet packet,
		   uint64_t ip, uint64_t tsc);

/* Writes TIP.PGD without payload: execution left the context, not the address
 * range.
 */
void pt_encoder_pgd_no_ip(struct pt_encoder *encoder, uint64_t tsc);

/* Adds a near call: a matching return may be compressed against it. */
void pt_encoder_call(struct pt_encoder *encoder, uint64_t return_address);

/* Writes a near return to @target, as a TNT bit or a TIP. */
void pt_encoder_return(struct pt_encoder *encoder, uint64_t target,
		       uint64_t tsc);

/* Writes MODE.Exec unless @mode equals the last sent mode. Returns true if it
 * was written; a lost packet counts as not sent.
 */
bool pt_encoder_mode(struct pt_encoder *encoder, struct pt_mode mode,
		     uint64_t tsc);

void pt_encoder_pip(struct pt_encoder *encoder, uint64_t cr3, uint64_t tsc);

/* Writes a PSB+ (SDM, "Packet Stream Boundary (PSB)"). @ip is the CPU's
 * position, or NULL while packet generation is off. @cr3 is NULL unless OS is
 * traced.
 */
void pt_encoder_psb(struct pt_encoder *encoder, const uint64_t *ip,
		    const uint64_t *cr3, uint64_t tsc);

/* Writes OVF with the time, and with the position unless packet generation is
 * off (NULL).
 */
void pt_encoder_overflow(struct pt_encoder *encoder, const uint64_t *ip,
			 uint64_t tsc);

void pt_encoder_trace_stop(struct pt_encoder *encoder, uint64_t tsc);

/* Writes PTWRITE at @ip with an operand of @size bytes, and its FUP if
 * FUPonPTW.
 */
void pt_encoder_ptwrite(struct pt_encoder *encoder, uint64_t value,
			unsigned size, uint64_t ip, uint64_t tsc);

/* Writes CFE, preceded by EVD with the address of a page fault (NULL: none).
 * @ip is the event's position if no other packet has it, otherwise NULL.
 */
void pt_encoder_event(struct pt_encoder *encoder, enum pt_flow_event event,
		      uint8_t vector, const uint64_t *fault, const uint64_t *ip,
		      uint64_t tsc);

/* Writes MWAIT with these operands. */
void pt_encoder_mwait(struct pt_encoder *encoder, uint32_t hints,
		      uint32_t extensions, uint64_t tsc);

/* Writes PWRE and EXSTOP. @ip is the last instruction, or NULL out of context.
 */
void pt_encoder_power_entry(struct pt_encoder *encoder, unsigned state,
			    unsigned sub_state, const uint64_t *ip,
			    uint64_t tsc);

/* Writes PWRX: an interrupt woke the core from @state. */
void pt_encoder_power_exit(struct pt_encoder *encoder, unsigned state,
			   uint64_t tsc);

#endif
