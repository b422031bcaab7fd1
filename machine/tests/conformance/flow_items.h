/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_FLOW_ITEMS_H
#define KT_MACHINE_TESTS_FLOW_ITEMS_H

#include "machine/tests/conformance/item.h"

#include <intel-pt.h>

/* Converts libipt's instructions and events into items. */
struct flow_items {
	struct item queue[4];
	int queued, taken;
	uint64_t last_ip;
	uint64_t branch_ip;   /* its target is not known yet */
	uint8_t branch_class; /* CLASS_NONE: no such branch */
	uint64_t branch_tsc;
	bool wrote_cr3; /* the last instruction */
};

/* libipt's position in the trace when it returns an instruction or an event. */
struct flow_place {
	uint64_t position; /* byte of the trace */
	uint64_t before;   /* TSC before the call to libipt */
	uint64_t tsc;	   /* TSC after it */
	uint64_t end;	   /* TSC, if the event ends traced code */
};

/* Returns true and fills @item if one is queued. */
bool flow_items_take(struct flow_items *items, struct item *item);

void flow_items_instruction(struct flow_items *items,
			    const struct flow_place *place,
			    const struct pt_insn *insn);
void flow_items_event(struct flow_items *items, const struct flow_place *place,
		      const struct pt_event *event);
/* Adds an overflow or an error. */
void flow_items_loss(struct flow_items *items, const struct flow_place *place);

#endif
