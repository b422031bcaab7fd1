/* SPDX-License-Identifier: MIT */
#include "explain/sleep_place_internal.h"

#include "attribution/calls/system_calls.h"
#include "attribution/events/known_events.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/time_span.h"
#include "attribution/time/wait_channels.h"
#include "report/profile/call_tree.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <errno.h>
#include <string.h>

const struct life_sleep sleep_unknown = {
	.waker = LIFE_NONE,
	.wake_function = FUNCTION_NONE,
	.interrupt = FUNCTION_NONE,
	.call = FUNCTION_NONE,
	.refused = FUNCTION_NONE,
	.inside = FUNCTION_NONE,
	.label = FUNCTION_NONE,
	.inner = FUNCTION_NONE,
	.user = FUNCTION_NONE,
};

/* Returns whether @function is of a program, not of a library it uses. */
static bool is_of_program(const struct function *function)
{
	const char *file = strrchr(function->module, '/');

	return function->space == 'u' &&
	       !strstr(file ? file : function->module, ".so") &&
	       function->module[0] == '/';
}

/* Sets the meaning of the futex of @sleep, if @function, which is open in its
 * thread, shows it: glibc's nptl/, and mutexes of other languages.
 */
static void note_futex(struct life_sleep *sleep,
		       const struct function *function)
{
	static const struct {
		const char *part;
		enum life_futex futex;
	} parts[] = {
		{ "pthread_cond_", FUTEX_SIGNAL },
		{ "pthread_join", FUTEX_SIGNAL },
		{ "clockjoin", FUTEX_SIGNAL },
		{ "pthread_barrier_", FUTEX_SIGNAL },
		{ "mutex", FUTEX_LOCK },
		{ "lll_lock", FUTEX_LOCK },
		{ "rwlock", FUTEX_LOCK },
	};

	if (function->space != 'u')
		return;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (sleep->futex == FUTEX_UNKNOWN &&
		    strstr(function->base, parts[i].part))
			sleep->futex = (uint8_t)parts[i].futex;
}

void sleep_place_by_stack(struct life_sleep *sleep,
			  const struct function_table *functions,
			  const struct call_tree *tree, uint32_t stack)
{
	while (stack != CALL_NODE_NONE) {
		const struct call_node *node = call_tree_at(tree, stack);
		const struct function *function =
			node->function < function_count(functions) ?
				function_at(functions, node->function) :
				NULL;

		if (function)
			note_futex(sleep, function);
		if (function && sleep->user == FUNCTION_NONE &&
		    is_of_program(function))
			sleep->user = node->function;
		stack = node->parent;
	}
}

/* Returns the offset in its function of the call that returns to @address; 0 if
 * unknown.
 */
static uint32_t offset_of(const struct symbols *symbols,
			  const struct event_record *event, uint64_t address)
{
	struct symbol symbol;

	if (!symbols || !address)
		return 0;
	symbols_find(symbols, event->pid, event->time_ns, address - 1, &symbol);
	return (uint32_t)(address - 1 - symbol.start);
}

void sleep_place_by_frames(struct life_sleep *sleep,
			   const struct function_table *functions,
			   const struct path_frame *frames, size_t count,
			   const struct symbols *symbols,
			   const struct event_record *event)
{
	for (size_t i = count; i-- > 0;) {
		const struct function *function =
			function_at(functions, frames[i].function);

		note_futex(sleep, function);
		if (!is_of_program(function))
			continue;
		sleep->user = frames[i].function;
		if (i + 1 < count)
			sleep->user_offset = offset_of(
				symbols, event, frames[i + 1].return_address);
		return;
	}
}

static bool is_in_call(const struct time_span *span)
{
	return span->context_count &&
	       span->contexts[0].kind == CONTEXT_SYSTEM_CALL;
}

/* Returns the function of the outermost context of @span whose kind is in
 * @kinds, a set of bits 1 << CONTEXT_*; FUNCTION_NONE if there is none.
 */
static uint32_t context_function(const struct time_span *span, uint32_t kinds)
{
	for (uint32_t i = 0; i < span->context_count; i++)
		if (kinds >> span->contexts[i].kind & 1)
			return span->contexts[i].function;
	return FUNCTION_NONE;
}

uint32_t span_fault(const struct time_span *span)
{
	return context_function(span, 1u << CONTEXT_FAULT);
}

uint32_t span_exception(const struct time_span *span)
{
	uint32_t fault = span_fault(span);

	return fault == FUNCTION_NONE ?
		       context_function(span, 1u << CONTEXT_EXCEPTION) :
		       fault;
}

enum work_kind span_exception_kind(const struct time_span *span)
{
	return span_fault(span) == FUNCTION_NONE ? WORK_KERNEL : WORK_FAULT;
}

uint32_t span_interrupt(const struct time_span *span)
{
	return context_function(span, 1u << CONTEXT_INTERRUPT |
					      1u << CONTEXT_NMI |
					      1u << CONTEXT_SOFTIRQ);
}

void sleep_place_by_span(struct life_sleep *sleep, const struct time_span *span)
{
	if (is_in_call(span)) {
		sleep->call = CALL_OPEN;
		sleep->inside = FUNCTION_NONE;
	} else if (sleep->inside == FUNCTION_NONE)
		sleep->inside = span_fault(span);
}

bool sleep_place_is_refused(const struct system_call *call)
{
	static const int errors[] = { EAGAIN, EACCES, EBUSY, EEXIST,
				      ECONNREFUSED };

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (call->has_exit && call->result == -errors[i])
			return true;
	return false;
}
