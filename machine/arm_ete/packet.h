/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ARM_ETE_PACKET_H
#define KT_MACHINE_ARM_ETE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One function per ETE packet. Each writes the packet to @bytes, which must
 * have room for ETE_PACKET_MAX, and returns its size.
 *
 * Source: Arm Embedded Trace Extension (Arm ARM, part D, "Embedded Trace
 * Extension: instruction trace unit protocol"), whose names are used.
 */
enum { ETE_PACKET_MAX = 24 };

/* Alignment synchronization. */
size_t ete_packet_async(uint8_t *bytes);

/* Trace Info. Cycle counting is on if @cycle_threshold is not NULL. */
size_t ete_packet_trace_info(uint8_t *bytes, const uint32_t *cycle_threshold);

size_t ete_packet_trace_on(uint8_t *bytes);
size_t ete_packet_overflow(uint8_t *bytes);

/* Timestamp, with only the bytes in which @value differs from @previous.
 * @cycles is the count since the last cycle count, or NULL if counting is off.
 */
size_t ete_packet_timestamp(uint8_t *bytes, uint64_t value, uint64_t previous,
			    const uint32_t *cycles);

/* Cycle Count format 3 or 1: @over cycles above the threshold, at most
 * ETE_CYCLES_MAX.
 */
#define ETE_CYCLES_MAX 0xfffffu
size_t ete_packet_cycles(uint8_t *bytes, uint32_t over);
/* A cycle count too large for the packet. */
size_t ete_packet_cycles_unknown(uint8_t *bytes);

/* Exception. An address packet with the preferred return address must follow.
 */
enum ete_exception {
	ETE_EXCEPTION_RESET = 0,
	ETE_EXCEPTION_DEBUG_HALT = 1,
	ETE_EXCEPTION_CALL = 2,
	ETE_EXCEPTION_TRAP = 3,
	ETE_EXCEPTION_SERROR = 4,
	ETE_EXCEPTION_INST_DEBUG = 6,
	ETE_EXCEPTION_DATA_DEBUG = 7,
	ETE_EXCEPTION_ALIGNMENT = 10,
	ETE_EXCEPTION_INST_FAULT = 11,
	ETE_EXCEPTION_DATA_FAULT = 12,
	ETE_EXCEPTION_IRQ = 14,
	ETE_EXCEPTION_FIQ = 15,
};
size_t ete_packet_exception(uint8_t *bytes, enum ete_exception type);

/* The context of code, as in Context and Address with Context packets. */
struct ete_context {
	uint8_t el;	     /* exception level, 0 to 3 */
	bool has_context_id; /* the context ID is traced (TRCCONFIGR.CID) */
	bool has_vmid;	     /* TRCCONFIGR.VMID */
	uint32_t context_id;
	uint32_t vmid;
};
size_t ete_packet_context(uint8_t *bytes, const struct ete_context *context);

/* Addresses of A64 code (IS0), with the low bits that fit the packet. */
size_t ete_packet_address_match(uint8_t *bytes, unsigned entry);
size_t ete_packet_address_short(uint8_t *bytes, uint64_t address,
				bool two_bytes);
size_t ete_packet_address_long(uint8_t *bytes, uint64_t address, bool wide);
size_t ete_packet_address_context(uint8_t *bytes, uint64_t address, bool wide,
				  const struct ete_context *context);

#endif
