/* SPDX-License-Identifier: MIT */
#include "symbolize/arch/arch_tables.h"

/* arch/arm64/kernel/entry.S of Linux 4.1 to 6.15: the vectors only select the
 * handler to jump to (el1h_64_irq, el0t_64_sync …); __switch_to() prepares a
 * switch, cpu_switch_to() changes stacks. Veneers jump to targets out of a
 * branch's range.
 */
static const struct name_rule roles[] = {
	{ "vectors", false, CODE_VECTOR },
	{ "tramp_vectors", false, CODE_VECTOR },
	{ "cpu_switch_to", false, CODE_SWITCH_POINT },
	{ "begin_new_exec", false, CODE_EXEC_POINT },
	{ "flush_old_exec", false, CODE_EXEC_POINT },
};

static const struct name_ending endings[] = {
	{ "_veneer", CODE_INDIRECT_THUNK },
};

/* arch/arm64/kernel/entry-common.c of Linux 5.10 to 6.15. The kind of a
 * synchronous exception is known only after its common handler.
 */
static const struct name_rule entries[] = {
	{ "el0_svc", true, CONTEXT_SYSTEM_CALL },
	{ "do_el0_svc", true, CONTEXT_SYSTEM_CALL },
	{ "el0_da", false, CONTEXT_FAULT },
	{ "el0_ia", false, CONTEXT_FAULT },
	{ "el1_abort", false, CONTEXT_FAULT },
	{ "el1h_64_irq", true, CONTEXT_INTERRUPT },
	{ "el1t_64_irq", true, CONTEXT_INTERRUPT },
	{ "el0t_64_irq", true, CONTEXT_INTERRUPT },
	{ "el0t_32_irq", true, CONTEXT_INTERRUPT },
	{ "el1h_64_fiq", true, CONTEXT_INTERRUPT },
	{ "el0t_64_fiq", true, CONTEXT_INTERRUPT },
	{ "el0t_32_fiq", true, CONTEXT_INTERRUPT },
	{ "el1_irq", false, CONTEXT_INTERRUPT },
	{ "el0_irq", true, CONTEXT_INTERRUPT },
	{ "el1_interrupt", false, CONTEXT_INTERRUPT },
	{ "el0_interrupt", false, CONTEXT_INTERRUPT },
	{ "el0_", true, CONTEXT_EXCEPTION },
	{ "el1_", true, CONTEXT_EXCEPTION },
	{ "el1h_64_error", true, CONTEXT_EXCEPTION },
	{ "el0t_64_error", true, CONTEXT_EXCEPTION },
	{ "el0t_32_error", true, CONTEXT_EXCEPTION },
};

/* arch/arm64/kernel/entry-common.c, syscall.c and mm/fault.c of Linux 6.1 to
 * 7.3: the functions called by noinstr code there.
 */
static const struct arch_graph_rule graph_rules[] = {
	{ "do_el0_svc", true, GRAPH_ROLE_SYSTEM_CALL, "el0_svc" },
	{ "el0_svc_common", true, GRAPH_ROLE_SYSTEM_CALL, "el0_svc" },
	{ "invoke_syscall", false, GRAPH_ROLE_SYSTEM_CALL, "el0_svc" },
	{ "__arm64_sys_", true, GRAPH_ROLE_SYSTEM_CALL, "el0_svc" },
	{ "__arm64_compat_sys_", true, GRAPH_ROLE_SYSTEM_CALL, "el0_svc" },
	{ "syscall_trace_enter", true, GRAPH_ROLE_WAY_IN, "el0_svc" },
	{ "do_mem_abort", false, GRAPH_ROLE_FAULT, "el0_da" },
	{ "do_page_fault", false, GRAPH_ROLE_FAULT, "el0_da" },
	{ "irq_enter_rcu", false, GRAPH_ROLE_INTERRUPT, "el1_interrupt" },
	{ "do_notify_resume", false, GRAPH_ROLE_WAY_OUT, "" },
};

/* arch/arm64/include/asm/syscall_wrapper.h. */
static const char *const system_call_prefixes[] = {
	"__arm64_sys_",
	"__arm64_compat_sys_",
};

/* enum perf_event_arm_regs in arch/arm64/include/uapi/asm/perf_regs.h. */
static const char *const user_registers[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",	 "x7",	"x8",
	"x9",  "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
	"x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26",
	"x27", "x28", "x29", "lr",  "sp",  "pc",
};

/* DWARF for the Arm 64-bit Architecture (aadwarf64): x0 to x30, sp, pc. */
static const uint8_t perf_registers[] = {
	0,  1,	2,  3,	4,  5,	6,  7,	8,  9,	10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
};

/* Frame records are below the rest of a frame. Addresses of user code have 48
 * bits; the bits above may be a signature or a tag. Debian's vdso has no unwind
 * information. Since Linux 5.8 no vdso has it for the code that ends signal
 * handlers, mov x8, #139; svc #0. Above the stack pointer are then the signal's
 * siginfo and ucontext: see struct rt_sigframe in arch/arm64/kernel/signal.c.
 */
const struct arch arch_arm64 = {
	.name = "arm64",
	.arch = RECORDING_ARCH_ARM64,
	ARCH_TABLES(roles, entries, system_call_prefixes, user_registers),
	.exception_prefix = "el1h_64_sync",
	.vector_prefix = "el1h_64_",
	.graph_rules = graph_rules,
	.graph_rule_count = ARCH_COUNT(graph_rules),
	.role_endings = endings,
	.role_ending_count = ARCH_COUNT(endings),
	.system_call_bytes = 4,
	.min_conditional_bytes = 4,
	.max_conditional_bytes = 4,
	.kernel_start = UINT64_C(1) << 63,
	.frames = {
		.perf_registers = perf_registers,
		.register_count = ARCH_COUNT(perf_registers),
		.code_address = 32,
		.stack_pointer = 31,
		.frame_pointer = 29,
		.link_register = 30,
		.code_bits = (UINT64_C(1) << 48) - 1,
		.signal_return = {
			0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4,
		},
		.signal_return_bytes = 8,
		.signal_registers = 312,
	},
};
