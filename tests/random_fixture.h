/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_RANDOM_FIXTURE_H
#define KT_TESTS_RANDOM_FIXTURE_H

#include <stdint.h>

/* Returns a reproducible 24-bit pseudo-random number and advances *@state. */
uint32_t next_random(uint32_t *state);

#endif
