/* SPDX-License-Identifier: MIT */
#include "collector/gate/gate_parts.h"
#include "collector/gate/gate_program.h"
#include "collector/trigger/bpf_code.h"
#include "collector/trigger/bpf_object.h"
#include "common/error.h"
#include "common/gate_mark.h"

#include <stdio.h>
#include <string.h>

static struct gate_function *find(struct gate *gate, const char *name)
{
	struct gate_function *functions = gate->functions.items;

	for (size_t i = 0; i < gate->functions.count; i++)
		if (!strcmp(functions[i].name, name) ||
		    !strcmp(functions[i].function, name))
			return &functions[i];
	return NULL;
}

/* At the begin the kernel runs the newest first (register_kprobe()): its own part
 * of the probe at the return, before the trace goes on; or our program, where
 * that is to see who called.
 */
static int name_probes(const struct trigger_arming *arming, size_t number,
		       const char *function)
{
	const bool is_return_first = gate_program_reads_caller();

	if (trigger_probe_kernel(arming, number, is_return_first, function) ||
	    trigger_probe_kernel(arming, number, !is_return_first, function))
		return -ERROR_NOT_FOUND;
	return 0;
}

/* The event at the return is opened first, so that no begin is without its end.
 */
static int add_probes(const struct gate *gate,
		      const struct trigger_arming *arming,
		      struct gate_function *function)
{
	const struct trigger_maps *maps = &arming->trigger->maps;
	size_t number = arming->set->probes++;
	struct bpf_code begin = { .count = 0 };
	struct bpf_code end = { .count = 0 };
	size_t spec;

	function->number = (uint32_t)number;
	gate_program_begin(&begin, maps, gate->chosen, function->number);
	gate_program_end(&end, maps);
	if (name_probes(arming, number, function->function))
		return -ERROR_NOT_FOUND;
	if (trigger_open_probe(arming, number, true, AUX_PAUSE, &spec) ||
	    trigger_attach(arming, spec, &end) ||
	    trigger_open_probe(arming, number, false, AUX_RESUME, &spec) ||
	    trigger_attach(arming, spec, &begin))
		return -ERROR_SYSTEM;
	return 0;
}

/* Makes the function @name known, if it is not. */
static int want(struct gate *gate, const struct trigger_arming *arming,
		const char *name)
{
	struct gate_function *known = find(gate, name);
	struct gate_function function = { .is_wanted = true };
	int error;

	snprintf(function.name, sizeof(function.name), "%s", name);
	if (!known && trigger_find_function(arming, name, function.function,
					    sizeof(function.function)))
		return -ERROR_NOT_FOUND;
	if (!known)
		known = find(gate, function.function);
	if (known) {
		known->is_wanted = true;
		return 0;
	}
	error = add_probes(gate, arming, &function);
	if (error)
		return error;
	known = array_add(&gate->functions);
	if (!known)
		return -ERROR_MEMORY;
	*known = function;
	return 0;
}

static int want_all(struct gate *gate, const struct trigger_arming *arming,
		    const char *list)
{
	char names[GATE_LIST_SIZE];
	char *rest = names;
	const char *name;
	int error = 0;

	snprintf(names, sizeof(names), "%s", list);
	while (!error && (name = strsep(&rest, ","))) {
		gate->own.spec.text = name;
		error = want(gate, arming, name);
	}
	gate->own.spec.text = list;
	return error;
}

/* Makes the kernel know whether the calls of @function count. */
static int tell(const struct gate *gate, const struct trigger_arming *arming,
		const struct gate_function *function)
{
	const uint32_t yes = 1;

	if (!function->is_wanted)
		bpf_map_forget(gate->chosen, &function->number);
	else if (bpf_map_set(gate->chosen, &function->number, &yes))
		return trigger_refuse_errno(arming, "a BPF map");
	return 0;
}

int gate_prepare(struct gate *gate, const struct trigger_setup *setup,
		 const char *list)
{
	struct trigger_arming arming = gate_arming(gate, setup, list);
	struct gate_function *functions = gate->functions.items;

	for (size_t i = 0; i < gate->functions.count; i++)
		functions[i].is_wanted = false;
	return strcmp(list, GATE_NONE) ? want_all(gate, &arming, list) : 0;
}

int gate_choose(struct gate *gate, const struct trigger_setup *setup)
{
	struct trigger_arming arming =
		gate_arming(gate, setup, gate->own.spec.text);
	const struct gate_function *functions = gate->functions.items;

	for (size_t i = 0; i < gate->functions.count; i++)
		if (tell(gate, &arming, &functions[i]))
			return -ERROR_SYSTEM;
	return 0;
}
