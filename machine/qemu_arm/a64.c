/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu_arm/a64.h"

#include <stddef.h>

/* The first match counts. B.cond with condition AL or NV, which always
 * branches, is before B.cond.
 */
static const struct {
	uint32_t mask, value;
	enum ete_branch branch;
} branches[] = {
	{ 0xff00000e, 0x5400000e, ETE_BRANCH_DIRECT },	      /* B.AL, B.NV */
	{ 0xff000000, 0x54000000, ETE_BRANCH_CONDITIONAL },   /* B.cond, BC */
	{ 0x7e000000, 0x34000000, ETE_BRANCH_CONDITIONAL },   /* CBZ, CBNZ */
	{ 0x7e000000, 0x36000000, ETE_BRANCH_CONDITIONAL },   /* TBZ, TBNZ */
	{ 0xfc000000, 0x14000000, ETE_BRANCH_DIRECT },	      /* B */
	{ 0xfc000000, 0x94000000, ETE_BRANCH_LINK },	      /* BL */
	{ 0xfeff0000, 0xd61f0000, ETE_BRANCH_INDIRECT },      /* BR, BRA* */
	{ 0xfeff0000, 0xd63f0000, ETE_BRANCH_INDIRECT_LINK }, /* BLR, BLRA* */
	{ 0xfeff0000, 0xd65f0000, ETE_BRANCH_INDIRECT },      /* RET, RETA* */
	{ 0xffff0000, 0xd69f0000, ETE_BRANCH_EXCEPTION_RETURN }, /* ERET* */
	{ 0xfffff0ff, 0xd50330df, ETE_BRANCH_ISB },
};

enum ete_branch a64_branch(uint32_t insn)
{
	for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++)
		if ((insn & branches[i].mask) == branches[i].value)
			return branches[i].branch;
	return ETE_BRANCH_NONE;
}

/* MRS and MSR by system register. */
static const struct {
	uint32_t mask, value;
	bool read, write;
	enum a64_special special;
} accesses[] = {
	{ A64_REGISTER(3, 7, 0, 0, 0), A64_REGISTER(2, 1, 0, 0, 0), true, true,
	  A64_TRACE_REGISTER },
	{ A64_REGISTER(3, 7, 15, 15, 0), A64_REGISTER(3, 0, 9, 11, 0), true,
	  true, A64_TRACE_REGISTER },
	{ 0xffff, A64_REGISTER(3, 0, 1, 2, 1), true, true, A64_TRACE_REGISTER },
	{ 0xffff, A64_REGISTER(3, 0, 0, 5, 0), true, false,
	  A64_DEBUG_FEATURES },
	{ 0xffff, A64_REGISTER(3, 0, 13, 0, 1), false, true, A64_CONTEXT_ID },
	{ 0xffff, A64_REGISTER(3, 3, 14, 0, 1), true, false, A64_COUNTER },
	{ 0xffff, A64_REGISTER(3, 3, 14, 0, 2), true, false, A64_COUNTER },
	{ 0xffff, A64_REGISTER(3, 3, 14, 0, 5), true, false, A64_COUNTER },
	{ 0xffff, A64_REGISTER(3, 3, 14, 0, 6), true, false, A64_COUNTER },
};

static enum a64_special access_special(uint32_t insn)
{
	unsigned which = a64_system_register(insn);
	bool read = a64_is_read(insn);

	for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++)
		if ((which & accesses[i].mask) == accesses[i].value &&
		    (read ? accesses[i].read : accesses[i].write))
			return accesses[i].special;
	return A64_ORDINARY;
}

enum a64_special a64_special(uint32_t insn)
{
	if ((insn & 0xffd00000) == 0xd5100000)
		return access_special(insn);
	if (insn == 0xd503205f || insn == 0xd503207f ||
	    (insn & 0xffffffc0) == 0xd5031000)
		return A64_WAIT;
	if (insn == 0xd503225f)
		return A64_TRACE_SYNC;
	return A64_ORDINARY;
}
