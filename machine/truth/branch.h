/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TRUTH_BRANCH_H
#define KT_MACHINE_TRUTH_BRANCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one instruction means to the truth, from its bytes (64-bit mode).
 *
 * Source: Intel SDM volume 2, appendix A (opcode maps).
 */
struct branch {
	uint8_t kind;	   /* enum truth_kind, or 0: no branch */
	bool near_sp;	   /* SP before it = SP after it + sp_change */
	bool far_sp;	   /* SP must be read before it runs */
	bool traps;	   /* counts as executed when it raises */
	bool halts;	   /* hlt, mwait: time jumps behind it */
	int32_t sp_change; /* bytes, with near_sp */
};

struct branch branch_classify(const uint8_t *bytes, size_t size);

enum special {
	SPECIAL_NONE,
	SPECIAL_WRMSR,
	SPECIAL_RDTSC, /* rdtscp too */
	SPECIAL_CPUID,
};

enum special branch_special(const uint8_t *bytes, size_t size);

#endif
