/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_FLOW_H
#define KT_MACHINE_TESTS_FLOW_H

#include "machine/tests/conformance/code.h"
#include "machine/tests/conformance/item.h"

/* One stream decoded by libipt's instruction decoder, as items. */
struct flow;

struct flow_stats {
	uint64_t instructions;
	uint64_t errors;
	uint64_t first_error; /* byte of the trace */
	int first_code;	      /* libipt's, negative */
	uint64_t overflows;
	uint64_t undecoded; /* bytes after the last decoded packet */
};

/* Borrows all arguments; returns NULL if libipt rejects them. */
struct flow *flow_open(const struct recording *recording,
		       const struct trace_stream *stream, struct code *code);
void flow_close(struct flow *flow);

/* Returns 1 and fills @item, or 0 at the end of the stream. */
int flow_next(struct flow *flow, struct item *item);

const struct flow_stats *flow_stats(const struct flow *flow);

#endif
