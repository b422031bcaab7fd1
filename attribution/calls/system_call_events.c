/* SPDX-License-Identifier: MIT */
#include "attribution/calls/system_calls_parts.h"
#include "attribution/events/known_events.h"
#include "attribution/time/call_entries.h"
#include "common/error.h"

#include <string.h>

void system_calls_name(const struct system_calls *calls,
		       struct system_call *call)
{
	const struct call_entry *entry =
		call_entries_find(calls->entries, call->task->tid);

	if (!entry)
		return;
	call->has_enter = true;
	call->number = entry->number;
	memcpy(call->arguments, entry->arguments, sizeof(call->arguments));
}

/* Of a call that is not traced, or not yet. */
static void take_untraced(struct caller *caller,
			  const struct event_record *event)
{
	if (event->event == EVENT_SYS_ENTER)
		caller->has_entered = true;
	else if (event->event == EVENT_SYS_EXIT)
		caller->has_entered = false;
}

static void take_result(struct system_call *call,
			const struct event_record *event)
{
	call->has_exit = true;
	call->result = event->values[SYSTEM_CALL_RESULT];
}

/* The call was over. */
static int end_late(struct caller *caller)
{
	caller->awaits_result = false;
	caller->has_ended = true;
	return CALL_ENDED;
}

int system_calls_event(struct system_calls *calls, const struct task *task,
		       const struct event_record *event)
{
	struct caller *caller = system_calls_add_caller(calls, task->index);
	struct system_call *call = caller ? &caller->call : NULL;

	if (!caller)
		return -ERROR_MEMORY;
	if (caller->awaits_result && event->event == EVENT_SYS_EXIT) {
		take_result(call, event);
		return end_late(caller);
	}
	if (!caller->is_open) {
		take_untraced(caller, event);
	} else if (event->event == EVENT_SYS_ENTER) {
		system_calls_name(calls, call);
	} else if (event->event == EVENT_SYS_EXIT) {
		take_result(call, event);
	}
	return CALL_NOTHING;
}

void system_calls_expect_results_behind(struct system_calls *calls)
{
	calls->results_are_behind = true;
}

int system_calls_give_up(struct system_calls *calls, uint32_t index)
{
	struct caller *caller = system_calls_caller(calls, index);

	return caller && caller->awaits_result ? end_late(caller) :
						 CALL_NOTHING;
}

uint32_t system_calls_tasks(const struct system_calls *calls)
{
	return (uint32_t)calls->callers.count;
}
