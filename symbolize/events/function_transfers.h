/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTION_TRANSFERS_H
#define KT_SYMBOLIZE_FUNCTION_TRANSFERS_H

#include "decoder/flow/flow.h"
#include "symbolize/events/function_event.h"
#include "symbolize/events/task_switch.h"
#include "symbolize/functions/address_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch;
struct symbol_cache;

enum {
	BATCH_EVENTS = 4096,
	/* This is what one flow item can lead to at most. */
	EVENTS_PER_ITEM = 5,
	/* Ways to reach a block that are no enum flow_exit. */
	EXIT_ASYNC = 64,
	EXIT_START,
	EXIT_ENTRY, /* from user space */
	EXIT_UNSEEN,
	EXIT_GUEST, /* from a virtual machine */
};

#define NO_NMI UINT64_MAX

/* Events, as ways from one place to another make them. */
struct function_transfers {
	const struct arch *arch;
	struct symbol_cache *cache;
	/* Returns the next record of a switch, or NULL. */
	const struct flow_item *(*next_switch)(const void *ctx);
	const void *ctx;
	struct task_switch tasks;
	bool is_running;     /* the CPU is being traced */
	uint64_t nmi_return; /* where the NMI that runs will return to; NO_NMI:
			      * none does */
	size_t count;
	struct function_event events[BATCH_EVENTS];
};

/* How the last block was left. */
struct function_departure {
	uint8_t exit;		 /* enum flow_exit, or another way */
	uint64_t end;		 /* the address of its last instruction */
	uint32_t from;		 /* its function, or the one before thunks */
	uint64_t return_address; /* likewise, of a call */
	uint32_t last;		 /* its own function */
	uint64_t last_return;	 /* of the newest call or exception */
};

/* Adds an event at @item's time; the rest of it is zero. */
struct function_event *
function_transfers_emit(struct function_transfers *transfers,
			const struct flow_item *item, uint8_t kind);

/* Adds the switch to the task that runs now. */
void function_transfers_emit_switch(struct function_transfers *transfers,
				    const struct flow_item *item);

/* Adds what it means that control came to @item->ip, in @target, by @departure. */
void function_transfers_take(struct function_transfers *transfers,
			     const struct flow_item *item,
			     const struct symbol *target,
			     const struct function_departure *departure);

#endif
