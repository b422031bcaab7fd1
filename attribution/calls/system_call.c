/* SPDX-License-Identifier: MIT */
#include "attribution/calls/system_call.h"

#include "attribution/time/call_entries.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/function_table.h"

#include <string.h>

/* include/linux/errno.h: what never reaches user space. */
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
	call->number = entry->number;
	memcpy(call->arguments, entry->arguments, sizeof(call->arguments));
}

void system_call_take_exit(struct system_call *call,
			   const struct event_record *event)
{
	call->has_exit = true;
	call->result = event->values[SYSTEM_CALL_RESULT];
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
