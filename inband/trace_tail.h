/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_TRACE_TAIL_H
#define KT_INBAND_TRACE_TAIL_H

#include "common/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The trace since the last sync point (PSB). Linux's driver makes the unit send
 * one when it is first switched on, not each time (pt_config() in
 * arch/x86/events/intel/pt.c), and then every 2 KiB or more, so the next trace
 * is decoded starting with this tail.
 */
struct trace_tail {
	struct byte_buffer bytes; /* empty: none */
	uint64_t start;		  /* position of @bytes in the kernel's count */
};

/* Stores the part of @size bytes at @trace that the next trace needs. The trace
 * starts at @start and follows the present tail, if there is one.
 */
void trace_tail_keep(struct trace_tail *tail, const uint8_t *trace, size_t size,
		     uint64_t start);

/* Clears the tail. Must be called when trace was lost, so that the next trace
 * does not follow the tail.
 */
void trace_tail_forget(struct trace_tail *tail);

bool trace_tail_is_synchronised(const struct trace_tail *tail);

void trace_tail_free(struct trace_tail *tail);

#endif
