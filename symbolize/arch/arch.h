/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_ARCH_H
#define KT_SYMBOLIZE_ARCH_H

#include "common/name_lookup.h"
#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* This is what a stretch of kernel code is for. */
enum code_role {
	CODE_FUNCTION,
	CODE_RETURN_THUNK,   /* stands for the return that jumps to it */
	CODE_INDIRECT_THUNK, /* stands for the call or jump that enters it */
	CODE_VECTOR,	     /* stands for the exception that enters it */
	CODE_SWITCH_POINT,   /* a function whose entry is the moment at
				 * which the kernel changes stacks */
	CODE_NMI,	     /* where an interrupt enters that can come while
				 * the kernel changes tasks, and does not */
	CODE_EXEC_POINT,     /* a function whose entry is the moment at
				 * which a task's old program is gone */
	CODE_UNNAMED,	     /* between symbols: functions without one */
};

/* Symbols whose name ends so have this role. */
struct name_ending {
	const char *end;
	uint8_t role; /* enum code_role */
};

/* This is what kind of work a kernel function begins, whatever called it. */
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
	CONTEXT_SCHEDULE, /* deciding who runs next, and switching */
	CONTEXT_THREAD,	  /* a kernel thread that runs others' soft
				 * interrupts: they are its own work */
	CONTEXT_TRACER,	  /* perf's: without a tracer it would not be */
	CONTEXT_KINDS,
};

/* ftrace does not see the kernel's entries themselves, but what they call.  This
 * is what a function that it does see tells of the context it is called in.
 */
enum graph_role {
	GRAPH_ROLE_NONE,
	GRAPH_ROLE_SYSTEM_CALL,	  /* it handles one */
	GRAPH_ROLE_WAY_IN,	  /* one that handles that follows */
	GRAPH_ROLE_FAULT,	  /* it handles one */
	GRAPH_ROLE_USER_LOCK,	  /* it locks for one, if nothing seen has
				   * called it: what handles that follows */
	GRAPH_ROLE_USER_FAULT,	  /* it handles one, likewise */
	GRAPH_ROLE_INTERRUPT,	  /* an interrupt is handled from here on … */
	GRAPH_ROLE_VECTOR,	  /* … this one … */
	GRAPH_ROLE_SWITCHING,	  /* __schedule() tells of a switch by it */
	GRAPH_ROLE_SWITCHED,	  /* the last that __schedule() calls */
	GRAPH_ROLE_INTERRUPT_END, /* … up to the end of this … */
	GRAPH_ROLE_INTERRUPT_TAIL, /* … or of this, if it follows at once */
	GRAPH_ROLE_WAY_OUT,	 /* called on the way to user space, if nothing
				    * seen has called it */
	GRAPH_ROLE_CALL_WAY_OUT, /* the same, of a system call's alone */
	GRAPH_ROLE_LAST_WAY_OUT, /* the same, once, at its end */
};

static inline bool graph_role_is_way_out(enum graph_role role)
{
	return role == GRAPH_ROLE_WAY_OUT || role == GRAPH_ROLE_CALL_WAY_OUT;
}

/* One rule: functions of this name, or beginning with it.  @entry: the entry
 * that they stand for, found by that name; where it begins with a '+', what is
 * behind that goes before the function's own name without "__".
 */
struct arch_graph_rule {
	const char *name;
	bool is_prefix;
	enum graph_role role;
	const char *entry;
};

/* Arm's T32 code has a shorter one than arch.system_call_bytes. */
enum { T32_SYSTEM_CALL_BYTES = 2 };

/* This is what unwinding user stacks goes by.  Registers have DWARF's numbers.
 */
struct arch_frames {
	const uint8_t *perf_registers; /* what perf calls each: see below */
	uint8_t register_count;	       /* 0: its stacks are not unwound */
	uint8_t code_address;	       /* the last of them */
	uint8_t stack_pointer;
	uint8_t frame_pointer; /* to the caller's, behind it the
					 * return address */
	bool frame_ends_there; /* the caller's stack begins behind them */
	uint8_t link_register; /* holds the return address of functions
					 * that call none; 0: it is on the stack */
	/* The bits of a return address; others may be a signature. */
	uint64_t code_bits;
	/* The kernel's code that ends signal handlers, where no unwind
	 * information describes it; else of no bytes.  The interrupted code's
	 * registers are this far above the stack pointer.
	 */
	uint8_t signal_return[8];
	uint8_t signal_return_bytes;
	uint16_t signal_registers;
};

/* This is what depends on the traced kernel's architecture.  One constant each,
 * chosen by the recording.
 */
struct arch {
	const char *name;
	enum recording_arch arch;
	/* Which symbols have which enum code_role, by their names. */
	const struct name_rule *roles;
	size_t role_count;
	const struct name_ending *role_endings;
	size_t role_ending_count;
	/* Where the kernel is entered, as enum context_kind; see also
	 * context_kinds.h.
	 */
	const struct name_rule *entries;
	size_t entry_count;
	/* The names of what an exception enters before an entry says which kind
	 * it is begin so; NULL: an entry is the first.
	 */
	const char *exception_prefix;
	/* The names of what the kernel's exceptions enter begin so, with a handler
	 * behind each whose name ends in "_handler"; NULL: entries call none that
	 * is an entry, too.
	 */
	const char *vector_prefix;
	/* Of what ftrace sees; the first that fits counts. */
	const struct arch_graph_rule *graph_rules;
	size_t graph_rule_count;
	/* This is what a system call's own function begins with. */
	const char *const *system_call_prefixes;
	size_t system_call_prefix_count;
	/* The instruction for system calls has this many. */
	uint8_t system_call_bytes;
	/* A conditional branch of this many bytes falls through. */
	uint8_t min_conditional_bytes;
	uint8_t max_conditional_bytes;
	/* Kernel addresses are those from here on. */
	uint64_t kernel_start;
	/* This is what the bits of perf's masks of registers stand for. */
	const char *const *user_registers;
	size_t user_register_count;
	struct arch_frames frames;
};

extern const struct arch arch_x86_64;
extern const struct arch arch_arm64;
extern const struct arch arch_arm;

/* Returns the table for @arch; x86-64's for an unknown one. */
const struct arch *arch_for(enum recording_arch arch);

/* Returns the role of the kernel symbol @name (@length bytes); @roles:
 * name_lookup_of() those of @arch.
 */
enum code_role arch_role(const struct arch *arch,
			 const struct name_lookup *roles, const char *name,
			 size_t length);

/* Returns the rule for the kernel function @name, or NULL. */
const struct arch_graph_rule *arch_graph_rule(const struct arch *arch,
					      const char *name);

/* Returns the system call that the kernel function @name implements, as
 * "read" for __x64_sys_read: a part of @name; NULL if it is none's.
 */
const char *arch_system_call(const struct arch *arch, const char *name);

#endif
