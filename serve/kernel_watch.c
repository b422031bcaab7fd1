/* SPDX-License-Identifier: MIT */
#include "serve/kernel_watch.h"
#include "collector/events/event_refusal.h"
#include "collector/events/tracefs.h"
#include "collector/kernel_code/kernel_copy.h"
#include "collector/kernel_code/module_list.h"
#include "collector/kernel_code/text_poke_breakpoints.h"
#include "collector/rings/ring.h"
#include "collector/trace_unit/tracer.h"
#include "common/byte_buffer.h"
#include "common/error.h"
#include "common/log.h"
#include "common/output_folder.h"
#include "serve/serve_message.h"

#include <string.h>

/* Small, since only the existence of a change matters. */
enum { RING_BYTES = 4096 };

static int map_rings(struct kernel_watch *watch)
{
	const struct event *events = watch->events.events.items;

	for (size_t i = 0; i < watch->events.events.count; i++) {
		struct ring *ring = array_add(&watch->rings);

		if (!ring)
			return -ERROR_MEMORY;
		if (ring_map(ring, events[i].fd, RING_BYTES))
			return -ERROR_SYSTEM;
	}
	return 0;
}

/* Watches patches on kernels that do not report them. If that is impossible,
 * patched code becomes a gap in the trace.
 */
static int watch_patches(struct kernel_watch *watch, const struct log *log)
{
	struct pmu pmu;
	const struct tracer *tracer = tracer_find(PMU_DEVICES, &pmu);
	int spec;

	if (!tracer || !tracer->patch_functions)
		return 0;
	spec = text_poke_breakpoints_open(
		&watch->events, tracer->patch_functions, &watch->cpus);
	if (spec >= 0 || spec == -ERROR_MEMORY)
		return spec < 0 ? spec : 0;
	log_message(log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    "what the kernel patches cannot be followed: %s",
		    text_poke_breakpoints_refusal(spec));
	return 0;
}

static int watch_changes(struct kernel_watch *watch, const struct log *log)
{
	const struct event_spec what = event_spec_text_poke();
	int spec = event_list_add(&watch->events, what);
	int error = spec < 0 ? spec : 0;

	if (!error)
		error = event_list_open(&watch->events, (size_t)spec,
					&watch->cpus);
	if (!error)
		error = watch_patches(watch, log);
	if (!error)
		error = map_rings(watch);
	return error ? event_refusal_say(&what, 0, error, log) : 0;
}

int kernel_watch_open(struct kernel_watch *watch, const struct log *log)
{
	int error;

	*watch = (struct kernel_watch){
		.events = event_list_new(),
		.cpus = target_new(),
		.rings = ARRAY_OF(struct ring),
		.modules = ARRAY_OF(struct module),
	};
	watch->cpus.whole_cpus = true;
	error = target_add_cpus(&watch->cpus, NULL, log);
	return error ? error : watch_changes(watch, log);
}

void kernel_watch_close(struct kernel_watch *watch)
{
	for (size_t i = 0; i < watch->rings.count; i++)
		ring_unmap(array_at(&watch->rings, i));
	array_free(&watch->rings);
	array_free(&watch->modules);
	event_list_free(&watch->events);
	target_free(&watch->cpus);
}

/* Returns whether the kernel reported code changes, and consumes the reports.
 */
static bool take_changes(struct kernel_watch *watch)
{
	bool found = false;

	for (size_t i = 0; i < watch->rings.count; i++) {
		struct ring *ring = array_at(&watch->rings, i);
		struct ring_bytes bytes = ring_read(ring);

		found |= bytes.size > 0;
		ring_release(ring, &bytes);
	}
	return found;
}

/* No event here reports modules being loaded or removed. */
static bool has_other_modules(const struct kernel_watch *watch)
{
	const struct module *copied = watch->modules.items;
	struct array now = ARRAY_OF(struct module);
	bool differs = module_list_read(&now) ||
		       now.count != watch->modules.count;
	const struct module *loaded = now.items;

	for (size_t i = 0; i < now.count && !differs; i++)
		differs = loaded[i].address != copied[i].address ||
			  strcmp(loaded[i].name, copied[i].name);
	array_free(&now);
	return differs;
}

static bool has_changed(void *watch)
{
	return take_changes(watch) || has_other_modules(watch);
}

/* Adds the tracepoint of thread_events_open(). */
static int add_tracepoints(struct event_list *list, const struct log *log)
{
	static const char name[] = "sched:sched_waking";
	uint64_t id;
	int error = tracefs_id(name, &id);

	if (!error)
		return event_list_add(
			list, event_spec_tracepoint(name, id, EVENT_OF_CPUS));
	log_message(log, LOG_ERROR, tracefs_folder(), LOG_NO_OFFSET,
		    "tracepoint %s cannot be read", name);
	return error;
}

static int write_formats(const struct output_folder *folder,
			 const struct log *log)
{
	struct event_list tracepoints = event_list_new();
	struct byte_buffer formats = { 0 };
	int error = add_tracepoints(&tracepoints, log);

	if (error >= 0) {
		tracefs_describe(&tracepoints, &formats);
		error = formats.failed ? -ERROR_MEMORY : 0;
	}
	if (!error)
		error = output_folder_save(folder,
					   serve_file_name(SERVE_FORMATS),
					   formats.bytes, formats.size, log);
	byte_buffer_free(&formats);
	event_list_free(&tracepoints);
	return error;
}

/* Runs in the thread that copies, while has_changed() is not called. */
static int copy_kernel(void *context, const struct output_folder *folder,
		       const struct log *log)
{
	struct kernel_watch *watch = context;
	struct kernel_copy copy;
	int error = kernel_copy_make(&copy, folder, log);

	array_free(&watch->modules);
	watch->modules = copy.modules;
	copy.modules = ARRAY_OF(struct module);
	kernel_copy_free(&copy);
	return error ? error : write_formats(folder, log);
}

struct kernel_source kernel_watch_source(struct kernel_watch *watch)
{
	return (struct kernel_source){ watch, has_changed, copy_kernel };
}
