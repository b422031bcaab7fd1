/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_INTEL_BYTES_FIXTURE_H
#define KT_TESTS_INTEL_BYTES_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

/* Writes Intel PT trace that @text gives in hex, a word a byte, "psb" for all
 * 16 of its own, to @bytes.  Returns how many those are.
 */
size_t fixture_intel_bytes(const char *text, uint8_t *bytes, size_t room);

#endif
