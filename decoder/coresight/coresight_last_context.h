/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_LAST_CONTEXT_H
#define KT_DECODER_CORESIGHT_LAST_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The last context, to which packets of ETMv4 or ETE can refer as a whole or
 * for IDs that they leave out.
 */
struct coresight_last_context {
	bool is_known;
	uint8_t info;	   /* which IDs are present */
	uint8_t ids[2][4]; /* VMID and context ID */
};

/* Stores the context at the end of a packet; IDs have @sizes bytes. */
void coresight_last_context_note(struct coresight_last_context *last,
				 const uint8_t *sizes, const uint8_t *bytes);

/* Writes the context with all IDs that are known. Returns the number of bytes,
 * 9 at most.
 */
size_t coresight_last_context_write(const struct coresight_last_context *last,
				    const uint8_t *sizes, uint8_t *bytes);

#endif
