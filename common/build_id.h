/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_BUILD_ID_H
#define KT_COMMON_BUILD_ID_H

#include <stdint.h>

/* A checksum of all the code that the program shares with what SQLite loads: the
 * Makefile makes it.
 */
extern const uint32_t build_id;

#endif
