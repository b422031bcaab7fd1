/* SPDX-License-Identifier: MIT */
#include "symbolize/arch/arch_tables.h"

/* arch/arm/kernel/entry-armv.S of Linux 3.0 to 6.15: the stubs of the vectors
 * select the handler for the interrupted mode (__irq_svc, __irq_usr …);
 * vector_swi itself handles system calls. Veneers and the linker's glue between
 * A32 and T32 jump to targets out of a branch's range.
 */
static const struct name_rule roles[] = {
	{ "vector_rst", false, CODE_VECTOR },
	{ "vector_irq", false, CODE_VECTOR },
	{ "vector_fiq", false, CODE_VECTOR },
	{ "vector_dabt", false, CODE_VECTOR },
	{ "vector_pabt", false, CODE_VECTOR },
	{ "vector_und", false, CODE_VECTOR },
	{ "__switch_to", false, CODE_SWITCH_POINT },
	{ "begin_new_exec", false, CODE_EXEC_POINT },
	{ "flush_old_exec", false, CODE_EXEC_POINT },
};

static const struct name_ending endings[] = {
	{ "_veneer", CODE_INDIRECT_THUNK },
	{ "_from_arm", CODE_INDIRECT_THUNK },
	{ "_from_thumb", CODE_INDIRECT_THUNK },
};

/* arch/arm/kernel/entry-armv.S, entry-common.S. */
static const struct name_rule entries[] = {
	{ "vector_swi", false, CONTEXT_SYSTEM_CALL },
	{ "__dabt_", true, CONTEXT_FAULT },
	{ "__pabt_", true, CONTEXT_FAULT },
	{ "__irq_svc", false, CONTEXT_INTERRUPT },
	{ "__irq_usr", false, CONTEXT_INTERRUPT },
	{ "__fiq_", true, CONTEXT_INTERRUPT },
	{ "__und_", true, CONTEXT_EXCEPTION },
};

static const char *const system_call_prefixes[] = { "__se_sys_", "sys_" };

/* enum perf_event_arm_regs in arch/arm/include/uapi/asm/perf_regs.h. */
static const char *const user_registers[] = {
	"r0", "r1", "r2",  "r3", "r4", "r5", "r6", "r7",
	"r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc",
};

const struct arch arch_arm = {
	.name = "arm",
	.arch = RECORDING_ARCH_ARM,
	ARCH_TABLES(roles, entries, system_call_prefixes, user_registers),
	.role_endings = endings,
	.role_ending_count = ARCH_COUNT(endings),
	.system_call_bytes = 4,
	/* T32 has branches of two bytes. */
	.min_conditional_bytes = 2,
	.max_conditional_bytes = 4,
	/* Modules are in the 16 MiB below the usual start of the kernel
	 * (Documentation/arch/arm/memory.rst).
	 */
	.kernel_start = 0xbf000000,
};
