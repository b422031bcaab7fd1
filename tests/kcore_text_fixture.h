/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_KCORE_TEXT_FIXTURE_H
#define KT_TESTS_KCORE_TEXT_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

/* Returns the first code segment of the copy of kcore in @recording and its
 * size; NULL if it has none. The caller frees it.
 */
uint8_t *kcore_text(const char *recording, size_t *size);

#endif
