/* SPDX-License-Identifier: MIT */
#include "serve/kernel_watch.h"
#include "collector/events/away_cpus.h"
#include "collector/events/event_refusal.h"
#include "collector/events/tracefs.h"
#include "collector/kernel_code/kernel_copy.h"
#include "collector/kernel_code/module_list.h"
#include "collector/kernel_code/text_poke_breakpoints.h"
#include "collector/rings/ring.h"
#include "collector/target/cpu_list.h"
#include "collector/target/cpu_reports.h"
#include "collector/trace_unit/tracer.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/log.h"
#include "common/output_folder.h"
#include "serve/serve_message.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

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
 * each copy counts as outdated when it is complete.
 */
static int watch_patches(struct kernel_watch *watch)
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
	watch->is_blind = true;
	log_message(watch->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    "what the kernel patches cannot be followed, so that each "
		    "client waits for a new copy of the kernel: %s",
		    text_poke_breakpoints_refusal(spec));
	return 0;
}

/* The spec of event_spec_text_poke(), whose events count time for
 * away_cpus_find().
 */
enum { TEXT_POKE_SPEC };

static int watch_changes(struct kernel_watch *watch)
{
	struct event_spec what = event_spec_text_poke();
	int spec;
	int error;

	what.attr.read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED;
	spec = event_list_add(&watch->events, what);
	assert(spec < 0 || spec == TEXT_POKE_SPEC);
	error = spec < 0 ? spec : 0;
	if (!error)
		error = event_list_open(&watch->events, TEXT_POKE_SPEC,
					&watch->cpus);
	if (!error)
		error = watch_patches(watch);
	if (!error)
		error = map_rings(watch);
	return error ? event_refusal_say(&what, 0, error, watch->log) : 0;
}

/* Opens the events on the CPUs that are online. */
static int open_events(struct kernel_watch *watch)
{
	int error;

	watch->events = event_list_new();
	watch->cpus = target_new();
	watch->cpus.whole_cpus = true;
	watch->is_blind = false;
	error = target_add_cpus(&watch->cpus, NULL, watch->log);
	return error ? error : watch_changes(watch);
}

static void close_events(struct kernel_watch *watch)
{
	for (size_t i = 0; i < watch->rings.count; i++)
		ring_unmap(array_at(&watch->rings, i));
	array_free(&watch->rings);
	event_list_free(&watch->events);
	target_free(&watch->cpus);
}

int kernel_watch_open(struct kernel_watch *watch, const struct log *log)
{
	*watch = (struct kernel_watch){
		.log = log,
		.rings = ARRAY_OF(struct ring),
		.modules = ARRAY_OF(struct module),
		.reports = cpu_reports_open(),
	};
	return open_events(watch);
}

void kernel_watch_close(struct kernel_watch *watch)
{
	close_events(watch);
	array_free(&watch->modules);
	if (watch->reports >= 0)
		close(watch->reports);
	watch->reports = -1;
}

/* Returns whether a CPU was switched on since the last call, according to the
 * kernel's reports: it may be off again.
 */
static bool is_reported(const struct kernel_watch *watch)
{
	struct array cpus = ARRAY_OF(int);
	bool is_lost;
	int error = cpu_reports_read(watch->reports, &cpus, &is_lost);
	bool is_there = error || is_lost || cpus.count;

	array_free(&cpus);
	return is_there;
}

/* Returns whether a CPU is online on which no event is open. */
static bool has_new_cpu(const struct kernel_watch *watch)
{
	struct array online = ARRAY_OF(int);
	bool is_new = cpu_list_online(&online) < 0;

	for (size_t i = 0; i < online.count; i++)
		is_new |= !cpu_list_has(&watch->cpus.cpus,
					*(const int *)array_at(&online, i));
	array_free(&online);
	return is_new;
}

/* Returns whether the kernel closed events, because their CPU was switched off. */
static bool has_closed_events(const struct kernel_watch *watch)
{
	struct array away = ARRAY_OF(struct away_cpu);
	bool is_closed =
		away_cpus_find(&watch->events, TEXT_POKE_SPEC, &away) ||
		away.count;

	array_free(&away);
	return is_closed;
}

/* Opens the events again if those of some CPU may be missing. Returns whether
 * that was so: changes may have been missed. A report arrives only after the CPU
 * is up, so the events are checked, too.
 */
static bool renew_events(struct kernel_watch *watch)
{
	bool is_due = is_reported(watch);

	if (!is_due && !has_new_cpu(watch) && !has_closed_events(watch))
		return false;
	close_events(watch);
	if (open_events(watch))
		watch->is_blind = true;
	return true;
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

static bool has_changed(void *context)
{
	struct kernel_watch *watch = context;
	bool is_renewed = renew_events(watch);

	return take_changes(watch) || is_renewed || watch->is_blind ||
	       has_other_modules(watch);
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
