/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/kernel_symbols.h"
#include "collector/trigger/bpf_code.h"
#include "collector/trigger/function_names.h"
#include "collector/trigger/probe_events.h"
#include "collector/trigger/trigger_arming.h"
#include "collector/trigger/user_function.h"
#include "common/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* The triggers based on probes. */

int trigger_find_function(const struct trigger_arming *arming, const char *name,
			  char *function, size_t size)
{
	struct kernel_symbols *symbols = arming->setup->symbols;
	char near[3 * 64 + 8];
	size_t count;

	/* Read once, since the kernel generates the lines slowly. */
	if (!symbols->text.bytes &&
	    kernel_symbols_read(symbols, "/proc/kallsyms"))
		return trigger_refuse_errno(arming, "/proc/kallsyms");
	count = function_name_find(symbols, name, function, size);
	if (count == 1)
		return 0;
	if (count)
		return trigger_refuse(arming,
				      "the kernel has %zu functions called %s: "
				      "give one of %s",
				      count, name, function);
	function_name_suggest(symbols, name, near, sizeof(near));
	return trigger_refuse(arming,
			      "the kernel has neither a system call nor a "
			      "function called %s%s%s",
			      name, *near ? "; did you mean " : "", near);
}

int trigger_probe_kernel(const struct trigger_arming *arming, size_t number,
			 bool is_return, const char *function)
{
	arming->set->has_probes = true;
	if (!probe_event_add_kernel(number, is_return, function))
		return 0;
	if (errno == EINVAL || errno == EADDRNOTAVAIL)
		return trigger_refuse(
			arming, "the kernel allows no probe at %s", function);
	return trigger_refuse_errno(arming, function);
}

/* Creates a probe at @offset of the trigger's program. */
static int probe_user(const struct trigger_arming *arming, size_t number,
		      bool is_return, uint64_t offset)
{
	const char *path = arming->trigger->spec.path;

	arming->set->has_probes = true;
	if (!probe_event_add_user(number, is_return, path, offset))
		return 0;
	return trigger_refuse_errno(arming, path);
}

/* Attaches the programs that detect a hit to the probes @number. */
static int measure_at(const struct trigger_arming *arming, size_t number,
		      const struct trigger_condition *condition)
{
	const struct trigger_maps *maps = &arming->trigger->maps;
	bool has_begin = maps->begins >= 0 && condition->test != TEST_WAIT;
	struct bpf_code begin = { .count = 0 };
	struct bpf_code hit = { .count = 0 };
	size_t spec;

	if (has_begin) {
		trigger_program_begin(&begin, maps);
		if (trigger_open_probe(arming, number, false, AUX_NONE,
				       &spec) ||
		    trigger_attach(arming, spec, &begin))
			return -1;
	}
	trigger_program_hit(&hit, maps, condition);
	if (trigger_open_probe(arming, number, has_begin, AUX_PAUSE, &spec))
		return -1;
	return trigger_attach(arming, spec, &hit);
}

static int measure_sleeps(const struct trigger_arming *arming)
{
	struct bpf_code on_switch = { .count = 0 };
	struct bpf_code on_waking = { .count = 0 };

	trigger_program_sleep_switch(&on_switch, &arming->trigger->maps);
	trigger_program_sleep_waking(&on_waking, &arming->trigger->maps);
	if (trigger_attach_raw(arming, "sched_switch", &on_switch))
		return -1;
	return trigger_attach_raw(arming, "sched_waking", &on_waking);
}

/* Creates the maps of calls or waits in progress, and of hits. */
static int make_maps(const struct trigger_arming *arming)
{
	struct trigger_maps *maps = &arming->trigger->maps;

	if (trigger_hits_map(arming) || trigger_task_map(arming, &maps->begins))
		return -1;
	return trigger_forget_dead(arming, maps->begins);
}

int trigger_arm_call(const struct trigger_arming *arming)
{
	const struct trigger_spec *spec = &arming->trigger->spec;
	const struct trigger_condition condition = {
		.test = spec->kind == TRIGGER_SLEEP ? TEST_SLEEP : TEST_CALL,
		.limit_ns = spec->limit_ns,
	};
	size_t number = arming->set->probes++;
	char function[TRIGGER_FUNCTION_SIZE];

	if (trigger_find_function(arming, spec->name, function,
				  sizeof(function)) ||
	    trigger_probe_kernel(arming, number, false, function) ||
	    trigger_probe_kernel(arming, number, true, function) ||
	    make_maps(arming))
		return -1;
	if (spec->kind == TRIGGER_SLEEP && measure_sleeps(arming))
		return -1;
	return measure_at(arming, number, &condition);
}

/* The point where a task starts to run on its CPU after a switch: the first
 * function that the scheduler calls there (kernel/sched/core.c).
 */
static const char got_cpu[] = "finish_task_switch";

int trigger_arm_runnable(const struct trigger_arming *arming)
{
	const struct trigger_maps *maps = &arming->trigger->maps;
	const struct trigger_condition condition = {
		.test = TEST_WAIT,
		.limit_ns = arming->trigger->spec.limit_ns,
	};
	size_t number = arming->set->probes++;
	char function[TRIGGER_FUNCTION_SIZE];
	struct bpf_code on_switch = { .count = 0 };
	struct bpf_code on_waking = { .count = 0 };

	if (trigger_find_function(arming, got_cpu, function,
				  sizeof(function)) ||
	    trigger_probe_kernel(arming, number, false, function) ||
	    make_maps(arming))
		return -1;
	trigger_program_wait_switch(&on_switch, maps);
	trigger_program_wait_waking(&on_waking, maps);
	if (trigger_attach_raw(arming, "sched_switch", &on_switch) ||
	    trigger_attach_raw(arming, "sched_waking", &on_waking) ||
	    trigger_attach_raw(arming, "sched_wakeup_new", &on_waking))
		return -1;
	return measure_at(arming, number, &condition);
}

/* Refuses an ambiguous name: logs how to distinguish the functions @found. */
static int refuse_several(const struct trigger_arming *arming,
			  const struct user_functions *found)
{
	const struct trigger_spec *spec = &arming->trigger->spec;
	char list[256] = "";
	size_t length = 0;

	for (size_t i = 0; i < found->count && i < USER_FUNCTIONS_KEPT &&
			   length < sizeof(list);
	     i++)
		length += (size_t)snprintf(list + length, sizeof(list) - length,
					   "%s%s@0x%" PRIx64, i ? ", " : "",
					   spec->name, found->addresses[i]);
	return trigger_refuse(arming,
			      "%s has %zu functions called %s: give one of "
			      "%s%s",
			      spec->path, found->count, spec->name, list,
			      found->count > USER_FUNCTIONS_KEPT ? ", ..." :
								   "");
}

int trigger_arm_user(const struct trigger_arming *arming)
{
	const struct trigger_spec *spec = &arming->trigger->spec;
	const struct trigger_condition condition = {
		.test = spec->limit_ns ? TEST_CALL : TEST_NOTHING,
		.limit_ns = spec->limit_ns,
	};
	size_t number = arming->set->probes++;
	struct user_functions found;
	int error = user_functions_find(spec->path, spec->name, &found);

	if (error == -ERROR_SYSTEM)
		return trigger_refuse_errno(arming, spec->path);
	if (error)
		return trigger_refuse(arming,
				      "%s is not a program or library with a "
				      "function %s (nm, or nm -D, lists them)",
				      spec->path, spec->name);
	if (found.count > 1)
		return refuse_several(arming, &found);
	if (probe_user(arming, number, false, found.offset) ||
	    (spec->limit_ns && probe_user(arming, number, true, found.offset)))
		return -1;
	if (spec->limit_ns ? make_maps(arming) : trigger_hits_map(arming))
		return -1;
	return measure_at(arming, number, &condition);
}

/* The exit status of the command's child processes does not matter. */
int trigger_arm_exit(const struct trigger_arming *arming)
{
	const struct trigger_condition condition = { .test = TEST_ARGUMENT };
	size_t number = arming->set->probes++;

	arming->trigger->maps.members = -1;
	if (trigger_probe_kernel(arming, number, false, "do_group_exit") ||
	    trigger_hits_map(arming))
		return -1;
	return measure_at(arming, number, &condition);
}
