/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_VCPU_H
#define KT_MACHINE_QEMU_ARM_VCPU_H

#include "machine/arm_ete/unit.h"
#include "machine/qemu/vcpu_board.h"
#include "machine/qemu_arm/a64_registers.h"
#include "machine/qemu_arm/block.h"
#include "machine/qemu_arm/guest_clock.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A register reading that QEMU executes and whose value is then corrected or
 * recorded.
 */
enum vcpu_pending {
	VCPU_PENDING_NONE,
	VCPU_PENDING_DEBUG_FEATURES,
	VCPU_PENDING_COUNTER,
};

/* A virtual CPU: its trace unit and the state that drives it. */
struct vcpu {
	struct vcpu_board *board;
	struct guest guest;
	struct guest_clock clock;
	struct ete_unit unit;
	unsigned index;
	const struct block *block; /* the executing block; NULL: unknown */
	uint64_t block_start;	   /* its address in this execution */
	bool context_moved;	   /* the last block wrote CONTEXTIDR_EL1 */
	enum vcpu_pending pending;
	unsigned pending_operand; /* destination register of the reading */
	FILE *dump;		  /* copy of the unit's output, or NULL */
};

#endif
