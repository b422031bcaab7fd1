/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_DURATION_H
#define KT_COMMON_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/* Parses a duration such as "10us", "1.5ms" (ns, us, ms, s); without a unit,
 * seconds.
 *
 * Returns whether @text is a duration.
 */
bool duration_read(const char *text, uint64_t *duration_ns);

#endif
