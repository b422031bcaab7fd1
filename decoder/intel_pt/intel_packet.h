/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_PT_INTEL_PACKET_H
#define KT_DECODER_INTEL_PT_INTEL_PACKET_H

/* Intel PT's packets: a pure function from bytes to a packet, and the few facts
 * about packets that need no state but their context.
 *
 * 1. A read never touches bytes beyond @size, and returns 0 if the packet is
 *    not whole.
 * 2. Bytes that are not a packet are -ERROR_FORMAT. The caller then searches
 *    the next PSB (intel_psb_find()).
 * 3. Addresses stay compressed: intel_address() completes them from the last
 *    one, which is the state of intel_flow_internal.h.
 *
 * The loop over frequent packets in intel_branches.c reads short TNT, TIP, MTC
 * and CYC itself, with the same effect.
 *
 * Source: Intel SDM, volume 3, "Trace Packets and Data Types".
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kinds of packets, with the contents of struct intel_packet's payload. */
enum intel_packet_kind {
	INTEL_PACKET_PAD,
	INTEL_PACKET_TNT, /* payload: the bits, oldest on top */
	/* payload, also of the next three: address, compressed */
	INTEL_PACKET_TIP,
	INTEL_PACKET_TIP_PGE,
	INTEL_PACKET_TIP_PGD,
	INTEL_PACKET_FUP,
	INTEL_PACKET_TSC, /* payload: the low 56 bits of the TSC */
	INTEL_PACKET_TMA, /* payload: CTC, and FC from bit 16 on */
	INTEL_PACKET_MTC, /* payload: 8 bits of CTC */
	INTEL_PACKET_CYC, /* payload: core cycles */
	INTEL_PACKET_CBR, /* payload: core to bus clock ratio */
	INTEL_PACKET_PSB,
	INTEL_PACKET_PSBEND,
	INTEL_PACKET_OVF,
	INTEL_PACKET_MODE, /* payload: its second byte */
	INTEL_PACKET_PIP,  /* payload: CR3 from bit 1 on, NR in bit 0 */
	INTEL_PACKET_PTW,  /* payload: the operand of PTWRITE */
	INTEL_PACKET_CFE,  /* payload: type, and the vector from bit 8 on */
	INTEL_PACKET_EVD,  /* detail: type */
	/* payload: number of the trigger, and from bit 8 on how many
	 * instructions ago; detail: flags
	 */
	INTEL_PACKET_TRIG,
	INTEL_PACKET_VMCS, /* payload: its address from bit 12 on */
	INTEL_PACKET_STOP,
	INTEL_PACKET_MNT,
	INTEL_PACKET_EXSTOP,
	INTEL_PACKET_MWAIT, /* payload: hints, and extensions from bit 32 on */
	INTEL_PACKET_PWRE,
	INTEL_PACKET_PWRX,
	/* starts a block of items; detail: its type; payload: bytes of an item
	 */
	INTEL_PACKET_BBP,
	INTEL_PACKET_BIP, /* an item; detail: its number */
	INTEL_PACKET_BEP, /* ends a block of items */
	INTEL_PACKET_KINDS,
};

struct intel_packet {
	uint8_t kind;
	uint8_t size;	     /* bytes */
	uint8_t bits;	     /* TNT: number of branches */
	uint8_t compression; /* IPBytes of a packet with an address */
	uint8_t detail;	     /* see above; TMA: reserved bits */
	/* a FUP follows, with the address of this event */
	bool is_followed;
	uint64_t payload;
};

/* State for parsing: bytes have a different meaning within a block of items,
 * which is after a BBP up to a BEP, or up to another packet that ends it.
 */
struct intel_packet_context {
	uint8_t item_size; /* bytes; 0 outside a block */
};

/* Returns the size in bytes of a packet's address by @compression: IPBytes of
 * the Intel SDM, volume 3, "IP Compression". 0: no address, or reserved.
 */
static inline uint8_t intel_address_size(uint8_t compression)
{
	static const uint8_t sizes[8] = { 0, 2, 4, 6, 6, 0, 8, 0 };

	return sizes[compression];
}

/* Returns the address in a packet's @payload, completed from @last_ip.
 * @compression must not be one without an address.
 */
static inline uint64_t intel_address(uint64_t last_ip, uint8_t compression,
				     uint64_t payload)
{
	if (compression == 1)
		return last_ip >> 16 << 16 | payload;
	if (compression == 2)
		return last_ip >> 32 << 32 | payload;
	if (compression == 3)
		return (uint64_t)((int64_t)(payload << 16) >> 16);
	if (compression == 4)
		return last_ip >> 48 << 48 | payload;
	return payload;
}

/* Parses the packet at the start of @bytes, of which @size are available.
 *
 * Returns 1 and @packet, 0 if it does not end within @size, -ERROR_FORMAT if it
 * is not a packet.
 */
int intel_packet_read(const uint8_t *bytes, size_t size,
		      struct intel_packet *packet);

/* Like intel_packet_read(), within @context, which is updated for the next
 * packet; it must be zeroed before the first.
 */
int intel_packet_read_in(struct intel_packet_context *context,
			 const uint8_t *bytes, size_t size,
			 struct intel_packet *packet);

/* Returns whether @packet reports control flow. */
bool intel_packet_is_flow(const struct intel_packet *packet);

/* Returns the size of the trace up to the end of the last whole packet in the
 * @size bytes: the last packet of a full buffer is cut off. Returns @size if
 * the bytes at the end are not a packet, or if there is no PSB.
 */
size_t intel_whole_size(const uint8_t *bytes, size_t size);

/* Returns whether the first @size bytes contain only whole packets without
 * control flow: no execution is lost if these are skipped.
 */
bool intel_is_idle(const uint8_t *bytes, size_t size);

#endif
