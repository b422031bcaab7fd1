/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_PSB_H
#define KT_DECODER_INTEL_PSB_H

#include <stddef.h>
#include <stdint.h>

/* PSB, the packet where a decoder can start: Intel SDM, volume 3, 33.4.2.17. */
enum { INTEL_PSB_SIZE = 16 };

extern const uint8_t intel_psb[INTEL_PSB_SIZE];

/* Returns the position of the first PSB in @bytes at or after @from, @size if
 * there is none.
 */
size_t intel_psb_find(const uint8_t *bytes, size_t size, size_t from);

/* Makes the bytes from @from up to @to readable, as far as they exist, and may
 * make all others unreadable. Returns the current address of byte 0, which need
 * not be readable.
 */
typedef const uint8_t *intel_psb_reach_bytes(void *ctx, size_t from, size_t to);

/* Like intel_psb_find(), for bytes that are not all readable: calls @reach with
 * @ctx to make them so. If @reach is NULL, reads @bytes.
 */
size_t intel_psb_reach(const uint8_t *bytes, size_t size, size_t from,
		       intel_psb_reach_bytes *reach, void *ctx);

#endif
