/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_WHOLE_H
#define KT_DECODER_INTEL_WHOLE_H

#include <stddef.h>
#include <stdint.h>

/* Returns how many of the @size bytes of trace there are up to the end of the
 * last whole packet: the last packet of a buffer that ran full is cut off.
 * Returns @size if what comes last is no packet at all, or there is no PSB.
 */
size_t intel_whole_size(const uint8_t *bytes, size_t size);

#endif
