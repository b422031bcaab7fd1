/* SPDX-License-Identifier: MIT */
#include "collector/trigger/trigger_arming.h"
#include "collector/events/event_list.h"
#include "collector/events/tracefs.h"
#include "collector/trigger/bpf_code.h"
#include "collector/trigger/bpf_object.h"
#include "collector/trigger/probe_events.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

/* The capacity of maps with tasks as keys, and with numbers as keys. */
enum { TASKS_AT_ONCE = 16384, PROCESSES = 1024 };

int trigger_refuse(const struct trigger_arming *arming, const char *format, ...)
{
	char text[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	log_message(arming->setup->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "%s='%s': %s%s", arming->setup->option,
		    arming->trigger->spec.text, text, arming->setup->sequel);
	return -1;
}

int trigger_refuse_errno(const struct trigger_arming *arming, const char *what)
{
	if (errno == EPERM || errno == EACCES)
		return trigger_refuse(arming,
				      "%s: not permitted: record as root "
				      "(needs CAP_BPF, CAP_PERFMON and "
				      "tracefs, and a kernel that is not "
				      "locked down)",
				      what);
	return trigger_refuse(arming, "%s: %s", what, strerror(errno));
}

int trigger_keep(const struct trigger_arming *arming, int fd, const char *what)
{
	if (fd < 0)
		return trigger_refuse_errno(arming, what);
	if (array_append(&arming->set->fds, &fd) < 0)
		return trigger_refuse(arming, "out of memory");
	return 0;
}

int trigger_task_map(const struct trigger_arming *arming, int *map)
{
	*map = bpf_map_new(BPF_MAP_TYPE_HASH, sizeof(uint64_t),
			   sizeof(struct trigger_begin), TASKS_AT_ONCE);
	return trigger_keep(arming, *map, "a BPF map");
}

int trigger_process_map(const struct trigger_arming *arming, int *map)
{
	*map = bpf_map_new(BPF_MAP_TYPE_HASH, sizeof(uint32_t),
			   sizeof(uint32_t), PROCESSES);
	return trigger_keep(arming, *map, "a BPF map");
}

int trigger_open_events(const struct trigger_arming *arming,
			struct event_spec spec, const char *what, size_t *index)
{
	const struct trigger_setup *setup = arming->setup;
	int added = event_list_add(setup->events, spec);

	if (added < 0)
		return trigger_refuse(arming, "out of memory");
	*index = (size_t)added;
	if (setup->open(setup->context, *index))
		return trigger_refuse_errno(arming, what);
	return 0;
}

/* Stores the CPUs' events in the map, an array indexed by CPU. */
static int fill_hits(const struct trigger_arming *arming, size_t spec)
{
	const struct trigger_setup *setup = arming->setup;
	int map = arming->trigger->maps.hits;

	for (size_t i = 0; i < setup->cpu_count; i++) {
		const struct event *event =
			event_list_find(setup->events, spec, setup->cpus[i]);

		if (event && bpf_map_set(map, &event->cpu, &event->fd))
			return trigger_refuse_errno(arming, "a BPF map");
	}
	return 0;
}

int trigger_output_map(const struct trigger_arming *arming,
		       struct event_spec output)
{
	const struct trigger_setup *setup = arming->setup;
	struct trigger *trigger = arming->trigger;
	int last = 0;

	for (size_t i = 0; i < setup->cpu_count; i++)
		if (setup->cpus[i] > last)
			last = setup->cpus[i];
	if (trigger_open_events(arming, output, "a BPF output event",
				&trigger->hit_spec))
		return -1;
	trigger->has_events = true;
	trigger->maps.hits = bpf_map_new(BPF_MAP_TYPE_PERF_EVENT_ARRAY,
					 sizeof(int), sizeof(int),
					 (size_t)last + 1);
	if (trigger_keep(arming, trigger->maps.hits, "a BPF map"))
		return -1;
	return fill_hits(arming, trigger->hit_spec);
}

int trigger_hits_map(const struct trigger_arming *arming)
{
	char name[64];

	snprintf(name, sizeof(name), "trigger:%s", arming->trigger->spec.text);
	return trigger_output_map(arming,
				  event_spec_bpf_output(name, RING_HITS));
}

int trigger_open_probe(const struct trigger_arming *arming, size_t number,
		       bool is_return, enum event_aux_action action,
		       size_t *spec)
{
	const struct trigger_setup *setup = arming->setup;
	struct event_spec probe;
	char name[PROBE_NAME_SIZE];
	uint64_t id;

	probe_event_name(number, is_return, name);
	if (tracefs_id(name, &id)) {
		errno = ENOENT;
		return trigger_refuse_errno(arming, "a probe");
	}
	probe = event_spec_tracepoint(name, id, EVENT_OF_CPUS);
	probe.ring = RING_NONE;
	if (action && setup->can_pause)
		event_spec_act(&probe, setup->trace_spec, action);
	return trigger_open_events(arming, probe, "a probe's perf event", spec);
}

static int load(const struct trigger_arming *arming, enum bpf_prog_type type,
		const struct bpf_code *code)
{
	char why[200];
	int program = bpf_program_load(type, code, why, sizeof(why));

	if (program < 0 && *why)
		return trigger_refuse(arming,
				      "the kernel refuses a BPF "
				      "program: %s",
				      why);
	return trigger_keep(arming, program, "a BPF program") ? -1 : program;
}

/* The programs are attached to the probe, whichever CPU's event is used for
 * that.
 */
int trigger_attach(const struct trigger_arming *arming, size_t spec,
		   const struct bpf_code *code)
{
	const struct trigger_setup *setup = arming->setup;
	const struct event *event =
		event_list_find(setup->events, spec, setup->cpus[0]);
	int program = load(arming, BPF_PROG_TYPE_KPROBE, code);

	if (program < 0)
		return -1;
	/* Enabled only now: without the program each call would be a hit. */
	if (event && !ioctl(event->fd, PERF_EVENT_IOC_SET_BPF, program) &&
	    !event_list_control(setup->events, spec, PERF_EVENT_IOC_ENABLE,
				NULL))
		return 0;
	return trigger_refuse_errno(arming, "a BPF program at a probe");
}

int trigger_attach_raw(const struct trigger_arming *arming, const char *name,
		       const struct bpf_code *code)
{
	int program = load(arming, BPF_PROG_TYPE_RAW_TRACEPOINT, code);

	if (program < 0)
		return -1;
	return trigger_keep(arming, bpf_raw_tracepoint_open(name, program),
			    name);
}

int trigger_forget_dead(const struct trigger_arming *arming, int map)
{
	struct bpf_code code = { .count = 0 };

	trigger_program_forget(&code, map);
	return trigger_attach_raw(arming, "sched_process_free", &code);
}
