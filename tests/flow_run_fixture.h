/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_FLOW_RUN_FIXTURE_H
#define KT_TESTS_FLOW_RUN_FIXTURE_H

#include "common/array.h"
#include "decoder/flow/flow.h"

#include <stdbool.h>

struct flow_input;
struct function_event;
struct symbols;

/* A recording, decoded as for a report. */
struct flow_run {
	struct recording *recording;
	struct code_image *image;
	bool by_library; /* decode it all with OpenCSD or libipt */
};

/* @root as in recording_set_root(). Returns 0 or the error of recording_open();
 * any other failure fails the test.
 */
int flow_run_open(struct flow_run *run, const char *path, const char *root);
void flow_run_close(struct flow_run *run);

/* Returns a decoder's input for stream @index; it borrows @run. */
struct flow_input flow_run_input(const struct flow_run *run, size_t index);

struct flow_totals {
	uint64_t kinds[FLOW_END + 1];
	uint64_t gaps[FLOW_GAP_GENERATED + 1]; /* by reason */
	uint64_t exits[FLOW_EXIT_FAR_JUMP + 1];
	uint64_t instructions;
	uint64_t last_ns;
};

/* Decodes stream @index and counts its items; checks that times never decrease
 * and that the stream has exactly one end. Appends its items to @items (struct
 * flow_item) unless that is NULL.
 */
void flow_run_stream(const struct flow_run *run, size_t index,
		     struct flow_totals *totals, struct array *items);

/* Decodes stream @index and calls @consume for each function event, in order. */
typedef void flow_run_consume(void *ctx, const struct function_event *event);
void flow_run_events(const struct flow_run *run, size_t index,
		     const struct symbols *symbols, flow_run_consume *consume,
		     void *ctx);

/* Like flow_run_events(), but always decodes with the block graph, whatever the
 * kind of trace.
 */
void flow_run_graph_events(const struct flow_run *run, size_t index,
			   const struct symbols *symbols,
			   flow_run_consume *consume, void *ctx);

#endif
