/* SPDX-License-Identifier: MIT */
#include "collector/event_rings.h"
#include "collector/events/event_list.h"
#include "collector/target/target.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <string.h>

struct event_rings event_rings_new(const struct target *target,
				   size_t buffer_bytes, const struct log *log)
{
	return (struct event_rings){
		.list = event_list_new(),
		.cpus = ARRAY_OF(struct cpu_rings),
		.target = target,
		.buffer_bytes = buffer_bytes,
		.log = log,
	};
}

void event_rings_free(struct event_rings *events)
{
	struct cpu_rings *rings = events->cpus.items;

	for (size_t i = 0; i < events->cpus.count; i++)
		cpu_rings_free(&rings[i]);
	array_free(&events->cpus);
	event_list_free(&events->list);
}

static int add_cpus(struct event_rings *events, const struct array *cpus,
		    size_t trace_bytes, bool overwrite)
{
	const int *cpu = cpus->items;

	for (size_t i = 0; i < cpus->count; i++) {
		struct cpu_rings *rings = array_add(&events->cpus);

		if (!rings)
			return -ERROR_MEMORY;
		cpu_rings_init(rings, cpu[i], trace_bytes, overwrite);
	}
	return 0;
}

int event_rings_add_cpus(struct event_rings *events, size_t trace_bytes,
			 bool overwrite)
{
	int error =
		add_cpus(events, &events->target->cpus, trace_bytes, overwrite);

	return error ? error :
		       add_cpus(events, &events->target->others, trace_bytes,
				overwrite);
}

struct cpu_rings *event_rings_of(const struct event_rings *events, int cpu)
{
	struct cpu_rings *rings = events->cpus.items;

	while (rings->cpu != cpu)
		rings++;
	return rings;
}

static int attach_from(struct event_rings *events, size_t first)
{
	const struct event *opened = events->list.events.items;

	for (size_t i = first; i < events->list.events.count; i++) {
		const struct event_spec *spec =
			array_at(&events->list.specs, opened[i].spec);
		int error =
			cpu_rings_attach(event_rings_of(events, opened[i].cpu),
					 &opened[i], spec);

		if (error)
			return error;
	}
	return 0;
}

int event_rings_open(struct event_rings *events, size_t spec)
{
	size_t first = events->list.events.count;
	int error = event_list_open(&events->list, spec, events->target);

	if (!error)
		error = attach_from(events, first);
	return error;
}

static int open_late(struct event_rings *events, size_t spec, int cpu)
{
	size_t first = events->list.events.count;
	int error = event_list_open_cpu(&events->list, spec, cpu);

	return error ? error : attach_from(events, first);
}

/* Opens all specs on @cpu, @trace last. */
static int open_all_late(struct event_rings *events, int cpu, size_t trace)
{
	int error = 0;

	for (size_t i = 0; i < events->list.specs.count && !error; i++)
		if (i != trace)
			error = open_late(events, i, cpu);
	return error ? error : open_late(events, trace, cpu);
}

int event_rings_open_late(struct event_rings *events, int cpu, size_t trace,
			  size_t trace_bytes)
{
	size_t first = events->list.events.count;
	struct cpu_rings *rings = array_add(&events->cpus);
	int error;
	int cause;

	if (!rings)
		return -ERROR_MEMORY;
	cpu_rings_init(rings, cpu, trace_bytes, false);
	error = open_all_late(events, cpu, trace);
	if (!error)
		return 0;
	cause = errno;
	cpu_rings_free(event_rings_of(events, cpu));
	event_list_close_from(&events->list, first);
	events->cpus.count--;
	errno = cause;
	return error;
}

int event_rings_open_or_explain(struct event_rings *events, size_t spec)
{
	int error = event_rings_open(events, spec);

	if (!error)
		return 0;
	return event_refusal_say(array_at(&events->list.specs, spec),
				 events->buffer_bytes, error, events->log);
}

/* Closes the open events of spec number @spec, the last one, and removes the
 * spec.
 */
static void take_back(struct event_rings *events, size_t spec)
{
	const struct event_spec *what = array_at(&events->list.specs, spec);
	const struct event *opened = events->list.events.items;

	for (size_t i = 0; i < events->list.events.count; i++)
		if (opened[i].spec == spec)
			cpu_rings_detach(event_rings_of(events, opened[i].cpu),
					 &opened[i], what);
	event_list_remove_last(&events->list);
}

int event_rings_open_if_possible(struct event_rings *events, int spec)
{
	int error = spec < 0 ? spec : event_rings_open(events, (size_t)spec);
	int cause = errno;

	if (spec >= 0 && error == -ERROR_SYSTEM)
		take_back(events, (size_t)spec);
	errno = cause;
	return error;
}

int event_rings_open_notes(struct event_rings *events, const char *name,
			   size_t *spec)
{
	int added = event_list_add(&events->list,
				   event_spec_bpf_output(name, RING_NONE));
	int error = event_rings_open_if_possible(events, added);

	*spec = (size_t)added;
	if (error == -ERROR_SYSTEM)
		log_message(events->log, LOG_ERROR, name, LOG_NO_OFFSET,
			    "the kernel refuses: %s", strerror(errno));
	return error;
}

const struct perf_event_mmap_page *
event_rings_page(const struct event_rings *events)
{
	const struct cpu_rings *rings = events->cpus.items;

	return rings->ring[RING_TRACE].page;
}
