/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/ete_walk.h"
#include "machine/qemu_arm/a64.h"

#include <stdlib.h>

enum { NOP = 0xd503201f, ISB = 0xd5033fdf, INSN = 4, VECTOR = 0x280 };

static uint64_t draw(struct walk *walk, uint64_t below)
{
	walk->random ^= walk->random << 13;
	walk->random ^= walk->random >> 7;
	walk->random ^= walk->random << 17;
	return walk->random % below;
}

static uint32_t relative(struct walk *walk, unsigned at, unsigned bits)
{
	unsigned target = (unsigned)draw(walk, WALK_INSNS);

	return (target - at) & ((1u << bits) - 1);
}

/* Half of the instructions are not branches. */
static uint32_t make_insn(struct walk *walk, unsigned at, bool kernel)
{
	switch (draw(walk, 16)) {
	case 0:
		return 0x14000000 | relative(walk, at, 26);
	case 1:
	case 2:
		return 0x54000001 | relative(walk, at, 19) << 5;
	case 3:
		return 0x34000000 | relative(walk, at, 19) << 5;
	case 4:
		return 0x94000000 | relative(walk, at, 26);
	case 5:
		return 0xd63f0020; /* BLR x1 */
	case 6:
		return 0xd61f0020; /* BR x1 */
	case 7:
		return 0xd65f03c0; /* RET */
	case 8:
		return kernel ? 0xd69f03e0 : NOP; /* ERET */
	case 9:
		return ISB;
	default:
		return NOP;
	}
}

void walk_init(struct walk *walk, struct ete_unit *unit, uint64_t seed)
{
	*walk = (struct walk){ .unit = unit,
			       .random = seed | 1,
			       .pc = WALK_KERNEL,
			       .time = { .known = true } };
	for (unsigned i = 0; i < WALK_INSNS; i++) {
		walk->kernel[i] = make_insn(walk, i, true);
		walk->user[i] = make_insn(walk, i, false);
	}
	/* The last instruction returns, so that execution cannot leave the
	 * code.
	 */
	walk->kernel[WALK_INSNS - 1] = 0xd65f03c0;
	walk->user[WALK_INSNS - 1] = 0xd65f03c0;
}

void walk_free(struct walk *walk)
{
	free(walk->addresses);
}

bool walk_code(void *context, uint64_t address, uint32_t *insn)
{
	const struct walk *walk = context;
	uint64_t kernel = (address - WALK_KERNEL) / INSN;
	uint64_t user = (address - WALK_USER) / INSN;

	if (address >= WALK_KERNEL && kernel < WALK_INSNS)
		*insn = walk->kernel[kernel];
	else if (address >= WALK_USER && user < WALK_INSNS)
		*insn = walk->user[user];
	else
		return false;
	return true;
}

static void execute(struct walk *walk, uint64_t address)
{
	if (walk->count == walk->room) {
		walk->room = walk->room ? 2 * walk->room : 4096;
		walk->addresses =
			realloc(walk->addresses, walk->room * sizeof(uint64_t));
		if (!walk->addresses)
			abort();
	}
	walk->addresses[walk->count++] = address;
	walk->time.timestamp += 1 + draw(walk, 3);
	walk->time.cycles += 1 + draw(walk, 3);
}

static uint64_t anywhere(struct walk *walk, bool kernel)
{
	return (kernel ? WALK_KERNEL : WALK_USER) +
	       draw(walk, WALK_INSNS) * INSN;
}

static uint64_t direct_target(uint64_t pc, uint32_t insn)
{
	bool wide = (insn & 0x7c000000) == 0x14000000;
	int32_t offset = wide ? (int32_t)(insn << 6) >> 6 :
				(int32_t)(insn << 8) >> 13;

	return pc + (uint64_t)(int64_t)offset * INSN;
}

/* Mostly returns to the caller. */
static uint64_t indirect_target(struct walk *walk)
{
	bool kernel = walk->pc >> 63;

	if (walk->depth && draw(walk, 4)) {
		uint64_t target = walk->calls[--walk->depth];

		if (target >> 63 == kernel)
			return target;
	}
	return anywhere(walk, kernel);
}

static uint64_t target_of(struct walk *walk, enum ete_branch kind,
			  uint32_t insn)
{
	switch (kind) {
	case ETE_BRANCH_DIRECT:
	case ETE_BRANCH_LINK:
		return direct_target(walk->pc, insn);
	case ETE_BRANCH_CONDITIONAL:
		if (draw(walk, 4))
			return direct_target(walk->pc, insn);
		return walk->pc + INSN;
	case ETE_BRANCH_INDIRECT:
		return indirect_target(walk);
	case ETE_BRANCH_INDIRECT_LINK:
		return anywhere(walk, walk->pc >> 63);
	case ETE_BRANCH_EXCEPTION_RETURN:
		return anywhere(walk, draw(walk, 2));
	case ETE_BRANCH_NONE:
	case ETE_BRANCH_ISB:
		break;
	}
	return walk->pc + INSN;
}

static void branch(struct walk *walk, enum ete_branch kind, uint32_t insn)
{
	uint64_t next = walk->pc + INSN;
	uint64_t to = target_of(walk, kind, insn);

	execute(walk, walk->pc);
	walk->known = walk->count;
	if (kind == ETE_BRANCH_LINK || kind == ETE_BRANCH_INDIRECT_LINK) {
		walk->depth %= WALK_CALLS;
		walk->calls[walk->depth++] = next;
	}
	ete_unit_branch(walk->unit, kind, next, to, &walk->time);
	walk->pc = to;
}

static void exception(struct walk *walk)
{
	ete_unit_exception(walk->unit, ETE_EXCEPTION_IRQ, walk->pc,
			   &walk->time);
	walk->exceptions++;
	walk->known = walk->count;
	walk->pc = WALK_KERNEL + VECTOR;
}

/* Returns the address of the next branch. */
static uint64_t end_of_stretch(struct walk *walk, enum ete_branch *kind,
			       uint32_t *insn)
{
	uint64_t at = walk->pc;

	while (walk_code(walk, at, insn) &&
	       (*kind = a64_branch(*insn)) == ETE_BRANCH_NONE)
		at += INSN;
	return at;
}

static void execute_until(struct walk *walk, uint64_t end)
{
	for (; walk->pc < end; walk->pc += INSN)
		execute(walk, walk->pc);
}

/* QEMU's blocks end at branches, and elsewhere, too. */
static void stretch(struct walk *walk, uint64_t end)
{
	uint64_t middle =
		walk->pc + draw(walk, (end - walk->pc) / INSN + 1) * INSN;

	if (middle > walk->pc) {
		ete_unit_arrive(walk->unit, walk->pc, middle, &walk->time);
		execute_until(walk, middle);
	}
	ete_unit_arrive(walk->unit, walk->pc, end + INSN, &walk->time);
	execute_until(walk, end);
}

void walk_step(struct walk *walk)
{
	enum ete_branch kind = ETE_BRANCH_NONE;
	uint32_t insn = 0;
	uint64_t end;

	if (!draw(walk, 200))
		ete_unit_context_id(walk->unit, ++walk->context_id);
	end = end_of_stretch(walk, &kind, &insn);
	if (!draw(walk, 100)) {
		ete_unit_arrive(walk->unit, walk->pc, walk->pc, &walk->time);
		exception(walk);
	} else if (!draw(walk, 50)) {
		stretch(walk, end);
		exception(walk);
	} else {
		stretch(walk, end);
		branch(walk, kind, insn);
	}
}
