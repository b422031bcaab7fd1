/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TRUTH_BRANCH_H
#define KT_MACHINE_TRUTH_BRANCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The relevant properties of one instruction, from its bytes. */
struct branch {
	uint8_t kind;	   /* enum truth_kind, or 0: no branch */
	bool near_sp;	   /* SP before it = SP after it + sp_change */
	bool far_sp;	   /* SP must be read before it runs */
	bool traps;	   /* counts as executed if it raises an exception */
	bool calls;	   /* is a branch that QEMU reports as an exception */
	bool halts;	   /* the CPU may wait: time jumps after it */
	int32_t sp_change; /* bytes, with near_sp */
};

enum special {
	SPECIAL_NONE,
	SPECIAL_CONTROL,   /* may write a register of the trace unit */
	SPECIAL_CLOCK,	   /* reads the clock of the trace */
	SPECIAL_HAND_OVER, /* may pass the location of the task switch */
};

/* Implemented for each architecture (x86/, arm64/). */
struct branch branch_classify(const uint8_t *bytes, size_t size);

enum special branch_special(const uint8_t *bytes, size_t size);

#endif
