/* SPDX-License-Identifier: MIT */
#include "symbolize/arch.h"

/* Thunks: arch/x86/lib/retpoline.S and arch/x86/kernel/callthunks.c of Linux
 * 5.10 to 6.15.  The untrain functions there are called and return like any
 * other: they are functions.
 */
static const struct arch_rule rules[] = {
	{ "__x86_return_thunk", false, CODE_RETURN_THUNK },
	{ "__x86_return_skl", false, CODE_RETURN_THUNK },
	{ "call_depth_return_thunk", false, CODE_RETURN_THUNK },
	{ "its_return_thunk", false, CODE_RETURN_THUNK },
	{ "retbleed_return_thunk", false, CODE_RETURN_THUNK },
	{ "zen_return_thunk", false, CODE_RETURN_THUNK },
	{ "srso_return_thunk", false, CODE_RETURN_THUNK },
	{ "srso_alias_return_thunk", false, CODE_RETURN_THUNK },
	{ "srso_safe_ret", false, CODE_RETURN_THUNK },
	{ "srso_alias_safe_ret", false, CODE_RETURN_THUNK },
	{ "__x86_indirect_", true, CODE_INDIRECT_THUNK },
	{ "__switch_to", false, CODE_SWITCH_POINT },
	{ "asm_exc_nmi", false, CODE_NMI },
	/* Before Linux 5.8. */
	{ "nmi", false, CODE_NMI },
};

/* enum perf_event_x86_regs in arch/x86/include/uapi/asm/perf_regs.h. */
static const char *const user_registers[] = {
	"ax", "bx", "cx", "dx", "si", "di",  "bp",  "sp",
	"ip", "flags", "cs", "ss", "ds", "es", "fs", "gs",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
};

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.arch = RECORDING_ARCH_X86_64,
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(*rules),
	/* jcc rel8 has 2 bytes, jcc rel32 6, or 7 with a branch hint. */
	.min_conditional_bytes = 2,
	.max_conditional_bytes = 7,
	.kernel_start = UINT64_C(1) << 63,
	.user_registers = user_registers,
	.user_register_count = sizeof(user_registers) / sizeof(*user_registers),
};
