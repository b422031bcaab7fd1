/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_INTEL_BYTES_FIXTURE_H
#define KT_TESTS_INTEL_BYTES_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

/* Writes the Intel PT trace that @text spells in hex, one byte a word, "psb"
 * for all 16 bytes of a PSB, to @bytes. Returns the number of bytes.
 */
size_t fixture_intel_bytes(const char *text, uint8_t *bytes, size_t room);

#endif
