/* SPDX-License-Identifier: MIT */
#include "tables/calls/crash_stack.h"

#include "common/bytes.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/text/deep_stack.h"
#include "symbolize/arch/arch.h"
#include "symbolize/arch/system_call_numbers.h"
#include "symbolize/functions/function_table.h"
#include "tables/table_records.h"
#include "tables/text/stack_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The signal that an unhandled exception sends, by the exception's handler on
 * x86 and arm64.
 */
static const struct {
	const char *handler;
	const char *signal;
} exceptions[] = {
	{ "page_fault", "SIGSEGV or SIGBUS (page fault)" },
	{ "mem_abort", "SIGSEGV or SIGBUS (memory abort)" },
	{ "el0_da", "SIGSEGV or SIGBUS (data abort)" },
	{ "el0_ia", "SIGSEGV or SIGBUS (instruction abort)" },
	{ "general_protection", "SIGSEGV (general protection)" },
	{ "divide_error", "SIGFPE (division)" },
	{ "coprocessor_error", "SIGFPE (floating point)" },
	{ "invalid_op", "SIGILL (invalid instruction)" },
	{ "undef", "SIGILL (undefined instruction)" },
	{ "int3", "SIGTRAP (breakpoint)" },
	{ "brk", "SIGTRAP (breakpoint)" },
};

static const struct function *function_of(const struct crash_stack *stack,
					  const struct crash_names *names,
					  size_t depth)
{
	return function_at(names->functions, stack->frames[depth].function);
}

static bool is_kernels(const struct function *function, const char *base)
{
	return function->space == 'k' && !strcmp(function->base, base);
}

bool crash_names_is_end(const struct crash_names *names, uint32_t function)
{
	return is_kernels(function_at(names->functions, function),
			  "do_group_exit");
}

void crash_free(struct crash *crash)
{
	free(crash->signal);
	free(crash->stack);
	free(crash->calls);
}

void crash_pack(struct pack *pack, struct crash *crash)
{
	pack_i32(pack, &crash->pid);
	pack_i32(pack, &crash->tid);
	pack_u64(pack, &crash->time_ns);
	table_records_pack_text(pack, &crash->signal);
	table_records_pack_text(pack, &crash->stack);
	table_records_pack_text(pack, &crash->calls);
}

void crash_stack_exit_call(struct crash_stack *stack, int64_t number)
{
	stack->number = number;
	stack->is_number_new = true;
}

/* force_sig_seccomp() of kernel/signal.c sends SIGSYS for the call during which
 * it is entered, before the kernel reports the call's number in sys_exit.
 */
void crash_stack_enter(struct crash_stack *stack,
		       const struct crash_names *names, uint32_t function)
{
	const char *base = function_at(names->functions, function)->base;

	if (!strcmp(base, "force_sig_seccomp")) {
		stack->is_seccomp = true;
		stack->is_number_new = false;
	}
	if (!strcmp(base, "__secure_computing"))
		stack->is_seccomp = false;
	if (!arch_system_call(names->arch, base))
		return;
	stack->is_seccomp = false;
	stack->calls[stack->call_count++ % CRASH_CALLS] = function;
}

bool crash_stack_is_in_signal(const struct crash_stack *stack,
			      const struct crash_names *names)
{
	for (size_t i = 0; i + 1 < stack->count; i++)
		if (is_kernels(function_of(stack, names, i), "get_signal"))
			return true;
	return false;
}

/* Returns the signal of the exception with which the program entered the
 * kernel, according to the first kernel functions on the stack; NULL if it was
 * none.
 */
static const char *exception_of(const struct crash_stack *stack,
				const struct crash_names *names)
{
	for (size_t i = 0; i < stack->count; i++) {
		const struct function *function = function_of(stack, names, i);

		for (size_t e = 0; function->space == 'k' &&
				   e < sizeof(exceptions) / sizeof(*exceptions);
		     e++)
			if (strstr(function->base, exceptions[e].handler))
				return exceptions[e].signal;
	}
	return NULL;
}

/* Returns a text about the call that seccomp sent SIGSYS for, or NULL when out
 * of memory.
 */
static char *seccomp_text(const struct crash_stack *stack,
			  const struct crash_names *names)
{
	const char *name = stack->is_number_new ?
				   system_call_number_name(names->arch->arch,
							   false,
							   stack->number) :
				   NULL;
	char *text = NULL;

	if (!name)
		return strdup("SIGSYS by seccomp");
	return asprintf(&text, "SIGSYS by seccomp, in %s", name) < 0 ? NULL :
								       text;
}

static char *signal_of(const struct crash_stack *stack,
		       const struct crash_names *names)
{
	const char *exception = exception_of(stack, names);

	if (exception)
		return strdup(exception);
	return stack->is_seccomp ? seccomp_text(stack, names) :
				   strdup("a signal that was sent to it");
}

/* Returns the length of the stack without the kernel functions that handle the
 * signal.
 */
static size_t place_count(const struct crash_stack *stack,
			  const struct crash_names *names)
{
	size_t count = 0;

	while (count < stack->count &&
	       function_of(stack, names, count)->space == 'u')
		count++;
	/* Keep one kernel function, the entry, which is all there is without
	 * user traces.
	 */
	return count < stack->count ? count + 1 : count;
}

static char *path_text(const struct crash_stack *stack,
		       const struct crash_names *names)
{
	size_t count = place_count(stack, names);
	size_t left_out;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	left_out = stack_left_out(count);
	for (size_t i = 0; i < count; i++) {
		bool is_gap = left_out && i == STACK_ENDS;
		const struct stack_gap gap = stack_gap_of(left_out);
		const char *name = is_gap ? gap.text :
					    function_of(stack, names, i)->name;

		if (i)
			fputc(';', out);
		for (; *name; name++)
			fputc(stack_text_char(*name), out);
		i += is_gap ? left_out - 1 : 0;
	}
	fclose(out);
	return text;
}

static char *calls_text(const struct crash_stack *stack,
			const struct crash_names *names)
{
	uint64_t first = stack->call_count > CRASH_CALLS ?
				 stack->call_count - CRASH_CALLS :
				 0;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (uint64_t i = first; i < stack->call_count; i++)
		fprintf(out, "%s%s", i > first ? ";" : "",
			arch_system_call(
				names->arch,
				function_at(names->functions,
					    stack->calls[i % CRASH_CALLS])
					->name));
	fclose(out);
	return text;
}

int crash_stack_tell(const struct crash_stack *stack,
		     const struct crash_names *names,
		     const struct call_step *step, struct crash *crash)
{
	*crash = (struct crash){
		.pid = step->task->pid,
		.tid = step->task->tid,
		.time_ns = step->time_ns,
		.signal = signal_of(stack, names),
		.stack = path_text(stack, names),
		.calls = calls_text(stack, names),
	};
	return crash->signal && crash->stack && crash->calls ? 0 :
							       -ERROR_MEMORY;
}
