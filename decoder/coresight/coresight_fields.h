/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_FIELDS_H
#define KT_DECODER_CORESIGHT_FIELDS_H

#include "decoder/coresight/coresight_packet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the bytes of a whole packet of ETMv4 or ETE say (Arm IHI 0064, "Instruction trace
 * protocol"), for all who read them.
 */

/* Sets *@number to the one at @bytes, of 7 bits a byte, which ends with a byte whose bit
 * 7 is 0, or with the byte number @most.  Returns its bytes.
 */
size_t coresight_number(const uint8_t *bytes, size_t most, uint32_t *number);

/* This is what an extension packet says. */
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

/* Returns whether an address comes behind exception @packet: ETE's resets and failed
 * transactions have none.
 */
bool coresight_exception_has_address(const struct coresight_packet *packet,
				     const uint8_t *bytes);

/* Returns whether packets of @kind may come between an exception and its address. */
bool coresight_may_precede_address(uint8_t kind);

/* Sets *@count to how many elements a commit packet or one of cycles commits, of a unit
 * that has at most @depth of them waiting.  Returns false if no such unit could have sent
 * it.
 */
bool coresight_commits(const struct coresight_packet *packet,
		       const uint8_t *bytes, size_t depth, size_t *count);

/* Returns how many a cancel or mispredict packet cancels. */
size_t coresight_cancels(const struct coresight_packet *packet,
			 const uint8_t *bytes);

#endif
