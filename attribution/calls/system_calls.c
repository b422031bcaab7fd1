/* SPDX-License-Identifier: MIT */
#include "attribution/calls/system_calls.h"

#include "attribution/calls/call_items.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/table_records.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/thread_tracker.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "symbolize/arch/arch.h"
#include "symbolize/arch/system_call_numbers.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tracks the open call of each task. A call starts with the entry function of
 * system calls in the trace. Its number, arguments and result come from
 * sys_enter and sys_exit, its implementing function from the first such
 * function entered in it. Each of these may be missing; a call without
 * implementing function gets the one that its number implies.
 *
 * A call ends when its entry function returns. The result may be recorded later
 * (results_are_behind): the call then waits for sys_exit until
 * system_calls_give_up(). Page faults within a call are counted with their time
 * (struct call_fault).
 */

/* The page fault that is open in a system call. */
struct call_fault {
	uint64_t serial; /* 0: none is open */
	uint64_t begin_ns;
};

/* include/linux/errno.h: codes that never reach user space. */
enum {
	ERESTARTSYS = 512,
	ERESTARTNOHAND = 514,
	ERESTART_RESTARTBLOCK = 516,
	MAX_ERRNO = 4095
};

/* Set the fields of @call that sys_enter (@entry, may be NULL) or the event
 * sys_exit contains.
 */
static void system_call_consume_entry(struct system_call *call,
				      const struct call_entry *entry)
{
	if (!entry)
		return;
	call->has_enter = true;
	call->has_number = true;
	call->number = entry->number;
	memcpy(call->arguments, entry->arguments, sizeof(call->arguments));
}

static void system_call_consume_exit(struct system_call *call,
				     const struct event_record *event)
{
	call->has_exit = true;
	call->result = event->values[SYSTEM_CALL_RESULT];
	if (call->has_number)
		return;
	call->has_number = true;
	call->number = event->values[SYSTEM_CALL_NUMBER];
}

static const char *name_of_number(const struct system_call *call,
				  const struct arch *arch)
{
	return call->has_number ?
		       system_call_number_name(arch->arch, call->is_compat,
					       call->number) :
		       NULL;
}

/* Returns whether functions with @prefix implement compat calls, if @is_compat,
 * or native calls, if not.
 */
static bool is_prefix_of(const char *prefix, bool is_compat)
{
	return is_compat ==
	       (strstr(prefix, "ia32") || strstr(prefix, "compat"));
}

/* Looks up the implementing function of @call by its number, if none was
 * entered. The function stays FUNCTION_UNKNOWN if the kernel has none of that
 * name.
 *
 * Some functions are named differently from their calls, such as newfstat().
 */
static void system_call_find_function(struct system_call *call,
				      const struct function_table *functions,
				      const struct arch *arch)
{
	static const char *const variants[] = { "", "new" };
	const char *name = name_of_number(call, arch);
	char text[128];

	if (!name || call->function != FUNCTION_UNKNOWN)
		return;
	for (size_t i = 0; i < 2 * arch->system_call_prefix_count; i++) {
		const char *prefix = arch->system_call_prefixes[i / 2];
		uint32_t function;

		if (!is_prefix_of(prefix, call->is_compat))
			continue;
		snprintf(text, sizeof(text), "%s%s%s", prefix, variants[i % 2],
			 name);
		function = function_table_kernel(functions, text);
		if (function == FUNCTION_NONE)
			continue;
		call->function = function;
		return;
	}
}

const char *system_call_text(const struct system_call *call,
			     const struct function_table *functions,
			     const struct arch *arch, char *text, size_t size)
{
	const char *name = name_of_number(call, arch);

	if (!name)
		name = system_call_name(functions, arch, call->function);
	if (strcmp(name, "?") || !call->has_number || call->number < 0)
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "syscall_%" PRId64, call->number);
	return text;
}

const char *system_call_refusal_text(uint8_t refusal)
{
	switch ((enum call_refusal)refusal) {
	case CALL_NOT_REFUSED:
		return NULL;
	case CALL_BY_SECCOMP:
		return "seccomp";
	case CALL_BY_PTRACE:
		return "ptrace";
	}
	return NULL;
}

/* Implementing functions whose names differ from those of the calls in manual
 * pages.
 */
static const char *const call_names[][2] = {
	{ "newfstat", "fstat" },      { "newlstat", "lstat" },
	{ "newstat", "stat" },	      { "newuname", "uname" },
	{ "sendfile64", "sendfile" }, { "umount", "umount2" },
};

const char *system_call_name(const struct function_table *functions,
			     const struct arch *arch, uint32_t function)
{
	const char *base =
		arch_system_call(arch, function_at(functions, function)->base);

	for (size_t i = 0; base && i < sizeof(call_names) / sizeof(*call_names);
	     i++)
		if (!strcmp(base, call_names[i][0]))
			return call_names[i][1];
	return base ? base : "?";
}

const char *system_call_end_text(uint8_t end)
{
	static const char *const texts[CALL_ENDS] = {
		[CALL_RETURNED] = "returned",
		[CALL_NO_RETURN] = "no_return",
		[CALL_CUT] = "cut",
	};

	return texts[end];
}

uint64_t system_call_on_cpu(const uint64_t class_ns[TIME_CLASSES])
{
	return class_ns[TIME_SYSTEM_CALL] + class_ns[TIME_FAULT] +
	       class_ns[TIME_RECLAIM] + class_ns[TIME_KERNEL] +
	       class_ns[TIME_USER] + class_ns[TIME_GUEST];
}

bool system_call_is_restart(int64_t result)
{
	return (result <= -ERESTARTSYS && result >= -ERESTARTNOHAND) ||
	       result == -ERESTART_RESTARTBLOCK;
}

bool system_call_is_error(int64_t result)
{
	return result < 0 && result >= -MAX_ERRNO &&
	       !system_call_is_restart(result);
}

/* Returns the outermost fault in @call, or NULL. */
static const struct open_context *find(const struct system_call *call,
				       const struct open_context *open,
				       size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (open[i].kind == CONTEXT_FAULT &&
		    open[i].depth > call->depth)
			return &open[i];
	return NULL;
}

/* Closes the open page fault, if any, at @time_ns. */
static void call_fault_end(struct call_fault *fault, struct system_call *call,
			   uint64_t time_ns)
{
	if (fault->serial)
		call->fault_ns += time_ns - fault->begin_ns;
	fault->serial = 0;
}

/* Updates @fault at @time_ns from the @count contexts that the task of @call
 * now has @open. Adds the number and the duration of page faults to @call.
 */
static void call_fault_look(struct call_fault *fault, struct system_call *call,
			    const struct open_context *open, size_t count,
			    uint64_t time_ns)
{
	const struct open_context *found = find(call, open, count);

	if (found && found->serial == fault->serial)
		return;
	call_fault_end(fault, call, time_ns);
	if (!found)
		return;
	fault->serial = found->serial;
	fault->begin_ns = found->begin_ns;
	call->faults++;
}

/* A task and its open call. */
struct caller {
	struct system_call call;
	bool is_open;
	bool has_ended; /* its last step, or event, ended the call */
	/* the call is over, but its sys_exit has not arrived */
	bool awaits_result;
	bool is_exiting;
	/* sys_enter arrived before the trace of the call started. This is so
	 * for all calls if only chosen calls are traced (record --only).
	 */
	bool has_entered;
	struct call_fault fault;
	/* data of the last call that began, by its sys_enter or in the trace */
	struct call_items items;
	/* enum call_refusal: the last mechanism that checked the call */
	uint8_t guard;
	/* If the recording started in a call: the function that implements the
	 * call. Frames that were open at the start appear innermost first, so
	 * this one is found before the call's entry.
	 */
	uint32_t unseen_function;
	/* end of the inner entry function of a call whose start was not
	 * recorded
	 */
	uint64_t unseen_end_ns;
};

struct system_calls {
	const struct function_table *functions;
	const struct arch *arch;
	const struct context_kinds *kinds;
	const struct call_entries *entries;
	struct array roles;	 /* uint8_t by function: enum call_role */
	struct array callers;	 /* struct caller by task index */
	bool results_are_behind; /* calls' sys_exit events follow their ends */
};

struct system_calls *system_calls_new(const struct function_table *functions,
				      const struct arch *arch,
				      const struct context_kinds *kinds,
				      const struct call_entries *entries,
				      bool results_are_behind)
{
	struct system_calls *calls = calloc(1, sizeof(*calls));

	if (!calls)
		return NULL;
	calls->functions = functions;
	calls->arch = arch;
	calls->kinds = kinds;
	calls->entries = entries;
	calls->results_are_behind = results_are_behind;
	calls->roles = ARRAY_OF(uint8_t);
	calls->callers = ARRAY_OF(struct caller);
	return calls;
}

void system_calls_clear(struct system_calls *calls)
{
	for (size_t i = 0; i < calls->callers.count; i++)
		call_items_free(
			&((struct caller *)calls->callers.items + i)->items);
	calls->callers.count = 0;
}

void system_calls_free(struct system_calls *calls)
{
	if (!calls)
		return;
	system_calls_clear(calls);
	array_free(&calls->roles);
	array_free(&calls->callers);
	free(calls);
}

static struct caller *caller_of(const struct system_calls *calls,
				uint32_t index)
{
	if (index >= calls->callers.count)
		return NULL;
	return (struct caller *)calls->callers.items + index;
}

/* Makes calls point to their callers' items again, after the callers have
 * moved.
 */
static void find_items(struct system_calls *calls)
{
	struct caller *callers = calls->callers.items;

	for (size_t i = 0; i < calls->callers.count; i++)
		if (callers[i].call.items)
			callers[i].call.items = &callers[i].items;
}

static struct caller *add_caller(struct system_calls *calls, uint32_t index)
{
	struct caller *caller = caller_of(calls, index);
	const void *before = calls->callers.items;

	if (caller)
		return caller;
	caller = array_reach(&calls->callers, index);
	if (calls->callers.items != before)
		find_items(calls);
	return caller;
}

static void name_call(const struct system_calls *calls,
		      struct system_call *call)
{
	system_call_consume_entry(call, call_entries_find(calls->entries,
							  call->task->tid));
}

static bool implements_call(const struct system_calls *calls, uint32_t function)
{
	const struct function *about = function_at(calls->functions, function);

	return about->space == 'k' &&
	       arch_system_call(calls->arch, about->base);
}

/* Returns whether the entry @name is that of 32-bit system calls:
 * entry_SYSCALL_compat, entry_INT80_compat, asm_int80_emulation, el0t_32_sync
 * and the like.
 */
static bool is_compat(const char *name)
{
	return strstr(name, "compat") || strstr(name, "int80") ||
	       strstr(name, "INT80") || strstr(name, "SYSENTER") ||
	       strstr(name, "syscall_32") || strstr(name, "t_32_");
}

/* Returns the mechanism that checks system calls in the function @name:
 * kernel/seccomp.c, or the callees of ptrace_report_syscall() in
 * kernel/signal.c.
 */
static enum call_refusal guard_of(const char *name)
{
	if (!strcmp(name, "__secure_computing") ||
	    !strcmp(name, "__seccomp_filter"))
		return CALL_BY_SECCOMP;
	return !strcmp(name, "ptrace_notify") || !strcmp(name, "ptrace_stop") ?
		       CALL_BY_PTRACE :
		       CALL_NOT_REFUSED;
}

/* The role of a function in system calls, by its name. */
enum call_role {
	ROLE_NOT_COMPUTED,
	ROLE_NONE,
	ROLE_COMPAT_ENTRY,
	ROLE_IMPLEMENTS,
	ROLE_SECCOMP, /* checks calls: guard_of() */
	ROLE_PTRACE,
};

static enum call_role find_role(const struct system_calls *calls,
				uint32_t function)
{
	const char *name = function_at(calls->functions, function)->base;

	if (context_kind_of(calls->kinds, function) == CONTEXT_SYSTEM_CALL)
		return is_compat(name) ? ROLE_COMPAT_ENTRY : ROLE_NONE;
	if (implements_call(calls, function))
		return ROLE_IMPLEMENTS;
	if (guard_of(name) == CALL_BY_SECCOMP)
		return ROLE_SECCOMP;
	return guard_of(name) == CALL_BY_PTRACE ? ROLE_PTRACE : ROLE_NONE;
}

/* Returns the role of @function, whose name is compared with others only once.
 */
static enum call_role role_of(struct system_calls *calls, uint32_t function)
{
	uint8_t *role = array_reach(&calls->roles, function);

	if (!role)
		return find_role(calls, function);
	if (*role == ROLE_NOT_COMPUTED)
		*role = (uint8_t)find_role(calls, function);
	return *role;
}

static int begin(struct system_calls *calls, struct caller *caller,
		 const struct call_step *step)
{
	bool was_unseen = step->unseen & UNSEEN_BEGIN;

	/* This is the outer frame of an entry whose inner frame has just ended,
	 * so the call is over.
	 */
	if (was_unseen && step->time_ns == caller->unseen_end_ns)
		return CALL_NOTHING;
	caller->is_open = true;
	caller->guard = CALL_NOT_REFUSED;
	caller->call = (struct system_call){
		.task = step->task,
		.begin_ns = step->time_ns,
		.depth = step->depth,
		.end = was_unseen ? CALL_CUT : CALL_RETURNED,
		.function = was_unseen ? caller->unseen_function :
					 FUNCTION_UNKNOWN,
		.is_compat = role_of(calls, step->function) ==
			     ROLE_COMPAT_ENTRY,
	};
	if (caller->has_entered)
		name_call(calls, &caller->call);
	else
		call_items_clear(&caller->items);
	if (caller->items.bytes.size)
		caller->call.items = &caller->items;
	caller->has_entered = false;
	caller->unseen_function = FUNCTION_UNKNOWN;
	return CALL_BEGAN;
}

static void enter_in_call(struct system_calls *calls, struct caller *caller,
			  const struct call_step *step)
{
	struct system_call *call = &caller->call;
	enum call_role role;

	if (call->function != FUNCTION_UNKNOWN)
		return;
	role = role_of(calls, step->function);
	if (role == ROLE_IMPLEMENTS) {
		call->function = step->function;
		return;
	}
	/* Functions on the exit path do not refuse calls. */
	if (call->has_exit)
		return;
	if (role == ROLE_SECCOMP)
		caller->guard = CALL_BY_SECCOMP;
	else if (role == ROLE_PTRACE)
		caller->guard = CALL_BY_PTRACE;
}

/* Sets why the call was refused, if it was. seccomp checks a call after ptrace.
 * The kernel reports sys_enter after both, but not for a call whose number
 * ptrace set to -1, or that seccomp refused.
 */
static void find_refusal(struct caller *caller)
{
	struct system_call *call = &caller->call;

	if (!call->has_exit || call->function != FUNCTION_UNKNOWN ||
	    (call->has_enter && call->number != -1))
		return;
	call->refusal = caller->guard;
	/* For a killed task the result's register holds the number of the call.
	 */
	if (call->refusal == CALL_BY_SECCOMP && call->number > 0 &&
	    call->result == call->number)
		call->has_exit = false;
}

static int enter(struct system_calls *calls, struct caller *caller,
		 const struct call_step *step)
{
	if (caller->is_open) {
		enter_in_call(calls, caller, step);
		return CALL_NOTHING;
	}
	if (context_kind_of(calls->kinds, step->function) ==
	    CONTEXT_SYSTEM_CALL)
		return begin(calls, caller, step);
	if (step->how == HOW_INFERRED &&
	    role_of(calls, step->function) == ROLE_IMPLEMENTS)
		caller->unseen_function = step->function;
	return CALL_NOTHING;
}

/* Returns whether a call that is over still waits for its sys_exit. */
static bool awaits_result(const struct system_calls *calls,
			  const struct system_call *call)
{
	return calls->results_are_behind && call->has_enter &&
	       !call->has_exit && call->end == CALL_RETURNED;
}

void system_calls_contexts(struct system_calls *calls,
			   const struct call_step *step,
			   const struct open_context *open, size_t count)
{
	struct caller *caller = caller_of(calls, step->task->index);

	if (caller && caller->is_open)
		call_fault_look(&caller->fault, &caller->call, open, count,
				step->time_ns);
}

static int end(const struct system_calls *calls, struct caller *caller,
	       uint64_t time_ns)
{
	call_fault_end(&caller->fault, &caller->call, time_ns);
	find_refusal(caller);
	system_call_find_function(&caller->call, calls->functions, calls->arch);
	caller->call.end_ns = time_ns;
	caller->is_open = false;
	caller->has_ended = true;
	caller->awaits_result = awaits_result(calls, &caller->call);
	return caller->awaits_result ? CALL_NOTHING : CALL_ENDED;
}

static int leave(const struct system_calls *calls, struct caller *caller,
		 const struct call_step *step)
{
	bool goes_on = step->detail;

	/* The function ends in a jump to another one: execve jumps to the exit
	 * path of interrupts.
	 */
	if (!caller->is_open || goes_on)
		return CALL_NOTHING;
	if (step->depth != caller->call.depth)
		return CALL_NOTHING;
	if (step->unseen & UNSEEN_BEGIN)
		caller->unseen_end_ns = step->time_ns;
	if (step->unseen & UNSEEN_END)
		caller->call.end = CALL_CUT;
	return end(calls, caller, step->time_ns);
}

/* Ends the open call of a task that exits: it leaves its CPU for the last time.
 */
static int leave_cpu(const struct system_calls *calls, struct caller *caller,
		     const struct call_step *step)
{
	if (!caller->is_open || !caller->is_exiting)
		return CALL_NOTHING;
	if (caller->call.end == CALL_RETURNED)
		caller->call.end = CALL_NO_RETURN;
	return end(calls, caller, step->time_ns);
}

static int miss_a_part(struct caller *caller)
{
	caller->call.end = CALL_CUT;
	return CALL_NOTHING;
}

int system_calls_step(struct system_calls *calls, const struct call_step *step)
{
	struct caller *caller = add_caller(calls, step->task->index);

	if (!caller)
		return -ERROR_MEMORY;
	caller->has_ended = false;
	switch ((enum call_step_kind)step->kind) {
	case STEP_ENTER:
		return enter(calls, caller, step);
	case STEP_EXIT:
		return leave(calls, caller, step);
	case STEP_LEAVE:
		return leave_cpu(calls, caller, step);
	case STEP_GAP:
		return miss_a_part(caller);
	case STEP_STATE:
		return step->detail == CPU_FILTERED ? miss_a_part(caller) :
						      CALL_NOTHING;
	case STEP_COUNT:
	case STEP_SWITCH:
	case STEP_INTERRUPTS:
	case STEP_END:
		break;
	}
	return CALL_NOTHING;
}

uint8_t system_calls_needs(const struct system_calls *calls, uint32_t function)
{
	return context_kind_of(calls->kinds, function) == CONTEXT_SYSTEM_CALL ||
	       implements_call(calls, function) ||
	       guard_of(function_at(calls->functions, function)->base) !=
		       CALL_NOT_REFUSED;
}

void system_calls_limit(const struct system_calls *calls, uint32_t index,
			struct skip_limits *limits)
{
	const struct caller *caller = caller_of(calls, index);

	if (!caller || caller->awaits_result)
		limits->frames = UINT32_MAX;
	else if (caller->is_open)
		skip_limits_raise(limits, caller->call.depth + 1);
}

void system_calls_skip(struct system_calls *calls, uint32_t index)
{
	caller_of(calls, index)->has_ended = false;
}

void system_calls_exit(struct system_calls *calls, const struct task *task)
{
	struct caller *caller = caller_of(calls, task->index);

	if (caller)
		caller->is_exiting = true;
}

void system_calls_span(struct system_calls *calls, const struct time_span *span)
{
	struct caller *caller = caller_of(calls, span->task->index);

	if (caller && caller->is_open &&
	    span->begin_ns >= caller->call.begin_ns)
		caller->call.class_ns[time_span_account(span)] +=
			span->end_ns - span->begin_ns;
}

const struct system_call *system_calls_of(const struct system_calls *calls,
					  uint32_t index)
{
	const struct caller *caller = caller_of(calls, index);

	if (!caller || (!caller->is_open && !caller->has_ended))
		return NULL;
	return &caller->call;
}

/* Adds the data of a call, which arrive after its sys_enter or its sys_exit. */
static int consume_data(struct caller *caller, const struct event_record *event)
{
	const uint8_t *raw = event->sideband->sample.raw;
	size_t size = event->sideband->sample.raw_size;
	struct call_data head;
	int status;

	if ((!caller->is_open && !caller->has_entered) ||
	    !call_data_read(raw, size, &head) ||
	    (caller->is_open && caller->call.has_number &&
	     caller->call.number != head.number))
		return CALL_NOTHING;
	status = call_items_add(&caller->items, &head, raw, size);
	if (status)
		return status;
	if (caller->is_open)
		caller->call.items = &caller->items;
	return CALL_NOTHING;
}

/* Applies an event while no call of the task is open in the trace. */
static void consume_untraced(struct caller *caller,
			     const struct event_record *event)
{
	if (event->event == EVENT_SYS_ENTER)
		caller->has_entered = true;
	else if (event->event == EVENT_SYS_EXIT)
		caller->has_entered = false;
}

/* Ends a call whose result arrived after its end. */
static int end_late(const struct system_calls *calls, struct caller *caller)
{
	find_refusal(caller);
	system_call_find_function(&caller->call, calls->functions, calls->arch);
	caller->awaits_result = false;
	caller->has_ended = true;
	return CALL_ENDED;
}

int system_calls_event(struct system_calls *calls, const struct task *task,
		       const struct event_record *event)
{
	struct caller *caller = add_caller(calls, task->index);
	struct system_call *call = caller ? &caller->call : NULL;

	if (!caller)
		return -ERROR_MEMORY;
	if (event->event == EVENT_SYS_DATA)
		return consume_data(caller, event);
	if (event->event == EVENT_SYS_ENTER) {
		call_items_clear(&caller->items);
		call->items = NULL;
	}
	if (caller->awaits_result && event->event == EVENT_SYS_EXIT) {
		system_call_consume_exit(call, event);
		return end_late(calls, caller);
	}
	if (!caller->is_open) {
		consume_untraced(caller, event);
	} else if (event->event == EVENT_SYS_ENTER) {
		name_call(calls, call);
	} else if (event->event == EVENT_SYS_EXIT) {
		system_call_consume_exit(call, event);
	}
	return CALL_NOTHING;
}

int system_calls_give_up(struct system_calls *calls, uint32_t index)
{
	struct caller *caller = caller_of(calls, index);

	return caller && caller->awaits_result ? end_late(calls, caller) :
						 CALL_NOTHING;
}

uint32_t system_calls_tasks(const struct system_calls *calls)
{
	return (uint32_t)calls->callers.count;
}

/* Writes or reads the number and the arguments, if they were recorded. */
static void pack_enter(struct pack *pack, struct system_call *call)
{
	pack_bool(pack, &call->has_enter);
	if (!call->has_enter)
		return;
	pack_i64(pack, &call->number);
	for (int i = 0; i < SYSTEM_CALL_ARGUMENTS; i++)
		pack_u64(pack, &call->arguments[i]);
}

void system_call_pack(struct pack *pack, struct system_call *call,
		      struct task *task, uint32_t functions)
{
	if (!pack->is_reading)
		*task = *call->task;
	task_pack_facts(pack, task);
	call->task = task;
	pack_u64(pack, &call->begin_ns);
	pack_u64(pack, &call->end_ns);
	pack_u32(pack, &call->function);
	pack_check(pack, call->function < functions);
	pack_small(pack, &call->end, CALL_ENDS - 1);
	pack_enter(pack, call);
	pack_bool(pack, &call->has_exit);
	pack_i64(pack, &call->result);
	table_records_pack_classes(pack, call->class_ns);
	pack_u64(pack, &call->faults);
	pack_u64(pack, &call->fault_ns);
}
