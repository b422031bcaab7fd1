/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_WHOLE_H
#define KT_DECODER_INTEL_WHOLE_H

#include <stddef.h>
#include <stdint.h>

/* Returns the size of the trace up to the end of the last whole packet in the
 * @size bytes: the last packet of a full buffer is cut off. Returns @size if
 * the bytes at the end are not a packet, or if there is no PSB.
 */
size_t intel_whole_size(const uint8_t *bytes, size_t size);

#endif
