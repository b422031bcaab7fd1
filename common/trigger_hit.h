/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_TRIGGER_HIT_H
#define KT_COMMON_TRIGGER_HIT_H

#include <stdint.h>

/* How a recording reports a trace that was saved for a trigger: as a sample of
 * a software event of that name, of the task and CPU that hit, at the time when
 * all trace had been stopped, with these raw bytes. Times are of the
 * recording's clock.
 */
#define TRIGGER_HIT_EVENT "ktrace_hw:hit"

enum { TRIGGER_HIT_TEXT_SIZE = 256 };

struct trigger_hit {
	uint32_t number;     /* from 1 on */
	uint32_t overlapped; /* earlier hits while another was saved */
	uint64_t hit_ns;
	uint64_t latency_ns; /* measured by the trigger; 0: none */
	uint64_t begin_ns;   /* start of the call or wait; 0: none */
	char text[TRIGGER_HIT_TEXT_SIZE]; /* the trigger; NUL-terminated */
};

#endif
