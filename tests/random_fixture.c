/* SPDX-License-Identifier: MIT */
#include "tests/random_fixture.h"

uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}
