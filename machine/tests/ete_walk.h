/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_ETE_WALK_H
#define KT_MACHINE_TESTS_ETE_WALK_H

#include "machine/arm_ete/unit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A program of random A64 code at EL0 and EL1, and a CPU that executes it along
 * random paths and reports that to a trace unit.
 */
#define WALK_KERNEL 0xffff800080000000ull
#define WALK_USER 0x0000aaaa12340000ull
enum { WALK_INSNS = 1 << 17, WALK_CALLS = 64 };

struct walk {
	uint32_t kernel[WALK_INSNS];
	uint32_t user[WALK_INSNS];
	struct ete_unit *unit; /* borrowed */
	uint64_t random;
	uint64_t pc;
	struct ete_time time;
	uint32_t context_id;
	uint64_t calls[WALK_CALLS];
	unsigned depth;
	uint64_t *addresses; /* executed addresses; owned */
	size_t count, room;
	size_t known; /* number of them up to the last branch or exception */
	uint64_t exceptions;
};

void walk_init(struct walk *walk, struct ete_unit *unit, uint64_t seed);
void walk_free(struct walk *walk);

/* Executes code without a branch, and then a branch or an exception. */
void walk_step(struct walk *walk);

/* The ete_code_fn of struct walk. */
bool walk_code(void *walk, uint64_t address, uint32_t *insn);

#endif
