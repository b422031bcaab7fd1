/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_ITEM_H
#define KT_MACHINE_TESTS_ITEM_H

#include <stdbool.h>
#include <stdint.h>

/* The unit of comparison of decoder and truth: one branch, or the start or end
 * of traced code.
 */
enum item_type {
	ITEM_START,   /* to: the first address traced */
	ITEM_BRANCH,  /* from and to are traced */
	ITEM_END,     /* from: the last traced address; to: if known */
	ITEM_LOSS,    /* decoder: overflow or error */
	ITEM_SESSION, /* truth: TraceEn was set */
};

/* Kinds of branches that both sides can distinguish. */
enum item_class {
	CLASS_NONE,
	CLASS_CONDITIONAL,
	CLASS_JUMP,
	CLASS_CALL,
	CLASS_RETURN,
	CLASS_FAR,
	CLASS_ASYNC,
};

struct item {
	uint8_t type;
	uint8_t class;
	bool to_known;
	bool early; /* decoder: an end at a write to CR3 */
	uint64_t from;
	uint64_t to;
	uint64_t tsc;
	uint32_t early_ns; /* ktrace-hw: how much earlier than tsc it may be */
	uint32_t late_ns;  /* and how much later */
	uint64_t position; /* byte of the trace, or number of the record */
};

#endif
