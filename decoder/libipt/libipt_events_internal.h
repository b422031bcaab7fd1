/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_LIBIPT_EVENTS_INTERNAL_H
#define KT_DECODER_LIBIPT_LIBIPT_EVENTS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

struct code_space;
struct libipt_segment;

/* Maximum number of instructions, and of blocks, that are added to a stop
 * without trace. The code that leaves the kernel is short.
 */
enum { LIBIPT_WALK_MOST = 64 };

/* Converts the blocks that libipt decodes to items. */
struct libipt_blocks {
	/* of the last executed instruction; 0: unknown */
	uint64_t last_ip;
	uint64_t watched;      /* libipt's position at the last check */
	uint32_t watch_blocks; /* blocks since then */
};

/* Fetches one block of @segment and adds its items; @code is the running code.
 * Returns libipt's status.
 */
int libipt_blocks_consume(struct libipt_blocks *blocks,
			  struct libipt_segment *segment,
			  struct code_space *code);

/* Converts the events that libipt decodes to items, and tracks the CPU's state
 * from them.
 */
struct libipt_events {
	bool is_off;  /* tracing is off at the current position */
	uint8_t mode; /* as in FLOW_MODE; UINT8_MAX: unknown */
	uint64_t page_table;
	bool in_guest; /* a virtual machine runs: see libipt_segment.c */
	uint64_t guest_page_table;
	uint64_t machine; /* its VMCS, or 0 */
};

/* Fetches one event of @segment and adds its items; @code is the running code,
 * @last_ip the last executed instruction. Returns libipt's status.
 */
int libipt_events_consume(struct libipt_events *events,
			  struct libipt_segment *segment,
			  struct code_space *code, uint64_t last_ip);

#endif
