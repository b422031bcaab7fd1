/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_THUNK_FOLD_H
#define KT_SYMBOLIZE_THUNK_FOLD_H

#include "decoder/flow/flow.h"
#include "symbolize/functions/address_map.h"

#include <stdbool.h>

/* Execution inside thunks stands for one transfer of control: the call, jump
 * or return that entered them; inside exception vectors, for the exception.
 * Folding goes by address, not by what the thunk does inside, so every variant
 * of the kernel's mitigations fits.
 */
struct thunk_fold {
	bool active;
	uint8_t exit;		 /* what the thunks stand for: enum flow_exit,
				 * or another way into a vector */
	uint32_t from;		 /* the function that entered them */
	uint64_t return_address; /* of FLOW_EXIT_CALL */
};

/* Folds broken off by interrupts, which go on when those return. */
struct thunk_fold_stack {
	struct {
		struct thunk_fold fold;
		uint64_t address;
	} saved[8];
	unsigned int count;
};

/* Returns whether @symbol is a thunk or vector. */
bool thunk_fold_covers(const struct symbol *symbol);

/* Begins a fold: function @from left by @exit (with @return_address if that
 * is a call) and came to thunk @symbol.
 */
void thunk_fold_begin(struct thunk_fold *fold, const struct symbol *symbol,
		      uint8_t exit, uint32_t from, uint64_t return_address);

/* Puts an active @fold aside: an exception came at @address.  The oldest of
 * too many is forgotten.
 */
void thunk_fold_suspend(struct thunk_fold_stack *stack, struct thunk_fold *fold,
			uint64_t address);

/* Makes the fold that was put aside at @address active again, if there is
 * one.  Returns whether there is.
 */
bool thunk_fold_resume(struct thunk_fold_stack *stack, struct thunk_fold *fold,
		       uint64_t address);

#endif
