/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_KCORE_TEXT_FIXTURE_H
#define KT_TESTS_KCORE_TEXT_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

/* Returns the first code in the copy of kcore in @recording and its size, to
 * be freed; NULL if there is none.
 */
uint8_t *kcore_text(const char *recording, size_t *size);

#endif
