/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_SELF_TEXT_H
#define KT_REPORT_SELF_TEXT_H

#include <stdint.h>

struct profile_report;

/* A function's self time for people. */
struct self_text {
	char text[40];
};

/* Returns "1.42 ms", or "~1.42 ms" if the process of a part (@inferred_ns) is
 * inferred.
 */
struct self_text self_text_of(const struct profile_report *report,
			      uint64_t self_ns, uint64_t inferred_ns);

#endif
