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

/* A reading that QEMU executes and whose value is then put right or noted. */
enum vcpu_pending {
	VCPU_PENDING_NONE,
	VCPU_PENDING_DEBUG_FEATURES,
	VCPU_PENDING_COUNTER,
};

/* One virtual CPU: its trace unit and what is needed to drive it. */
struct vcpu {
	struct vcpu_board *board;
	struct guest guest;
	struct guest_clock clock;
	struct ete_unit unit;
	unsigned index;
	const struct block *block; /* being executed, NULL: not known */
	uint64_t block_start;	   /* where it is this time */
	bool context_moved;	   /* CONTEXTIDR_EL1, by the last block */
	enum vcpu_pending pending;
	unsigned pending_operand; /* where the reading goes */
	FILE *dump;		  /* what the unit wrote, or NULL */
};

#endif
