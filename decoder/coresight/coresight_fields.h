/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_FIELDS_H
#define KT_DECODER_CORESIGHT_FIELDS_H

#include "decoder/coresight/coresight_packet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses the fields of complete ETMv4 or ETE packets (Arm IHI 0064,
 * "Instruction trace protocol").
 */

/* Reads the number at @bytes into *@number: 7 bits a byte, ending with a byte
 * whose bit 7 is 0 or after @most bytes. Returns its size in bytes.
 */
size_t coresight_number(const uint8_t *bytes, size_t most, uint32_t *number);

/* The meaning of an extension packet. */
enum coresight_extension {
	CORESIGHT_EXTENSION_BAD,
	CORESIGHT_EXTENSION_SYNC,
	CORESIGHT_EXTENSION_DISCARD,
	CORESIGHT_EXTENSION_OVERFLOW,
};

enum coresight_extension coresight_extension_of(const uint8_t *bytes,
						size_t size);

/* Returns an exception packet's type. */
static inline uint8_t coresight_exception_type(const uint8_t *bytes)
{
	return bytes[1] >> 1 & 0x1f;
}

enum { CORESIGHT_FAILED_TRANSACTION = 24 };

/* Returns whether an address follows exception @packet: ETE's resets and failed
 * transactions have none.
 */
bool coresight_exception_has_address(const struct coresight_packet *packet,
				     const uint8_t *bytes);

/* Returns whether packets of @kind may come between an exception and its address. */
bool coresight_may_precede_address(uint8_t kind);

/* Sets *@count to the number of elements that a commit or cycle count packet
 * commits, for a unit with at most @depth uncommitted ones. Returns false if no
 * such unit could have sent it.
 */
bool coresight_commits(const struct coresight_packet *packet,
		       const uint8_t *bytes, size_t depth, size_t *count);

/* Returns the number of elements that a cancel or mispredict packet cancels. */
size_t coresight_cancels(const struct coresight_packet *packet,
			 const uint8_t *bytes);

#endif
