/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_IDLE_H
#define KT_DECODER_INTEL_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether the first @size bytes contain only whole packets that are not
 * branches: no execution is lost with them.
 */
bool intel_is_idle(const uint8_t *bytes, size_t size);

#endif
