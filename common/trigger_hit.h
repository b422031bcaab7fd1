/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_TRIGGER_HIT_H
#define KT_COMMON_TRIGGER_HIT_H

#include <stdint.h>

/* How a recording tells of a trace that a trigger kept: as a sample of a software
 * event of that name, of the task and CPU that hit, at the time when all trace
 * had been stopped, with these raw bytes.  Times are of the recording's clock.
 */
#define TRIGGER_HIT_EVENT "ktrace_hw:hit"

enum { TRIGGER_HIT_TEXT_SIZE = 256 };

struct trigger_hit {
	uint32_t number;     /* from 1 on */
	uint32_t overlapped; /* hits before it while another was kept */
	uint64_t hit_ns;
	uint64_t latency_ns; /* what the trigger measured; 0: nothing */
	uint64_t begin_ns;   /* of the call or wait; 0: there is none */
	char text[TRIGGER_HIT_TEXT_SIZE]; /* the trigger; ended by NUL */
};

#endif
