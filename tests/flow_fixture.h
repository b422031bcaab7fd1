/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_FLOW_FIXTURE_H
#define KT_TESTS_FLOW_FIXTURE_H

#include "common/array.h"
#include "decoder/flow/flow_source.h"

#include <stdbool.h>

/* A flow source that returns the items of a text. */
struct flow_fixture {
	struct flow_source source;
	struct array items; /* struct flow_item */
	bool is_done;
};

void flow_fixture_init(struct flow_fixture *flow);
void flow_fixture_free(struct flow_fixture *flow);

/* Adds one item:
 * 	TIME block FIRST LAST EXIT [LENGTH]	addresses in hex; LENGTH of a call
 * 	TIME async|start ADDRESS
 * 	TIME stop level|filter|off
 * 	TIME gap overflow|lost|no-code|bad-trace|unsynced|cut [BYTES]
 * 	TIME switch|preempt|away PID TID
 * 	TIME end
 * Returns false if @line is not an item.
 */
bool flow_fixture_add(struct flow_fixture *flow, const char *line);

#endif
