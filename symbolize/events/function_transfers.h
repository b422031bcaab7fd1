/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTION_TRANSFERS_H
#define KT_SYMBOLIZE_FUNCTION_TRANSFERS_H

#include "decoder/flow/flow.h"
#include "symbolize/events/function_event.h"
#include "symbolize/events/stream_tasks.h"
#include "symbolize/functions/address_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch;
struct symbol_cache;
struct symbols;

enum {
	BATCH_EVENTS = 4096,
	/* Events that one flow item can lead to, at most. */
	EVENTS_PER_ITEM = 5,
	/* How a block is reached, in addition to enum flow_exit. */
	EXIT_ASYNC = 64,
	EXIT_START,
	EXIT_ENTRY, /* from user space */
	EXIT_UNTRACED,
	EXIT_GUEST, /* from a virtual machine */
};

#define NO_NMI UINT64_MAX

/* The events made of transfers of control, with the state that they depend on.
 */
struct function_transfers {
	const struct arch *arch;
	const struct symbols *symbols;
	struct symbol_cache *cache;
	/* Returns the next switch record, or NULL. */
	const struct flow_item *(*next_switch)(const void *ctx);
	const void *ctx;
	/* If it has records, their time bounds and the trace decide. */
	struct stream_tasks tasks;
	int error; /* 0 or -ERROR_MEMORY */
	/* return address of the NMI that runs, or NO_NMI */
	uint64_t nmi_return;
	size_t count;
	struct function_event events[BATCH_EVENTS];
};

/* How the last block was left. */
struct function_departure {
	uint8_t exit; /* enum flow_exit, or an EXIT_ value above */
	uint64_t end; /* address of the block's last instruction */
	/* the block's function, or the one that entered the thunks */
	uint32_t from;
	/* return address of a call from that function */
	uint64_t return_address;
	uint32_t last; /* the block's own function */
	/* return address of the newest call or exception */
	uint64_t last_return;
	/* enum code_role of the block's own function */
	uint8_t last_role;
};

/* Adds an event at @item's time, with the other fields zeroed. */
struct function_event *
function_transfers_emit(struct function_transfers *transfers,
			const struct flow_item *item, uint8_t kind);

/* Adds a FUNCTION_SWITCH to the running task. */
void function_transfers_emit_switch(struct function_transfers *transfers,
				    const struct flow_item *item);

/* Adds the events of a transfer by @departure to @item->ip, in @target. */
void function_transfers_take(struct function_transfers *transfers,
			     const struct flow_item *item,
			     const struct symbol *target,
			     const struct function_departure *departure);

#endif
