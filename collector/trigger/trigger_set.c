/* SPDX-License-Identifier: MIT */
#include "collector/trigger/trigger_set.h"
#include "collector/events/event_list.h"
#include "collector/events/tracefs.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "collector/trigger/bpf_code.h"
#include "collector/trigger/bpf_object.h"
#include "collector/trigger/function_names.h"
#include "collector/trigger/probe_events.h"
#include "collector/trigger/trigger_arming.h"
#include "collector/trigger/user_function.h"
#include "common/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
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

/* Finds the kernel function that the trigger's @name means. */
static int find_function(const struct trigger_arming *arming, const char *name,
			 char *function, size_t size)
{
	struct kernel_symbols *symbols = arming->setup->symbols;
	char near[3 * 64 + 8];

	/* Its lines are much work for the kernel. */
	if (!symbols->text.bytes &&
	    kernel_symbols_read(symbols, "/proc/kallsyms"))
		return trigger_refuse_errno(arming, "/proc/kallsyms");
	if (!function_name_find(symbols, name, function, size))
		return 0;
	function_name_suggest(symbols, name, near, sizeof(near));
	return trigger_refuse(arming,
			      "the kernel has neither a system call nor a "
			      "function called %s%s%s",
			      name, *near ? "; did you mean " : "", near);
}

/* Makes a probe of the kernel at the begin or the return of @function. */
static int probe_kernel(const struct trigger_arming *arming, size_t number,
			bool is_return, const char *function)
{
	arming->set->has_probes = true;
	if (!probe_event_add_kernel(number, is_return, function))
		return 0;
	if (errno == EINVAL || errno == EADDRNOTAVAIL)
		return trigger_refuse(
			arming,
			"the kernel allows no probe at %s, or has "
			"several functions of that name",
			function);
	return trigger_refuse_errno(arming, function);
}

/* The same at @offset of the trigger's program. */
static int probe_user(const struct trigger_arming *arming, size_t number,
		      bool is_return, uint64_t offset)
{
	const char *path = arming->trigger->spec.path;

	arming->set->has_probes = true;
	if (!probe_event_add_user(number, is_return, path, offset))
		return 0;
	return trigger_refuse_errno(arming, path);
}

/* What dies inside of a call never ends it. */
static int forget_dead(const struct trigger_arming *arming, int map)
{
	struct bpf_code code = { .count = 0 };

	trigger_program_forget(&code, map);
	return trigger_attach_raw(arming, "sched_process_free", &code);
}

/* Runs the programs that tell a hit at the probes @number. */
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
		if (trigger_open_probe(arming, number, false, false, &spec) ||
		    trigger_attach(arming, spec, &begin))
			return -1;
	}
	trigger_program_hit(&hit, maps, condition);
	if (trigger_open_probe(arming, number, has_begin, true, &spec))
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

/* Makes the maps that tell of calls or waits under way, and of hits. */
static int make_maps(const struct trigger_arming *arming)
{
	struct trigger_maps *maps = &arming->trigger->maps;

	if (trigger_hits_map(arming) || trigger_task_map(arming, &maps->begins))
		return -1;
	return forget_dead(arming, maps->begins);
}

static int arm_call(const struct trigger_arming *arming)
{
	const struct trigger_spec *spec = &arming->trigger->spec;
	const struct trigger_condition condition = {
		.test = spec->kind == TRIGGER_SLEEP ? TEST_SLEEP : TEST_CALL,
		.limit_ns = spec->limit_ns,
	};
	size_t number = arming->set->probes++;
	char function[TRIGGER_NAME_SIZE + 16];

	if (find_function(arming, spec->name, function, sizeof(function)) ||
	    probe_kernel(arming, number, false, function) ||
	    probe_kernel(arming, number, true, function) || make_maps(arming))
		return -1;
	if (spec->kind == TRIGGER_SLEEP && measure_sleeps(arming))
		return -1;
	return measure_at(arming, number, &condition);
}

/* Where a task that has got a CPU begins to run on it: the first function that
 * the scheduler calls there (kernel/sched/core.c).
 */
static const char got_cpu[] = "finish_task_switch";

static int arm_runnable(const struct trigger_arming *arming)
{
	const struct trigger_maps *maps = &arming->trigger->maps;
	const struct trigger_condition condition = {
		.test = TEST_WAIT,
		.limit_ns = arming->trigger->spec.limit_ns,
	};
	size_t number = arming->set->probes++;
	char function[TRIGGER_NAME_SIZE];
	struct bpf_code on_switch = { .count = 0 };
	struct bpf_code on_waking = { .count = 0 };

	if (find_function(arming, got_cpu, function, sizeof(function)) ||
	    probe_kernel(arming, number, false, function) || make_maps(arming))
		return -1;
	trigger_program_wait_switch(&on_switch, maps);
	trigger_program_wait_waking(&on_waking, maps);
	if (trigger_attach_raw(arming, "sched_switch", &on_switch) ||
	    trigger_attach_raw(arming, "sched_waking", &on_waking) ||
	    trigger_attach_raw(arming, "sched_wakeup_new", &on_waking))
		return -1;
	return measure_at(arming, number, &condition);
}

static int set_filter(const struct trigger_arming *arming)
{
	const struct trigger *trigger = arming->trigger;
	const char *name = trigger->spec.name;
	int system = (int)strcspn(name, ":");

	if (!trigger->spec.filter[0] ||
	    !event_list_control(arming->setup->events, trigger->hit_spec,
				PERF_EVENT_IOC_SET_FILTER,
				(void *)(uintptr_t)trigger->spec.filter))
		return 0;
	return trigger_refuse(arming,
			      "the kernel refuses the filter '%s': the fields "
			      "are in %s/events/%.*s/%s/format",
			      trigger->spec.filter, tracefs_folder(), system,
			      name, name + system + 1);
}

static int arm_tracepoint(const struct trigger_arming *arming)
{
	const struct trigger_setup *setup = arming->setup;
	struct trigger *trigger = arming->trigger;
	struct event_spec spec;
	uint64_t id;
	int added;

	if (tracefs_id(trigger->spec.name, &id))
		return trigger_refuse(arming,
				      "the kernel has no tracepoint %s, or "
				      "tracefs cannot be read (root can)",
				      trigger->spec.name);
	spec = event_spec_tracepoint(trigger->spec.name, id, EVENT_OF_CPUS);
	spec.ring = RING_HITS;
	spec.attr.wakeup_watermark = 1;
	spec.attr.disabled = 0;
	if (setup->can_pause)
		event_spec_pause(&spec, setup->trace_spec);
	added = event_list_add(setup->events, spec);
	if (added < 0)
		return trigger_refuse(arming, "out of memory");
	trigger->hit_spec = (size_t)added;
	if (setup->open(setup->context, trigger->hit_spec))
		return trigger_refuse_errno(arming, trigger->spec.name);
	trigger->has_events = true;
	if (!set_filter(arming))
		return 0;
	event_list_control(setup->events, trigger->hit_spec,
			   PERF_EVENT_IOC_DISABLE, NULL);
	trigger->has_events = false;
	return -1;
}

static int arm_user(const struct trigger_arming *arming)
{
	const struct trigger_spec *spec = &arming->trigger->spec;
	const struct trigger_condition condition = {
		.test = spec->limit_ns ? TEST_CALL : TEST_NOTHING,
		.limit_ns = spec->limit_ns,
	};
	size_t number = arming->set->probes++;
	uint64_t offset;
	int error = user_function_offset(spec->path, spec->name, &offset);

	if (error == -ERROR_SYSTEM)
		return trigger_refuse_errno(arming, spec->path);
	if (error)
		return trigger_refuse(arming,
				      "%s is no program or library with a "
				      "function %s (nm, or nm -D, lists them)",
				      spec->path, spec->name);
	if (probe_user(arming, number, false, offset) ||
	    (spec->limit_ns && probe_user(arming, number, true, offset)))
		return -1;
	if (spec->limit_ns ? make_maps(arming) : trigger_hits_map(arming))
		return -1;
	return measure_at(arming, number, &condition);
}

static int arm_signal(const struct trigger_arming *arming)
{
	const struct trigger_condition condition = {
		.test = TEST_SIGNAL,
		.signals = arming->trigger->spec.signals,
	};
	struct bpf_code code = { .count = 0 };

	if (trigger_hits_map(arming))
		return -1;
	trigger_program_hit(&code, &arming->trigger->maps, &condition);
	return trigger_attach_raw(arming, "signal_deliver", &code);
}

/* What the command started may end as it likes. */
static int arm_exit(const struct trigger_arming *arming)
{
	const struct trigger_condition condition = { .test = TEST_ARGUMENT };
	size_t number = arming->set->probes++;

	arming->trigger->maps.members = -1;
	if (probe_kernel(arming, number, false, "do_group_exit") ||
	    trigger_hits_map(arming))
		return -1;
	return measure_at(arming, number, &condition);
}

/* Open for writing, too: it does not end when the last writer closes it. */
static int arm_line(const struct trigger_arming *arming)
{
	struct trigger *trigger = arming->trigger;
	const char *path = trigger->spec.path;
	struct stat stat_of_path;

	if (stat(path, &stat_of_path) < 0 && errno == ENOENT &&
	    mkfifo(path, 0600) < 0)
		return trigger_refuse_errno(arming, path);
	trigger->line = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (trigger->line >= 0 && !fstat(trigger->line, &stat_of_path) &&
	    !S_ISFIFO(stat_of_path.st_mode)) {
		close(trigger->line);
		trigger->line = -1;
		return trigger_refuse(arming, "%s is no named pipe (mkfifo)",
				      path);
	}
	return trigger_keep(arming, trigger->line, path);
}

static int (*const arm[])(const struct trigger_arming *arming) = {
	[TRIGGER_CALL] = arm_call,
	[TRIGGER_SLEEP] = arm_call,
	[TRIGGER_RUNNABLE] = arm_runnable,
	[TRIGGER_TRACEPOINT] = arm_tracepoint,
	[TRIGGER_USER] = arm_user,
	[TRIGGER_SIGNAL] = arm_signal,
	[TRIGGER_EXIT] = arm_exit,
	[TRIGGER_LINE] = arm_line,
};

/* Makes the maps that tell whose hits count. */
static int know_target(const struct trigger_arming *arming)
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
	return forget_dead(arming, target->members);
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
		if (trigger->spec.kind != TRIGGER_LINE && know_target(&arming))
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
