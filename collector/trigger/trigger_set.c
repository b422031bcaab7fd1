/* SPDX-License-Identifier: MIT */
#include "collector/trigger/trigger_set.h"
#include "collector/trigger/bpf_code.h"
#include "collector/trigger/bpf_object.h"
#include "collector/trigger/probe_events.h"
#include "collector/trigger/trigger_arming.h"
#include "common/error.h"

#include <unistd.h>

static const struct trigger_maps no_maps = { -1, -1, -1, -1 };

struct trigger_set trigger_set_new(void)
{
	return (struct trigger_set){
		.triggers = ARRAY_OF(struct trigger),
		.fds = ARRAY_OF(int),
		.target = no_maps,
	};
}

void trigger_set_free(struct trigger_set *set)
{
	const int *fds = set->fds.items;

	for (size_t i = 0; i < set->fds.count; i++)
		close(fds[i]);
	if (set->has_probes)
		probe_events_remove();
	array_free(&set->fds);
	array_free(&set->triggers);
}

static int (*const arm[])(const struct trigger_arming *arming) = {
	[TRIGGER_CALL] = trigger_arm_call,
	[TRIGGER_SLEEP] = trigger_arm_call,
	[TRIGGER_RUNNABLE] = trigger_arm_runnable,
	[TRIGGER_TRACEPOINT] = trigger_arm_tracepoint,
	[TRIGGER_USER] = trigger_arm_user,
	[TRIGGER_SIGNAL] = trigger_arm_signal,
	[TRIGGER_EXIT] = trigger_arm_exit,
	[TRIGGER_LINE] = trigger_arm_line,
};

int trigger_know_target(const struct trigger_arming *arming)
{
	const struct trigger_setup *setup = arming->setup;
	struct trigger_maps *target = &arming->set->target;
	struct bpf_code code = { .count = 0 };
	uint32_t yes = 1;

	if (!setup->process_count || target->seeds >= 0)
		return 0;
	if (trigger_process_map(arming, &target->seeds) ||
	    trigger_task_map(arming, &target->members))
		return -1;
	for (size_t i = 0; i < setup->process_count; i++)
		if (bpf_map_set(target->seeds, &setup->processes[i], &yes))
			return trigger_refuse_errno(arming, "a BPF map");
	trigger_program_fork(&code, target);
	if (trigger_attach_raw(arming, "sched_process_fork", &code))
		return -1;
	return trigger_forget_dead(arming, target->members);
}

int trigger_set_arm(struct trigger_set *set, const struct trigger_setup *setup,
		    const char *const *texts, size_t count)
{
	probe_events_remove();
	for (size_t i = 0; i < count; i++) {
		struct trigger *trigger = array_add(&set->triggers);
		struct trigger_arming arming = { set, setup, trigger };

		if (!trigger)
			return -ERROR_MEMORY;
		trigger->line = -1;
		trigger_spec_parse(texts[i], &trigger->spec);
		if (trigger->spec.kind != TRIGGER_LINE &&
		    trigger_know_target(&arming))
			continue;
		trigger->maps = set->target;
		arm[trigger->spec.kind](&arming);
	}
	return 0;
}

const struct trigger *trigger_set_of_spec(const struct trigger_set *set,
					  size_t spec)
{
	const struct trigger *triggers = set->triggers.items;

	for (size_t i = 0; i < set->triggers.count; i++)
		if (triggers[i].has_events && triggers[i].hit_spec == spec)
			return &triggers[i];
	return NULL;
}
