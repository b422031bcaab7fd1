/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_DURATION_TEXT_H
#define KT_REPORT_DURATION_TEXT_H

#include <stdint.h>

struct duration_text {
	char text[36];
};

/* Returns @duration_ns for people with a suitable unit and three digits: "94.1
 * ms", "709 us", "12 ns"; "0" for zero; all digits from 1000 s on.
 */
struct duration_text duration_text_of(uint64_t duration_ns);

#endif
