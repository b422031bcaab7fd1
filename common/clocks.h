/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_CLOCKS_H
#define KT_COMMON_CLOCKS_H

#include <stdint.h>

/* Return the time of CLOCK_MONOTONIC, in ns and in whole ms. */
uint64_t monotonic_ns(void);
uint64_t monotonic_ms(void);

/* Returns the time of CLOCK_REALTIME: ns since 1970. */
int64_t realtime_ns(void);

#endif
