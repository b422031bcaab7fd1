/* SPDX-License-Identifier: MIT */
#include "attribution/calls/system_call.h"

#include "attribution/time/call_entries.h"
#include "symbolize/arch/arch.h"
#include "symbolize/arch/system_call_numbers.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* include/linux/errno.h: codes that never reach user space. */
enum {
	ERESTARTSYS = 512,
	ERESTARTNOHAND = 514,
	ERESTART_RESTARTBLOCK = 516,
	MAX_ERRNO = 4095
};

void system_call_take_entry(struct system_call *call,
			    const struct call_entry *entry)
{
	if (!entry)
		return;
	call->has_enter = true;
	call->has_number = true;
	call->number = entry->number;
	memcpy(call->arguments, entry->arguments, sizeof(call->arguments));
}

void system_call_take_exit(struct system_call *call,
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

/* Returns whether @prefix is that of functions of compat (@is_compat) or native
 * calls.
 */
static bool is_prefix_of(const char *prefix, bool is_compat)
{
	return is_compat ==
	       (strstr(prefix, "ia32") || strstr(prefix, "compat"));
}

/* Some functions are named differently from their calls, such as newfstat(). */
void system_call_find_function(struct system_call *call,
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
	const char *name = system_call_name(functions, arch, call->function);

	if (!strcmp(name, "?") && name_of_number(call, arch))
		name = name_of_number(call, arch);
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

const char *system_call_name(const struct function_table *functions,
			     const struct arch *arch, uint32_t function)
{
	const char *base =
		arch_system_call(arch, function_at(functions, function)->base);

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
	       class_ns[TIME_KERNEL] + class_ns[TIME_USER] +
	       class_ns[TIME_GUEST];
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
