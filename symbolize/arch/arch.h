/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_ARCH_ARCH_H
#define KT_SYMBOLIZE_ARCH_ARCH_H

/* All knowledge of a CPU architecture that decoding needs beyond its
 * instructions: one constant table for each, chosen by the recording
 * (arch_for()). Other code reads the table through functions that take it.
 *
 *	symbol name ─► roles        thunks, vectors, the switch point
 *	            ─► entries      the kernel context that it starts
 *	            ─► graph_rules  the entry that a function traced by ftrace implies
 *	            ─► system_call_prefixes
 *	registers   ─► frames       unwinding of user stacks
 *
 * The names are those of Linux 5.10 and later; the files they are from are
 * named beside each table in arch.c. To add an architecture, add a table there.
 */

#include "common/maps.h"
#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name_ending;

/* The role of an interval of kernel code. */
enum code_role {
	CODE_FUNCTION,
	CODE_RETURN_THUNK,   /* stands for the return that jumps to it */
	CODE_INDIRECT_THUNK, /* stands for the call or jump that enters it */
	CODE_VECTOR,	     /* stands for the exception that enters it */
	/* a function whose entry is the point at which the kernel switches
	 * stacks
	 */
	CODE_SWITCH_POINT,
	/* the entry of an interrupt that can arrive during a task switch, and
	 * does not switch tasks
	 */
	CODE_NMI,
	/* a function whose entry is the point at which exec has replaced a
	 * task's program
	 */
	CODE_EXEC_POINT,
	CODE_UNNAMED, /* between symbols: functions without a symbol */
};

/* The kernel context that a function starts, independent of its caller. */
enum context_kind {
	CONTEXT_NONE, /* an ordinary function */
	CONTEXT_SYSTEM_CALL,
	CONTEXT_FAULT,	   /* page fault */
	CONTEXT_EXCEPTION, /* any other exception */
	CONTEXT_INTERRUPT, /* hard interrupt of any vector */
	CONTEXT_NMI,
	CONTEXT_SOFTIRQ,  /* a run of pending soft interrupts */
	CONTEXT_ITEM,	  /* a work item of a workqueue */
	CONTEXT_EXIT,	  /* on the way to user space: signals, task work */
	CONTEXT_SCHEDULE, /* chooses the next task and switches to it */
	/* ksoftirqd and the like: a kernel thread that runs soft interrupts
	 * raised in other contexts
	 */
	CONTEXT_THREAD,
	/* frees memory because the current task needs some now */
	CONTEXT_RECLAIM,
	CONTEXT_TRACER, /* code of perf that runs because of tracing */
	CONTEXT_KINDS,
};

/* The role of a kernel function in a trace of ftrace: ftrace does not trace the
 * kernel's entry code, only the functions that it calls. The role describes the
 * context from which these are called.
 */
enum graph_role {
	GRAPH_ROLE_NONE,
	GRAPH_ROLE_SYSTEM_CALL, /* handles a system call */
	/* called before the function that handles a system call or fault */
	GRAPH_ROLE_WAY_IN,
	GRAPH_ROLE_FAULT, /* handles a fault */
	/* if it has no traced caller: called before the function that handles a
	 * fault of user code
	 */
	GRAPH_ROLE_USER_LOCK,
	/* if it has no traced caller: handles a fault of user code */
	GRAPH_ROLE_USER_FAULT,
	GRAPH_ROLE_INTERRUPT, /* the first function of an interrupt */
	GRAPH_ROLE_VECTOR,    /* the handler of one interrupt vector */
	/* called by __schedule() just before a switch */
	GRAPH_ROLE_SWITCHING,
	/* the last function that __schedule() calls */
	GRAPH_ROLE_SWITCHED,
	/* an interrupt ends when this function returns, unless an
	 * INTERRUPT_TAIL follows at once
	 */
	GRAPH_ROLE_INTERRUPT_END,
	/* right after an INTERRUPT_END: the interrupt ends when this function
	 * returns
	 */
	GRAPH_ROLE_INTERRUPT_TAIL,
	/* if it has no traced caller: called before the kernel returns to user
	 * space
	 */
	GRAPH_ROLE_WAY_OUT,
	/* like WAY_OUT, but only after a system call */
	GRAPH_ROLE_CALL_WAY_OUT,
	/* like WAY_OUT, but called once, as the last function before user space
	 */
	GRAPH_ROLE_LAST_WAY_OUT,
};

static inline bool graph_role_is_way_out(enum graph_role role)
{
	return role == GRAPH_ROLE_WAY_OUT || role == GRAPH_ROLE_CALL_WAY_OUT;
}

/* The role of the functions with this name or prefix. entry is the name of the
 * kernel entry that calls them. If it starts with '+', the entry's name is the
 * rest of it, followed by the function's own name without "__".
 */
struct arch_graph_rule {
	const char *name;
	bool is_prefix;
	enum graph_role role;
	const char *entry;
};

/* Arm's T32 code has a shorter system call instruction than
 * arch.system_call_bytes.
 */
enum { T32_SYSTEM_CALL_BYTES = 2 };

/* Facts for unwinding user stacks. Registers have DWARF's numbers. */
struct arch_frames {
	const uint8_t *perf_registers; /* perf's register numbers, by DWARF's */
	uint8_t register_count;	       /* 0: user stacks are not unwound */
	/* register with the code address: the last one of perf_registers */
	uint8_t code_address;
	uint8_t stack_pointer;
	/* the register that points to the caller's frame pointer and the return
	 * address after it
	 */
	uint8_t frame_pointer;
	/* the caller's stack pointer is right after the frame pointer and the
	 * return address to which frame_pointer points
	 */
	bool frame_ends_there;
	/* register with the return address in leaf functions; 0: it is on the
	 * stack
	 */
	uint8_t link_register;
	/* The bits of a return address; the others may be a signature. */
	uint64_t code_bits;
	/* The kernel's code that ends signal handlers, if no unwind information
	 * describes it; else signal_return_bytes is 0. The interrupted code's
	 * registers are signal_registers bytes above the stack pointer.
	 */
	uint8_t signal_return[8];
	uint8_t signal_return_bytes;
	uint16_t signal_registers;
};

/* The tables that depend on the traced kernel's architecture. One constant
 * each, selected by the recording.
 */
struct arch {
	const char *name;
	enum recording_arch arch;
	/* Maps symbol names to enum code_role. */
	const struct name_rule *roles;
	size_t role_count;
	const struct name_ending *role_endings;
	size_t role_ending_count;
	/* The kernel's entries, as enum context_kind; see also context_kinds.h.
	 */
	const struct name_rule *entries;
	size_t entry_count;
	/* Name prefix of the functions that an exception enters before the
	 * entry for its kind; NULL: an entry is the first function.
	 */
	const char *exception_prefix;
	/* Name prefix of the functions that the kernel's exceptions enter. Each
	 * calls a handler whose name ends in "_handler". NULL: no entry calls
	 * another entry.
	 */
	const char *vector_prefix;
	/* Rules for functions traced by ftrace; the first match counts. */
	const struct arch_graph_rule *graph_rules;
	size_t graph_rule_count;
	/* Name prefixes of the functions that implement system calls. */
	const char *const *system_call_prefixes;
	size_t system_call_prefix_count;
	/* Size of the system call instruction. */
	uint8_t system_call_bytes;
	/* Addresses from here on are the kernel's. */
	uint64_t kernel_start;
	/* Names of the bits of perf's register masks. */
	const char *const *user_registers;
	size_t user_register_count;
	struct arch_frames frames;
};

extern const struct arch arch_x86_64;
extern const struct arch arch_arm64;

/* Returns the table for @arch; x86-64's for an unknown one. */
const struct arch *arch_for(enum recording_arch arch);

/* Returns the role of the kernel symbol @name (@length bytes). @roles must be
 * the result of name_lookup_of() for the roles of @arch.
 */
enum code_role arch_role(const struct arch *arch,
			 const struct name_lookup *roles, const char *name,
			 size_t length);

/* Returns the rule for the kernel function @name, or NULL. */
const struct arch_graph_rule *arch_graph_rule(const struct arch *arch,
					      const char *name);

/* Returns the system call that the kernel function @name implements, as "read"
 * for __x64_sys_read: a part of @name. NULL if it implements none.
 */
const char *arch_system_call(const struct arch *arch, const char *name);

#endif
