/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_THUNK_FOLD_H
#define KT_SYMBOLIZE_THUNK_FOLD_H

#include "decoder/flow/flow.h"
#include "symbolize/functions/address_map.h"

#include <stdbool.h>

/* A fold: execution inside thunks counts as one transfer of control, the call,
 * jump or return that entered them; execution inside exception vectors as the
 * exception. A thunk is recognized by its address, whatever its code does, so
 * every variant of the kernel's mitigations is covered.
 */
struct thunk_fold {
	bool active;
	/* the transfer that the thunks count as: enum flow_exit, or another
	 * EXIT_ into a vector
	 */
	uint8_t exit;
	uint32_t from;		 /* function that entered the thunks */
	uint64_t return_address; /* if it is a FLOW_EXIT_CALL */
};

/* Folds that exceptions interrupted, and that continue when those return. */
struct thunk_fold_stack {
	struct {
		struct thunk_fold fold;
		uint64_t address;
	} saved[8];
	unsigned int count;
};

/* Returns whether @symbol is a thunk or vector. */
bool thunk_fold_covers(const struct symbol *symbol);

/* Starts a fold: control left function @from by @exit (with @return_address if
 * that is a call) and arrived in thunk @symbol.
 */
void thunk_fold_begin(struct thunk_fold *fold, const struct symbol *symbol,
		      uint8_t exit, uint32_t from, uint64_t return_address);

/* Saves an active @fold, which an exception interrupts at @address, and makes
 * it inactive. If there are too many, drops the oldest.
 */
void thunk_fold_suspend(struct thunk_fold_stack *stack, struct thunk_fold *fold,
			uint64_t address);

/* Restores the fold that was interrupted at @address to *@fold. Returns false
 * if there is none.
 */
bool thunk_fold_resume(struct thunk_fold_stack *stack, struct thunk_fold *fold,
		       uint64_t address);

#endif
