/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_LAST_CONTEXT_H
#define KT_DECODER_CORESIGHT_LAST_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The context that packets of ETMv4 or ETE can refer to, as a whole or for ids
 * that they leave out.
 */
struct coresight_last_context {
	bool is_known;
	uint8_t info;	   /* says which ids there are */
	uint8_t ids[2][4]; /* VMID and context id */
};

/* Notes the context that a packet ends with; ids have @sizes bytes. */
void coresight_last_context_note(struct coresight_last_context *last,
				 const uint8_t *sizes, const uint8_t *bytes);

/* Writes it with all ids that are known.  Returns how many bytes, 9 at most. */
size_t coresight_last_context_write(const struct coresight_last_context *last,
				    const uint8_t *sizes, uint8_t *bytes);

#endif
