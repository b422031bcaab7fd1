/* SPDX-License-Identifier: MIT */
#include "symbolize/gate/gate_events_parts.h"
#include "symbolize/symbols/symbols.h"

#include <string.h>

uint32_t gate_function_at(const struct gate_events *events, uint64_t address)
{
	struct symbol symbol;

	symbols_find(events->symbols, -1, address, &symbol);
	return symbol.function;
}

static bool begins_with(const char *name, const char *prefix)
{
	return prefix && !strncmp(name, prefix, strlen(prefix));
}

/* Returns the name of the function that is called at the return address
 * @address, or was interrupted there.
 */
static const char *name_before(const struct gate_events *events,
			       uint64_t address)
{
	return function_at(symbols_functions(events->symbols),
			   gate_function_at(events, address - 1))
		->base;
}

bool gate_is_exception(const struct gate_events *events, uint64_t address)
{
	const char *name = name_before(events, address);
	const struct name_rule *rule = name_lookup_find(&events->entries, name);

	if (begins_with(name, symbols_arch(events->symbols)->exception_prefix))
		return true;
	return rule && rule->value != CONTEXT_SYSTEM_CALL;
}

bool gate_is_vector(const struct gate_events *events, uint64_t address)
{
	static const char handler[] = "_handler";
	const char *name = name_before(events, address);
	size_t length = strlen(name);

	if (!begins_with(name, symbols_arch(events->symbols)->vector_prefix))
		return false;
	return length < strlen(handler) ||
	       strcmp(name + length - strlen(handler), handler) != 0;
}

int gate_depth_change(const struct function_event *event)
{
	switch (event->kind) {
	case FUNCTION_CALL:
	case FUNCTION_EXCEPTION:
		return 1;
	case FUNCTION_RETURN:
	case FUNCTION_EXCEPTION_RETURN:
		return -1;
	default:
		return 0;
	}
}
