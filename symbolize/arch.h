/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_ARCH_H
#define KT_SYMBOLIZE_ARCH_H

#include "decoder/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a stretch of kernel code is for. */
enum code_role {
	CODE_FUNCTION,
	CODE_RETURN_THUNK,	/* stands for the return that jumps to it */
	CODE_INDIRECT_THUNK,	/* stands for the call or jump that enters it */
	CODE_SWITCH_POINT,	/* a function whose entry is the moment at
				 * which the kernel changes stacks */
	CODE_NMI,		/* where an interrupt enters that can come while
				 * the kernel changes tasks, and does not */
};

/* One rule: symbols of this name, or beginning with it. */
struct arch_rule {
	const char *name;
	bool is_prefix;
	enum code_role role;
};

/* What depends on the traced kernel's architecture.  One constant each,
 * chosen by the recording.
 */
struct arch {
	const char *name;
	enum recording_arch arch;
	const struct arch_rule *rules;
	size_t rule_count;
	/* A conditional branch of this many bytes falls through. */
	uint8_t min_conditional_bytes;
	uint8_t max_conditional_bytes;
	/* Kernel addresses are those from here on. */
	uint64_t kernel_start;
	/* What perf's PERF_SAMPLE_REGS_USER mask bits stand for. */
	const char *const *user_registers;
	size_t user_register_count;
};

extern const struct arch arch_x86_64;

/* Returns the table for @arch; x86-64's for an unknown one. */
const struct arch *arch_for(enum recording_arch arch);

/* Returns the role of the kernel symbol @name (@length bytes). */
enum code_role arch_role(const struct arch *arch, const char *name,
			 size_t length);

#endif
