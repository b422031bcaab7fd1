/* SPDX-License-Identifier: MIT */
#include "collector/gate/gate.h"
#include "collector/gate/gate_parts.h"
#include "collector/gate/gate_program.h"
#include "collector/trigger/bpf_code.h"
#include "collector/trigger/probe_events.h"
#include "collector/trigger/trigger_arming.h"
#include "common/error.h"
#include "common/gate_mark.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

/* Where the scheduler takes a task from its CPU, which still runs on its own
 * stack, and where the next one is on its own: called by each switch while
 * perf records switches (kernel/events/core.c).
 */
static const char leave_function[] = "__perf_event_task_sched_out";
static const char come_function[] = "__perf_event_task_sched_in";

struct gate gate_new(void)
{
	struct gate gate = {
		.set = trigger_set_new(),
		.functions = ARRAY_OF(struct gate_function),
		.chosen = -1,
	};

	gate.own.maps = gate.set.target;
	gate.own.line = -1;
	return gate;
}

void gate_free(struct gate *gate)
{
	trigger_set_free(&gate->set);
	array_free(&gate->functions);
}

struct trigger_arming gate_arming(struct gate *gate,
				  const struct trigger_setup *setup,
				  const char *text)
{
	gate->own.spec.text = text;
	return (struct trigger_arming){ &gate->set, setup, &gate->own };
}

/* A call chain is what the open functions are known by. */
static struct event_spec marks(void)
{
	struct event_spec spec =
		event_spec_bpf_output(GATE_MARK_EVENT, RING_STACKS);

	spec.attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	spec.attr.exclude_callchain_user = 1;
	spec.attr.wakeup_watermark = 256 << 10;
	return spec;
}

/* Runs @code at a new probe of @function. */
static int probe(const struct trigger_arming *arming, const char *function,
		 const struct bpf_code *code, enum event_aux_action action)
{
	size_t number = arming->set->probes++;
	size_t spec;

	if (trigger_probe_kernel(arming, number, false, function) ||
	    trigger_open_probe(arming, number, false, action, &spec))
		return -1;
	return trigger_attach(arming, spec, code);
}

static int probe_switches(const struct trigger_arming *arming)
{
	const struct trigger_maps *maps = &arming->trigger->maps;
	struct bpf_code leave = { .count = 0 };
	struct bpf_code come = { .count = 0 };

	gate_program_leave(&leave, maps);
	gate_program_come(&come, maps);
	if (probe(arming, leave_function, &leave, AUX_PAUSE))
		return -1;
	return probe(arming, come_function, &come, AUX_RESUME);
}

static int open_common(const struct trigger_arming *arming)
{
	struct trigger_maps *maps = &arming->trigger->maps;

	if (trigger_know_target(arming))
		return -ERROR_SYSTEM;
	*maps = arming->set->target;
	if (trigger_output_map(arming, marks()) ||
	    trigger_task_map(arming, &maps->begins) ||
	    trigger_forget_dead(arming, maps->begins) || probe_switches(arming))
		return -ERROR_SYSTEM;
	return 0;
}

const char *gate_list_check(const char *list)
{
	char names[GATE_LIST_SIZE];
	char *rest = names;
	const char *name;

	if ((size_t)snprintf(names, sizeof(names), "%s", list) >= sizeof(names))
		return "fewer or shorter names";
	while ((name = strsep(&rest, ",")))
		if (!trigger_name_is_function(name, strlen(name)))
			return "names of system calls or kernel functions "
			       "with commas between";
	return NULL;
}

int gate_open(struct gate *gate, const struct trigger_setup *setup,
	      const char *list, const char *line)
{
	struct trigger_arming arming = gate_arming(gate, setup, list);
	int error;

	probe_events_remove();
	error = open_common(&arming);
	if (!error)
		error = trigger_process_map(&arming, &gate->chosen);
	if (!error && line)
		error = trigger_open_line(&arming, line, &gate->own.line);
	if (error)
		return -ERROR_SYSTEM;
	error = gate_prepare(gate, setup, list);
	return error ? error : gate_choose(gate, setup);
}
