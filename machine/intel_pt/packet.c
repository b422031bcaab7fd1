/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/intel_pt/packet.h"

#include <assert.h>

static void put_le(uint8_t *bytes, uint64_t value, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
}

static size_t extended(uint8_t *bytes, uint8_t opcode)
{
	bytes[0] = 0x02;
	bytes[1] = opcode;
	return 2;
}

size_t pt_packet_psb(uint8_t *bytes)
{
	for (unsigned i = 0; i < 16; i += 2)
		extended(bytes + i, 0x82);
	return 16;
}

size_t pt_packet_psbend(uint8_t *bytes)
{
	return extended(bytes, 0x23);
}

size_t pt_packet_ovf(uint8_t *bytes)
{
	return extended(bytes, 0xf3);
}

size_t pt_packet_trace_stop(uint8_t *bytes)
{
	return extended(bytes, 0x83);
}

size_t pt_packet_tsc(uint8_t *bytes, uint64_t tsc)
{
	bytes[0] = 0x19;
	put_le(bytes + 1, tsc, 7);
	return 8;
}

size_t pt_packet_tma(uint8_t *bytes, uint16_t ctc, uint16_t fast)
{
	extended(bytes, 0x73);
	put_le(bytes + 2, ctc, 2);
	bytes[4] = 0;
	put_le(bytes + 5, fast & 0x1ff, 2);
	return 7;
}

size_t pt_packet_mtc(uint8_t *bytes, uint8_t ctc)
{
	bytes[0] = 0x59;
	bytes[1] = ctc;
	return 2;
}

size_t pt_packet_cyc(uint8_t *bytes, uint64_t cycles)
{
	size_t size = 1;

	bytes[0] = (uint8_t)(0x03 | (cycles & 0x1f) << 3);
	cycles >>= 5;
	if (cycles)
		bytes[0] |= 1 << 2;
	while (cycles) {
		bytes[size] = (uint8_t)((cycles & 0x7f) << 1);
		cycles >>= 7;
		if (cycles)
			bytes[size] |= 1;
		size++;
	}
	return size;
}

size_t pt_packet_cbr(uint8_t *bytes, uint8_t ratio)
{
	extended(bytes, 0x03);
	bytes[2] = ratio;
	bytes[3] = 0;
	return 4;
}

static size_t mode(uint8_t *bytes, unsigned leaf, unsigned bits)
{
	bytes[0] = 0x99;
	bytes[1] = (uint8_t)(leaf << 5 | bits);
	return 2;
}

bool pt_mode_same(struct pt_mode a, struct pt_mode b)
{
	return a.cs_l == b.cs_l && a.cs_d == b.cs_d &&
	       a.interrupts == b.interrupts;
}

size_t pt_packet_mode_exec(uint8_t *bytes, struct pt_mode exec)
{
	return mode(bytes, 0,
		    (unsigned)exec.cs_l | (unsigned)exec.cs_d << 1 |
			    (unsigned)exec.interrupts << 2);
}

size_t pt_packet_mode_tsx(uint8_t *bytes, bool in_tx, bool abort)
{
	return mode(bytes, 1, (unsigned)in_tx | (unsigned)abort << 1);
}

size_t pt_packet_pip(uint8_t *bytes, uint64_t cr3)
{
	extended(bytes, 0x43);
	/* Bit 0 marks non-root operation, which never occurs here. */
	put_le(bytes + 2, cr3 >> 5 << 1, 6);
	return 8;
}

size_t pt_packet_tnt(uint8_t *bytes, uint64_t bits, unsigned count)
{
	assert(count >= 1 && count <= PT_LONG_TNT_MAX);
	bits |= 1ull << count;
	if (count <= PT_SHORT_TNT_MAX) {
		bytes[0] = (uint8_t)(bits << 1);
		return 1;
	}
	extended(bytes, 0xa3);
	put_le(bytes + 2, bits, 6);
	return 8;
}

static unsigned payload_size(enum pt_ip_bytes ip_bytes)
{
	switch (ip_bytes) {
	case PT_IP_NONE:
		return 0;
	case PT_IP_UPDATE_16:
		return 2;
	case PT_IP_UPDATE_32:
		return 4;
	case PT_IP_SIGN_EXTEND_48:
		return 6;
	case PT_IP_FULL:
		return 8;
	}
	return 0;
}

size_t pt_packet_ip(uint8_t *bytes, enum pt_ip_packet packet,
		    enum pt_ip_bytes ip_bytes, uint64_t ip)
{
	unsigned size = payload_size(ip_bytes);

	bytes[0] = (uint8_t)((unsigned)packet | (unsigned)ip_bytes << 5);
	put_le(bytes + 1, ip, size);
	return 1 + size;
}

size_t pt_packet_ptwrite(uint8_t *bytes, uint64_t value, unsigned size,
			 bool fup)
{
	assert(size == 4 || size == 8);
	extended(bytes, (uint8_t)(0x12 | (unsigned)(size == 8) << 5 |
				  (unsigned)fup << 7));
	put_le(bytes + 2, value, size);
	return 2 + size;
}

size_t pt_packet_cfe(uint8_t *bytes, enum pt_flow_event event, uint8_t vector,
		     bool fup)
{
	extended(bytes, 0x13);
	bytes[2] = (uint8_t)((unsigned)event | (unsigned)fup << 7);
	bytes[3] = vector;
	return 4;
}

size_t pt_packet_evd_page_fault(uint8_t *bytes, uint64_t address)
{
	extended(bytes, 0x53);
	bytes[2] = 0;
	put_le(bytes + 3, address, 8);
	return 11;
}

size_t pt_packet_mwait(uint8_t *bytes, uint32_t hints, uint32_t extensions)
{
	extended(bytes, 0xc2);
	put_le(bytes + 2, hints, 4);
	put_le(bytes + 6, extensions, 4);
	return 10;
}

size_t pt_packet_pwre(uint8_t *bytes, unsigned state, unsigned sub_state)
{
	extended(bytes, 0x22);
	/* bit 7 would mark a request by hardware instead of software */
	bytes[2] = 0;
	bytes[3] = (uint8_t)(state << 4 | (sub_state & 0xf));
	return 4;
}

size_t pt_packet_exstop(uint8_t *bytes, bool fup)
{
	return extended(bytes, fup ? 0xe2 : 0x62);
}

size_t pt_packet_pwrx_interrupt(uint8_t *bytes, unsigned state)
{
	extended(bytes, 0xa2);
	/* The last and the deepest core C-state, then the cause of the wake-up.
	 */
	put_le(bytes + 2, (state & 0xf) << 4 | (state & 0xf) | 1 << 8, 5);
	return 7;
}
