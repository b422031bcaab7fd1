/* SPDX-License-Identifier: MIT */
#include "symbolize/gate/gate_functions.h"
#include "symbolize/events/function_event.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <string.h>

/* The kernel's names for the return target of functions with a return probe
 * (arch/x86/kernel/rethook.c, arch/arm64/kernel/probes/), and for the function
 * in which the recorder detects that a task leaves its CPU
 * (collector/gate/gate.c).
 */
struct gate_functions gate_functions_of(const struct symbols *symbols)
{
	const struct function_table *table = symbols_functions(symbols);
	const struct arch *arch = symbols_arch(symbols);
	struct gate_functions functions = {
		.symbols = symbols,
		.entries = name_lookup_of(arch->entries, arch->entry_count),
		.trampolines = {
			function_table_kernel(table, "arch_rethook_trampoline"),
			function_table_kernel(table, "__kretprobe_trampoline"),
		},
		.probe = function_table_kernel(table, "perf_tp_event"),
		.leave = function_table_kernel(table,
					       "__perf_event_task_sched_out"),
	};

	if (functions.probe == FUNCTION_NONE)
		functions.probe = FUNCTION_UNKNOWN;
	return functions;
}

uint32_t gate_function_at(const struct gate_functions *functions,
			  uint64_t address)
{
	struct symbol symbol;

	symbols_find(functions->symbols, -1, 0, address, &symbol);
	return symbol.function;
}

static bool begins_with(const char *name, const char *prefix)
{
	return prefix && !strncmp(name, prefix, strlen(prefix));
}

/* Returns the name of the function that made the call with return address
 * @address, or was interrupted there.
 */
static const char *name_before(const struct gate_functions *functions,
			       uint64_t address)
{
	return function_at(symbols_functions(functions->symbols),
			   gate_function_at(functions, address - 1))
		->base;
}

bool gate_is_exception(const struct gate_functions *functions, uint64_t address)
{
	const char *name = name_before(functions, address);
	const struct name_rule *rule =
		name_lookup_find(&functions->entries, name);

	if (begins_with(name,
			symbols_arch(functions->symbols)->exception_prefix))
		return true;
	return rule && rule->value != CONTEXT_SYSTEM_CALL;
}

bool gate_is_vector(const struct gate_functions *functions, uint64_t address)
{
	static const char handler[] = "_handler";
	const char *name = name_before(functions, address);
	size_t length = strlen(name);

	if (!begins_with(name, symbols_arch(functions->symbols)->vector_prefix))
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
