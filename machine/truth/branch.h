/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TRUTH_BRANCH_H
#define KT_MACHINE_TRUTH_BRANCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* This is what one instruction means to the truth, from its bytes. */
struct branch {
	uint8_t kind;	   /* enum truth_kind, or 0: no branch */
	bool near_sp;	   /* SP before it = SP after it + sp_change */
	bool far_sp;	   /* SP must be read before it runs */
	bool traps;	   /* counts as executed when it raises */
	bool calls;	   /* is a branch that QEMU reports as an exception */
	bool halts;	   /* the CPU may wait: time jumps behind it */
	int32_t sp_change; /* bytes, with near_sp */
};

enum special {
	SPECIAL_NONE,
	SPECIAL_CONTROL,   /* may write a register of the trace unit's */
	SPECIAL_CLOCK,	   /* reads the clock that the trace has */
	SPECIAL_HAND_OVER, /* may name the place where tasks are switched */
};

/* Each architecture's own (x86/, arm64/). */
struct branch branch_classify(const uint8_t *bytes, size_t size);

enum special branch_special(const uint8_t *bytes, size_t size);

#endif
