/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_TRACE_TAIL_H
#define KT_INBAND_TRACE_TAIL_H

#include "common/byte_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The trace since the last synchronisation point (PSB).  Linux's driver makes
 * the unit send one when it is first switched on, not each time (pt_config() in
 * arch/x86/events/intel/pt.c), and then each 2 KiB or more: what comes next is
 * read from there on.
 */
struct trace_tail {
	struct byte_buffer bytes; /* empty: there is none */
	uint64_t start;		  /* of them, as the kernel counts */
};

/* Keeps what the next trace needs of @size bytes at @trace, which begin at
 * @start and have the tail before them, if there was one.
 */
void trace_tail_keep(struct trace_tail *tail, const uint8_t *trace, size_t size,
		     uint64_t start);

/* What comes next does not follow what is kept: something was lost. */
void trace_tail_forget(struct trace_tail *tail);

bool trace_tail_is_synchronised(const struct trace_tail *tail);

void trace_tail_free(struct trace_tail *tail);

#endif
