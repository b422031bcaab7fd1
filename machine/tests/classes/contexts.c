/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/classes/contexts.h"

#include <stdio.h>
#include <string.h>

enum { IRETQ_BYTES = 2 };

struct rule {
	const char *name;
	bool is_prefix;
	uint8_t kind;
};

/* The contexts that kernel entries lead to; the first matching rule applies. */
static const struct rule entries[] = {
	{ "entry_SYS", true, CONTEXT_SYSTEM_CALL },
	{ "entry_INT80", true, CONTEXT_SYSTEM_CALL },
	{ "asm_int80", true, CONTEXT_SYSTEM_CALL },
	{ "asm_exc_nmi", false, CONTEXT_INTERRUPT },
	{ "asm_exc_", true, CONTEXT_FAULT },
	{ "", true, CONTEXT_INTERRUPT },
};

static const struct rule functions[] = {
	{ "handle_softirqs", false, CONTEXT_SOFTIRQ },
	{ "__do_softirq", false, CONTEXT_SOFTIRQ },
	{ "exit_to_user_mode_loop", false, CONTEXT_EXIT },
	{ "arch_do_signal_or_restart", false, CONTEXT_EXIT },
	{ "task_work_run", false, CONTEXT_EXIT },
	{ "__schedule", false, CONTEXT_SCHEDULE },
	{ "run_ksoftirqd", false, CONTEXT_SOFTIRQ_THREAD },
	{ "perf_", true, CONTEXT_TRACER },
	{ "__perf_", true, CONTEXT_TRACER },
	{ "__traceiter_", true, CONTEXT_TRACER },
	{ "", true, CONTEXT_NONE },
};

/* The context of a task whose context was unknown and that returns to one of
 * these functions.
 */
static const struct rule bottoms[] = {
	{ "do_syscall_64", false, CONTEXT_SYSTEM_CALL },
	{ "entry_SYS", true, CONTEXT_SYSTEM_CALL },
	{ "exc_page_fault", false, CONTEXT_FAULT },
	{ "asm_exc_", true, CONTEXT_FAULT },
	{ "", true, CONTEXT_NONE },
};

/* Clones and functions of equal names have a suffix: "foo.isra.0@0x1230". */
static bool is_meant(const struct rule *rule, const char *name)
{
	size_t length = strlen(rule->name);

	return !strncmp(rule->name, name, length) &&
	       (rule->is_prefix || strchr(".@", name[length]));
}

static uint8_t kind_by(const struct rule *rule, const char *name)
{
	while (!is_meant(rule, name))
		rule++;
	return rule->kind;
}

static bool in_kernel(uint64_t address)
{
	return address >> 63;
}

static void push(struct contexts *task, struct context context)
{
	if (task->count == CONTEXTS) {
		fputs("contexts: nested too deeply\n", stderr);
		return;
	}
	task->open[task->count++] = context;
}

static void enter(struct contexts *task, const struct kernel_names *names,
		  const struct truth_event *event)
{
	const struct kernel_name *to = kernel_names_find(names, event->to);

	if (!in_kernel(event->from)) {
		task->count = 0;
		task->is_known = true;
		task->is_in_user = false;
	}
	push(task, (struct context){
			   .kind = kind_by(entries, to->name),
			   .is_break = true,
		   });
}

static void far_return(struct contexts *task, const struct truth_event *event)
{
	if (!in_kernel(event->to)) {
		task->count = 0;
		task->is_known = true;
		task->is_in_user = true;
		return;
	}
	/* sync_core() of arch/x86/include/asm/sync_core.h. */
	if (event->to == event->from + IRETQ_BYTES)
		return;
	while (task->count && !task->open[task->count - 1].is_break)
		task->count--;
	if (task->count)
		task->count--;
}

/* Returns the address of the return address of the function that this branch
 * goes to, or 0: for most jumps, the truth does not record it.
 */
static uint64_t slot_after(const struct truth_event *event)
{
	if (!event->has_sp)
		return 0;
	if (event->kind == TRUTH_CALL || event->kind == TRUTH_INDIRECT_CALL)
		return event->sp - sizeof(uint64_t);
	if (event->kind == TRUTH_RETURN)
		return event->sp + sizeof(uint64_t);
	return event->sp;
}

static void begin_function(struct contexts *task, const struct kernel_name *to,
			   const struct truth_event *event)
{
	uint8_t kind = kind_by(functions, to->name);

	if (kind == CONTEXT_NONE ||
	    (task->count && task->open[task->count - 1].kind == kind))
		return;
	push(task, (struct context){ .kind = kind, .slot = slot_after(event) });
}

static void end_functions(struct contexts *task, uint64_t slot)
{
	for (size_t i = task->count; i-- > 0 && !task->open[i].is_break;)
		if (task->open[i].slot == slot) {
			task->count = i;
			return;
		}
}

/* Counts calls and returns inside a function that was jumped to. */
static void count_calls(struct contexts *task, const struct truth_event *event)
{
	struct context *top = task->count ? &task->open[task->count - 1] : NULL;

	if (!top || top->is_break || top->slot)
		return;
	if (event->kind == TRUTH_CALL || event->kind == TRUTH_INDIRECT_CALL)
		top->calls++;
	else if (event->kind == TRUTH_RETURN && !top->calls--)
		task->count--;
}

static void look_at_bottom(struct contexts *task, const struct kernel_name *to)
{
	uint8_t kind = kind_by(bottoms, to->name);

	if (task->is_known || task->count || kind == CONTEXT_NONE)
		return;
	task->is_known = true;
	task->found = kind;
	push(task, (struct context){ .kind = kind, .is_break = true });
}

static void near_branch(struct contexts *task, const struct kernel_names *names,
			const struct truth_event *event)
{
	const struct kernel_name *to = kernel_names_find(names, event->to);

	if (event->kind == TRUTH_RETURN)
		end_functions(task, event->sp);
	count_calls(task, event);
	if (event->kind == TRUTH_RETURN)
		look_at_bottom(task, to);
	if (kernel_name_begins(to, event->to))
		begin_function(task, to, event);
}

void contexts_take(struct contexts *task, const struct kernel_names *names,
		   const struct truth_event *event)
{
	switch ((enum truth_kind)event->kind) {
	case TRUTH_FAR_CALL:
	case TRUTH_INTERRUPT:
	case TRUTH_EXCEPTION:
		enter(task, names, event);
		break;
	case TRUTH_FAR_RETURN:
		far_return(task, event);
		break;
	case TRUTH_JUMP:
	case TRUTH_CALL:
	case TRUTH_INDIRECT_JUMP:
	case TRUTH_INDIRECT_CALL:
	case TRUTH_RETURN:
		if (in_kernel(event->to))
			near_branch(task, names, event);
		break;
	case TRUTH_CONDITIONAL:
	case TRUTH_TRACE_ON:
	case TRUTH_INTERRUPTS:
	case TRUTH_TRACE_OFF:
	case TRUTH_SWITCH:
	case TRUTH_KIND_MASK:
	case TRUTH_HAS_SP:
		break;
	}
}

static enum truth_class class_of(uint8_t kind)
{
	switch ((enum context_kind)kind) {
	case CONTEXT_SYSTEM_CALL:
		return TRUTH_CLASS_SYSTEM_CALL;
	case CONTEXT_FAULT:
		return TRUTH_CLASS_FAULT;
	case CONTEXT_INTERRUPT:
	case CONTEXT_SOFTIRQ:
		return TRUTH_CLASS_INTERRUPT;
	case CONTEXT_TRACER:
		return TRUTH_CLASS_TRACER;
	case CONTEXT_NONE:
	case CONTEXT_EXIT:
	case CONTEXT_SCHEDULE:
	case CONTEXT_SOFTIRQ_THREAD:
		break;
	}
	return TRUTH_CLASS_KERNEL;
}

enum truth_class contexts_class(const struct contexts *task,
				bool *is_provisional)
{
	uint8_t top = task->count ? task->open[task->count - 1].kind : 0;
	uint8_t below = task->count > 1 ? task->open[task->count - 2].kind : 0;
	enum truth_class below_class = class_of(below);

	*is_provisional =
		!task->is_known &&
		(!task->count || (task->count == 1 && top == CONTEXT_SCHEDULE));
	if (!task->count)
		return task->is_in_user ? TRUTH_CLASS_USER : TRUTH_CLASS_KERNEL;
	if (top == CONTEXT_SCHEDULE)
		return below_class == TRUTH_CLASS_INTERRUPT ?
			       TRUTH_CLASS_KERNEL :
			       below_class;
	if (top == CONTEXT_SOFTIRQ && below == CONTEXT_SOFTIRQ_THREAD)
		return TRUTH_CLASS_KERNEL;
	if (top == CONTEXT_FAULT && below == CONTEXT_TRACER)
		return TRUTH_CLASS_TRACER;
	return class_of(top);
}
