/* SPDX-License-Identifier: MIT */
#include "symbolize/arch/arch_tables.h"

/* Thunks: arch/x86/lib/retpoline.S and arch/x86/kernel/callthunks.c of Linux
 * 5.10 to 6.15. The untrain functions there are called and return like any
 * other, so they are functions.
 */
static const struct name_rule roles[] = {
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
	/* fs/exec.c; the second until Linux 5.7 */
	{ "begin_new_exec", false, CODE_EXEC_POINT },
	{ "flush_old_exec", false, CODE_EXEC_POINT },
};

/* arch/x86/entry/entry_64.S, entry_64_compat.S and arch/x86/include/asm/
 * idtentry.h of Linux 5.10 to 6.15. Functions called in the middle of an entry
 * count as well: a trace may start there.
 */
static const struct name_rule entries[] = {
	{ "entry_SYSCALL_", true, CONTEXT_SYSTEM_CALL },
	{ "entry_SYSENTER_", true, CONTEXT_SYSTEM_CALL },
	{ "entry_INT80_", true, CONTEXT_SYSTEM_CALL },
	{ "asm_int80_emulation", false, CONTEXT_SYSTEM_CALL },
	{ "do_syscall_64", false, CONTEXT_SYSTEM_CALL },
	{ "do_int80_", true, CONTEXT_SYSTEM_CALL },
	{ "do_fast_syscall_32", false, CONTEXT_SYSTEM_CALL },
	{ "asm_exc_page_fault", false, CONTEXT_FAULT },
	{ "exc_page_fault", false, CONTEXT_FAULT },
	{ "asm_exc_nmi", false, CONTEXT_NMI },
	{ "first_nmi", false, CONTEXT_NMI },
	{ "repeat_nmi", false, CONTEXT_NMI },
	{ "end_repeat_nmi", false, CONTEXT_NMI },
	{ "exc_nmi", false, CONTEXT_NMI },
	{ "asm_exc_", true, CONTEXT_EXCEPTION },
	{ "asm_common_interrupt", false, CONTEXT_INTERRUPT },
	{ "common_interrupt", false, CONTEXT_INTERRUPT },
	{ "asm_spurious_interrupt", false, CONTEXT_INTERRUPT },
	{ "asm_sysvec_", true, CONTEXT_INTERRUPT },
	{ "sysvec_", true, CONTEXT_INTERRUPT },
	{ "irq_entries_start", false, CONTEXT_INTERRUPT },
	/* Another name of the first function of .irqentry.text. */
	{ "__irqentry_text_start", false, CONTEXT_INTERRUPT },
};

/* arch/x86/entry/common.c, arch/x86/include/asm/idtentry.h and
 * arch/x86/mm/fault.c of Linux 6.1 to 7.3: the functions called by noinstr code
 * there. x64_sys_call() exists since 6.9.
 */
static const struct arch_graph_rule graph_rules[] = {
	{ "x64_sys_call", false, GRAPH_ROLE_SYSTEM_CALL, "entry_SYSCALL_64" },
	{ "__x64_sys_", true, GRAPH_ROLE_SYSTEM_CALL, "entry_SYSCALL_64" },
	{ "ia32_sys_call", false, GRAPH_ROLE_SYSTEM_CALL,
	  "entry_SYSCALL_compat" },
	{ "__ia32_", true, GRAPH_ROLE_SYSTEM_CALL, "entry_SYSCALL_compat" },
	{ "syscall_trace_enter", true, GRAPH_ROLE_WAY_IN, "entry_SYSCALL_64" },
	{ "lock_vma_under_rcu", false, GRAPH_ROLE_WAY_IN,
	  "asm_exc_page_fault" },
	{ "lock_mm_and_find_vma", false, GRAPH_ROLE_USER_LOCK,
	  "asm_exc_page_fault" },
	{ "handle_mm_fault", false, GRAPH_ROLE_USER_FAULT,
	  "asm_exc_page_fault" },
	{ "irq_enter_rcu", false, GRAPH_ROLE_INTERRUPT,
	  "asm_common_interrupt" },
	{ "__sysvec_", true, GRAPH_ROLE_VECTOR, "+asm_" },
	{ "fpregs_assert_state_consistent", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "switch_fpu_return", false, GRAPH_ROLE_WAY_OUT, "" },
};

/* arch/x86/include/asm/syscall_wrapper.h. */
static const char *const system_call_prefixes[] = {
	"__x64_sys_",	     "__ia32_sys_",	  "__ia32_compat_sys_",
	"__x64_compat_sys_", "__x32_compat_sys_",
};

/* enum perf_event_x86_regs in arch/x86/include/uapi/asm/perf_regs.h. */
static const char *const user_registers[] = {
	"ax", "bx",    "cx",  "dx",  "si",  "di",  "bp",  "sp",
	"ip", "flags", "cs",  "ss",  "ds",  "es",  "fs",  "gs",
	"r8", "r9",    "r10", "r11", "r12", "r13", "r14", "r15",
};

/* System V ABI, AMD64 supplement, figure 3.36: ax dx cx bx si di bp sp r8 to
 * r15, and the return address.
 */
static const uint8_t perf_registers[] = {
	0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8,
};

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.arch = RECORDING_ARCH_X86_64,
	ARCH_TABLES(roles, entries, system_call_prefixes, user_registers),
	.graph_rules = graph_rules,
	.graph_rule_count = ARCH_COUNT(graph_rules),
	.system_call_bytes = 2,
	/* jcc rel8 has 2 bytes, jcc rel32 6, or 7 with a branch hint. */
	.min_conditional_bytes = 2,
	.max_conditional_bytes = 7,
	.kernel_start = UINT64_C(1) << 63,
	.frames = {
		.perf_registers = perf_registers,
		.register_count = ARCH_COUNT(perf_registers),
		.code_address = 16,
		.stack_pointer = 7,
		.frame_pointer = 6,
		.frame_ends_there = true,
		.code_bits = UINT64_MAX,
	},
};
