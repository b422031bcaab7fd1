/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_DURATION_TEXT_H
#define KT_REPORT_DURATION_TEXT_H

#include <stdint.h>

struct duration_text {
	char text[36];
};

/* Returns @duration_ns for people, in the unit that suits it: three digits and
 * the unit, as "94.1 ms", "709 us" or "12 ns"; "0" for nothing, all digits from
 * 1000 s on.
 */
struct duration_text duration_text_of(uint64_t duration_ns);

#endif
