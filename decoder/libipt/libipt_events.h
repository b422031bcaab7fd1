/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_EVENTS_H
#define KT_DECODER_LIBIPT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

struct code_space;
struct libipt_segment;

/* The events that libipt finds, as items, and what they say of the CPU. */
struct libipt_events {
	bool is_off;  /* the trace unit is, as far as decoded */
	uint8_t mode; /* as FLOW_MODE has it; UINT8_MAX: not said yet */
	uint64_t page_table;
	bool in_guest; /* a virtual machine runs: see guest_bytes.h */
	uint64_t guest_page_table;
	uint64_t machine; /* its VMCS, or 0 */
};

/* Fetches and takes one event of @segment; @code is what runs, @last_ip the
 * instruction that ran last.  Returns libipt's status.
 */
int libipt_events_take(struct libipt_events *events,
		       struct libipt_segment *segment, struct code_space *code,
		       uint64_t last_ip);

#endif
