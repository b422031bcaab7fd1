/* SPDX-License-Identifier: MIT */
#include "symbolize/arch/arch.h"

#include <string.h>

#define ARCH_COUNT(table) (sizeof(table) / sizeof(*(table)))

/* For the initialiser of a struct arch: its tables, all of them arrays, with
 * their counts.
 */
#define ARCH_TABLES(role_table, entry_table, prefixes, registers) \
	.roles = (role_table), .role_count = ARCH_COUNT(role_table), \
	.entries = (entry_table), .entry_count = ARCH_COUNT(entry_table), \
	.system_call_prefixes = (prefixes), \
	.system_call_prefix_count = ARCH_COUNT(prefixes), \
	.user_registers = (registers), \
	.user_register_count = ARCH_COUNT(registers)

/* Gives symbols whose name has this ending a role. */
struct name_ending {
	const char *end;
	uint8_t role; /* enum code_role */
};

/* Thunks: arch/x86/lib/retpoline.S and arch/x86/kernel/callthunks.c of Linux
 * 5.10 to 6.15. The untrain functions there are called and return like any
 * other function, so they are not thunks.
 */
static const struct name_rule x86_roles[] = {
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
static const struct name_rule x86_entries[] = {
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
static const struct arch_graph_rule x86_graph_rules[] = {
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
static const char *const x86_system_call_prefixes[] = {
	"__x64_sys_",	     "__ia32_sys_",	  "__ia32_compat_sys_",
	"__x64_compat_sys_", "__x32_compat_sys_",
};

/* enum perf_event_x86_regs in arch/x86/include/uapi/asm/perf_regs.h. */
static const char *const x86_user_registers[] = {
	"ax", "bx",    "cx",  "dx",  "si",  "di",  "bp",  "sp",
	"ip", "flags", "cs",  "ss",  "ds",  "es",  "fs",  "gs",
	"r8", "r9",    "r10", "r11", "r12", "r13", "r14", "r15",
};

/* System V ABI, AMD64 supplement, figure 3.36: ax dx cx bx si di bp sp r8 to
 * r15, and the return address.
 */
static const uint8_t x86_perf_registers[] = {
	0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8,
};

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.arch = RECORDING_ARCH_X86_64,
	ARCH_TABLES(x86_roles, x86_entries, x86_system_call_prefixes,
		    x86_user_registers),
	.graph_rules = x86_graph_rules,
	.graph_rule_count = ARCH_COUNT(x86_graph_rules),
	.system_call_bytes = 2,
	/* jcc rel8 has 2 bytes, jcc rel32 6, or 7 with a branch hint. */
	.kernel_start = UINT64_C(1) << 63,
	.frames = {
		.perf_registers = x86_perf_registers,
		.register_count = ARCH_COUNT(x86_perf_registers),
		.code_address = 16,
		.stack_pointer = 7,
		.frame_pointer = 6,
		.frame_ends_there = true,
		.code_bits = UINT64_MAX,
	},
};

/* arch/arm64/kernel/entry.S of Linux 4.1 to 6.15: the vectors only select the
 * handler to jump to (el1h_64_irq, el0t_64_sync …); __switch_to() prepares a
 * switch, cpu_switch_to() changes stacks. Veneers jump to targets out of a
 * branch's range.
 */
static const struct name_rule arm64_roles[] = {
	{ "vectors", false, CODE_VECTOR },
	{ "tramp_vectors", false, CODE_VECTOR },
	{ "cpu_switch_to", false, CODE_SWITCH_POINT },
	{ "begin_new_exec", false, CODE_EXEC_POINT },
	{ "flush_old_exec", false, CODE_EXEC_POINT },
};

static const struct name_ending arm64_endings[] = {
	{ "_veneer", CODE_INDIRECT_THUNK },
};

/* arch/arm64/kernel/entry-common.c of Linux 5.10 to 6.15. The kind of a
 * synchronous exception is known only after its common handler.
 */
static const struct name_rule arm64_entries[] = {
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
static const struct arch_graph_rule arm64_graph_rules[] = {
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
static const char *const arm64_system_call_prefixes[] = {
	"__arm64_sys_",
	"__arm64_compat_sys_",
};

/* enum perf_event_arm_regs in arch/arm64/include/uapi/asm/perf_regs.h. */
static const char *const arm64_user_registers[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",	 "x7",	"x8",
	"x9",  "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
	"x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26",
	"x27", "x28", "x29", "lr",  "sp",  "pc",
};

/* DWARF for the Arm 64-bit Architecture (aadwarf64): x0 to x30, sp, pc. */
static const uint8_t arm64_perf_registers[] = {
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
	ARCH_TABLES(arm64_roles, arm64_entries, arm64_system_call_prefixes,
		    arm64_user_registers),
	.exception_prefix = "el1h_64_sync",
	.vector_prefix = "el1h_64_",
	.graph_rules = arm64_graph_rules,
	.graph_rule_count = ARCH_COUNT(arm64_graph_rules),
	.role_endings = arm64_endings,
	.role_ending_count = ARCH_COUNT(arm64_endings),
	.system_call_bytes = 4,
	.kernel_start = UINT64_C(1) << 63,
	.frames = {
		.perf_registers = arm64_perf_registers,
		.register_count = ARCH_COUNT(arm64_perf_registers),
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

/* arch/arm/kernel/entry-armv.S of Linux 3.0 to 6.15: the stubs of the vectors
 * select the handler for the interrupted mode (__irq_svc, __irq_usr …);
 * vector_swi itself handles system calls. Veneers and the linker's glue between
 * A32 and T32 jump to targets out of a branch's range.
 */
static const struct name_rule arm_roles[] = {
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

static const struct name_ending arm_endings[] = {
	{ "_veneer", CODE_INDIRECT_THUNK },
	{ "_from_arm", CODE_INDIRECT_THUNK },
	{ "_from_thumb", CODE_INDIRECT_THUNK },
};

/* arch/arm/kernel/entry-armv.S, entry-common.S. */
static const struct name_rule arm_entries[] = {
	{ "vector_swi", false, CONTEXT_SYSTEM_CALL },
	{ "__dabt_", true, CONTEXT_FAULT },
	{ "__pabt_", true, CONTEXT_FAULT },
	{ "__irq_svc", false, CONTEXT_INTERRUPT },
	{ "__irq_usr", false, CONTEXT_INTERRUPT },
	{ "__fiq_", true, CONTEXT_INTERRUPT },
	{ "__und_", true, CONTEXT_EXCEPTION },
};

static const char *const arm_system_call_prefixes[] = { "__se_sys_", "sys_" };

/* enum perf_event_arm_regs in arch/arm/include/uapi/asm/perf_regs.h. */
static const char *const arm_user_registers[] = {
	"r0", "r1", "r2",  "r3", "r4", "r5", "r6", "r7",
	"r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc",
};

static const struct arch arch_arm = {
	.name = "arm",
	.arch = RECORDING_ARCH_ARM,
	ARCH_TABLES(arm_roles, arm_entries, arm_system_call_prefixes,
		    arm_user_registers),
	.role_endings = arm_endings,
	.role_ending_count = ARCH_COUNT(arm_endings),
	.system_call_bytes = 4,
	/* T32 has branches of two bytes. */
	/* Modules are in the 16 MiB below the usual start of the kernel
	 * (Documentation/arch/arm/memory.rst).
	 */
	.kernel_start = 0xbf000000,
};

static const struct arch *const known_archs[] = {
	&arch_x86_64,
	&arch_arm64,
	&arch_arm,
};

const struct arch *arch_for(enum recording_arch arch)
{
	for (size_t i = 0; i < ARCH_COUNT(known_archs); i++)
		if (known_archs[i]->arch == arch)
			return known_archs[i];
	return &arch_x86_64;
}

static bool has_ending(const char *name, size_t length, const char *end)
{
	size_t size = strlen(end);

	return length >= size && !memcmp(name + length - size, end, size);
}

enum code_role arch_role(const struct arch *arch,
			 const struct name_lookup *roles, const char *name,
			 size_t length)
{
	const struct name_rule *rule =
		name_lookup_find_part(roles, name, length);

	if (rule)
		return rule->value;
	for (size_t i = 0; i < arch->role_ending_count; i++)
		if (has_ending(name, length, arch->role_endings[i].end))
			return arch->role_endings[i].role;
	return CODE_FUNCTION;
}

/* Rules for all architectures: kernel/softirq.c, kernel/entry/common.c,
 * include/linux/resume_user_mode.h, kernel/time/hrtimer.c and
 * kernel/sched/core.c of Linux 6.1 to 7.3.
 */
static const struct arch_graph_rule common_graph_rules[] = {
	{ "irq_exit_rcu", false, GRAPH_ROLE_INTERRUPT_END, "" },
	{ "raw_irqentry_exit_cond_resched", false, GRAPH_ROLE_INTERRUPT_TAIL,
	  "" },
	{ "__hrtimer_rearm_deferred", false, GRAPH_ROLE_INTERRUPT_TAIL, "" },
	{ "preempt_schedule_irq", false, GRAPH_ROLE_INTERRUPT_TAIL, "" },
	{ "__traceiter_sched_switch", false, GRAPH_ROLE_SWITCHING,
	  "__schedule" },
	{ "finish_task_switch", false, GRAPH_ROLE_SWITCHED, "__schedule" },
	{ "exit_to_user_mode_loop", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "schedule", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "uprobe_notify_resume", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "klp_update_patch_state", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "arch_do_signal_or_restart", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "task_work_run", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "mem_cgroup_handle_over_high", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "__mem_cgroup_handle_over_high", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "blkcg_maybe_throttle_current", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "__rseq_handle_notify_resume", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "syscall_exit_to_user_mode_prepare", false, GRAPH_ROLE_CALL_WAY_OUT,
	  "" },
	{ "syscall_exit_work", false, GRAPH_ROLE_CALL_WAY_OUT, "" },
	{ "exit_to_user_mode_prepare", false, GRAPH_ROLE_LAST_WAY_OUT, "" },
};

static const struct arch_graph_rule *
find_graph_rule(const struct arch_graph_rule *rules, size_t count,
		const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (rules[i].is_prefix ? !strncmp(rules[i].name, name,
						  strlen(rules[i].name)) :
					 !strcmp(rules[i].name, name))
			return &rules[i];
	return NULL;
}

const struct arch_graph_rule *arch_graph_rule(const struct arch *arch,
					      const char *name)
{
	const struct arch_graph_rule *own = find_graph_rule(
		arch->graph_rules, arch->graph_rule_count, name);

	return own ? own :
		     find_graph_rule(common_graph_rules,
				     ARCH_COUNT(common_graph_rules), name);
}

const char *arch_system_call(const struct arch *arch, const char *name)
{
	for (size_t i = 0; i < arch->system_call_prefix_count; i++) {
		size_t size = strlen(arch->system_call_prefixes[i]);

		if (!strncmp(arch->system_call_prefixes[i], name, size) &&
		    name[size])
			return name + size;
	}
	return NULL;
}
