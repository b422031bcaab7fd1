/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_INTEL_PT_PACKET_H
#define KT_MACHINE_INTEL_PT_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Intel PT packets: values to bytes.
 *
 * Pure functions: each writes one packet to @bytes, which must have room for
 * PT_PACKET_MAX, and returns its size. Source: SDM volume 3, chapter "Intel
 * Processor Trace", section "Packet Definitions".
 */
enum { PT_PACKET_MAX = 16 };

/* Packets whose payload is an instruction pointer: opcode in bits 4:0. */
enum pt_ip_packet {
	PT_TIP = 0x0d,
	PT_TIP_PGE = 0x11,
	PT_TIP_PGD = 0x01,
	PT_FUP = 0x1d,
};

/* The compression of the payload: IPBytes, bits 7:5 of the first byte. */
enum pt_ip_bytes {
	PT_IP_NONE = 0,	     /* out of context: no payload */
	PT_IP_UPDATE_16 = 1, /* the upper 48 bits are the last IP's */
	PT_IP_UPDATE_32 = 2,
	PT_IP_SIGN_EXTEND_48 = 3,
	PT_IP_FULL = 6,
};

enum { PT_SHORT_TNT_MAX = 6, PT_LONG_TNT_MAX = 47 };

size_t pt_packet_psb(uint8_t *bytes);
size_t pt_packet_psbend(uint8_t *bytes);
size_t pt_packet_ovf(uint8_t *bytes);
size_t pt_packet_trace_stop(uint8_t *bytes);
/* @tsc: time stamp counter; the low 56 bits are sent. */
size_t pt_packet_tsc(uint8_t *bytes, uint64_t tsc);
/* @ctc: crystal clock ticks, low 16 bits; @fast: TSC ticks since, 9 bits. */
size_t pt_packet_tma(uint8_t *bytes, uint16_t ctc, uint16_t fast);
/* @ctc: bits N+7:N of the crystal clock, 2^N being the period. */
size_t pt_packet_mtc(uint8_t *bytes, uint8_t ctc);
/* @cycles: since the last CYC packet; any value. */
size_t pt_packet_cyc(uint8_t *bytes, uint64_t cycles);
/* @ratio: core clock over the 100 MHz bus clock. */
size_t pt_packet_cbr(uint8_t *bytes, uint8_t ratio);

/* The execution mode of code: MODE.Exec's payload. */
struct pt_mode {
	bool cs_l, cs_d;
	bool interrupts; /* IF; always false without Event Trace */
};

bool pt_mode_same(struct pt_mode a, struct pt_mode b);
size_t pt_packet_mode_exec(uint8_t *bytes, struct pt_mode mode);
size_t pt_packet_mode_tsx(uint8_t *bytes, bool in_tx, bool abort);
/* @cr3: bits 51:5 are sent. */
size_t pt_packet_pip(uint8_t *bytes, uint64_t cr3);
/* @bits: branches, the oldest in the highest of the low @count bits, 1 taken.
 * @count: 1 to 47; up to 6 make a short packet.
 */
size_t pt_packet_tnt(uint8_t *bytes, uint64_t bits, unsigned count);
size_t pt_packet_ip(uint8_t *bytes, enum pt_ip_packet packet,
		    enum pt_ip_bytes ip_bytes, uint64_t ip);
/* @size: of the operand, 4 or 8 bytes; @fup: a FUP follows. */
size_t pt_packet_ptwrite(uint8_t *bytes, uint64_t value, unsigned size,
			 bool fup);

/* Control flow events: CFE's type. */
enum pt_flow_event {
	PT_EVENT_INTERRUPT = 1, /* exceptions as well; has a vector */
	PT_EVENT_IRET = 2,
};

/* @vector: 0 if the event has none; @fup: a FUP follows. */
size_t pt_packet_cfe(uint8_t *bytes, enum pt_flow_event event, uint8_t vector,
		     bool fup);
/* The data of the following CFE: the address of a page fault. */
size_t pt_packet_evd_page_fault(uint8_t *bytes, uint64_t address);

/* @hints, @extensions: MWAIT's operands, EAX and ECX. */
size_t pt_packet_mwait(uint8_t *bytes, uint32_t hints, uint32_t extensions);
/* The thread enters this C-state at software's request. */
size_t pt_packet_pwre(uint8_t *bytes, unsigned state, unsigned sub_state);
/* @fup: a FUP with the last instruction follows. */
size_t pt_packet_exstop(uint8_t *bytes, bool fup);
/* An interrupt woke the core, which had reached no deeper C-state. */
size_t pt_packet_pwrx_interrupt(uint8_t *bytes, unsigned state);

#endif
