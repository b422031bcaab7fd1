/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTION_EVENTS_PARTS_H
#define KT_SYMBOLIZE_FUNCTION_EVENTS_PARTS_H

#include "decoder/flow/flow_source.h"
#include "symbolize/events/function_events.h"
#include "symbolize/events/task_switch.h"
#include "symbolize/events/thunk_fold.h"
#include "symbolize/symbols/symbol_cache.h"

/* This is what function_events.c, which follows the flow, shares with
 * function_transfers.c, which tells what each way to another place means.
 */

enum {
	BATCH_EVENTS = 4096,
	/* This is what one flow item can lead to at most. */
	EVENTS_PER_ITEM = 5,
	/* Ways to reach a block that are no enum flow_exit. */
	EXIT_ASYNC = 64,
	EXIT_START,
	EXIT_ENTRY, /* from user space */
	EXIT_UNSEEN,
};

#define NO_NMI UINT64_MAX

struct function_events {
	struct flow_source *source;
	const struct symbols *symbols;
	const struct arch *arch;
	struct symbol_cache *cache;

	const struct flow_item *items;
	size_t item_count;
	size_t item_at;

	struct symbol here;	 /* of the block that ran last */
	uint8_t exit;		 /* how it was left */
	uint64_t exit_end;	 /* its last instruction's address */
	uint64_t return_address; /* of a call or exception */
	struct thunk_fold fold;
	struct thunk_fold_stack folds;
	struct task_switch tasks;
	struct task_id own;  /* whose flow it is alone; tid -1: a CPU's */
	bool running;	     /* the CPU is being traced */
	bool outside;	     /* it left for user space */
	uint64_t nmi_return; /* where the NMI that runs will return
					 * to; NO_NMI: none does */

	size_t event_count;
	struct function_event events[BATCH_EVENTS];
};

/* Adds an event at @item's time; the rest of it is zero. */
struct function_event *function_events_emit(struct function_events *events,
					    const struct flow_item *item,
					    uint8_t kind);

/* Adds the switch to the task that runs now. */
void function_events_emit_switch(struct function_events *events,
				 const struct flow_item *item);

/* Control reached @item->ip, in another symbol or by a call or return. */
void function_events_arrive(struct function_events *events,
			    const struct flow_item *item);

#endif
