/* SPDX-License-Identifier: MIT */
#include "serve/kernel_files_internal.h"

#include "collector/events/event_list.h"
#include "collector/events/tracefs.h"
#include "collector/kernel_code/code_breakpoints.h"
#include "collector/kernel_code/kernel_copy.h"
#include "collector/kernel_code/modules.h"
#include "collector/rings/cpu_rings.h"
#include "collector/target/cpu_list.h"
#include "collector/trace_unit/tracer.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/output_folder.h"
#include "common/log.h"
#include "serve/serve_message.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static bool is_copying(const struct kernel_files *files)
{
	return files->started != files->finished;
}

int kernel_files_open(struct kernel_files *files, struct kernel_source source,
		      const struct log *log)
{
	*files = (struct kernel_files){
		.source = source,
		.finish_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	for (size_t i = 0; i < BUDGET_KERNEL_COPIES; i++)
		for (size_t j = 0; j < SERVE_FILES; j++)
			files->copies[i].fds[j] = -1;
	if (files->finish_fd >= 0)
		return output_folder_temporary(&files->folder, log);
	log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "copies of the kernel cannot be waited for: %s",
		    strerror(errno));
	return -ERROR_SYSTEM;
}

/* Frees the disk space of the copy, in the order of invariant 5. If a file
 * cannot be truncated, it stays open, and the copy is not replaced.
 */
static int withdraw(struct shared_copy *copy)
{
	for (size_t i = 0; i < SERVE_FILES; i++) {
		if (copy->fds[i] < 0)
			continue;
		if (ftruncate(copy->fds[i], 0))
			return -ERROR_SYSTEM;
		close(copy->fds[i]);
		copy->fds[i] = -1;
	}
	return 0;
}

/* Returns the oldest copy, the next to be replaced. */
static struct shared_copy *oldest(struct kernel_files *files)
{
	return &files->copies[(files->newest + 1) % BUDGET_KERNEL_COPIES];
}

/* Opens the files of a new copy, so that run_copy() can remove their names:
 * clients could otherwise make links to the files (link(2)), which pin disk
 * space.
 */
static int open_new(struct kernel_files *files)
{
	struct shared_copy *copy = oldest(files);
	bool is_whole = true;

	for (size_t i = 0; i < SERVE_FILES; i++) {
		copy->fds[i] = output_folder_reopen(
			&files->folder, serve_file_name((enum serve_file)i),
			O_RDWR);
		is_whole &= copy->fds[i] >= 0;
	}
	return is_whole ? 0 : -ERROR_SYSTEM;
}

static int copy_once(struct kernel_files *files, const struct log *log)
{
	int error = withdraw(oldest(files));

	if (!error) {
		error = files->source.copy(files->source.context,
					   &files->folder, log);
		if (error)
			return error;
		error = open_new(files);
	}
	if (error)
		log_message(log, LOG_ERROR, files->folder.path, LOG_NO_OFFSET,
			    "the kernel's copies cannot be replaced: %s",
			    strerror(errno));
	return error;
}

static void *run_copy(void *context)
{
	struct kernel_files *files = context;
	const struct log log = { refusal_keep, &files->making.reason };

	files->making.error = copy_once(files, &log);
	for (size_t i = 0; i < SERVE_FILES; i++)
		output_folder_remove(&files->folder,
				     serve_file_name((enum serve_file)i));
	if (files->making.error)
		withdraw(oldest(files));
	eventfd_write(files->finish_fd, 1);
	return NULL;
}

/* Starts a copy. It contains all changes reported so far; later changes make it
 * outdated. Returns 1, or -ERROR_SYSTEM with the reason in @log.
 */
static int start(struct kernel_files *files, const struct log *log)
{
	int cause;

	assert(!is_copying(files)); /* invariant 1 */
	files->source.has_changed(files->source.context);
	files->is_current = false;
	files->making = (struct copy_result){ 0 };
	cause = pthread_create(&files->thread, NULL, run_copy, files);
	if (!cause) {
		files->started++;
		return 1;
	}
	errno = cause;
	log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "no thread can be started: %s", strerror(cause));
	return -ERROR_SYSTEM;
}

void kernel_files_finish(struct kernel_files *files)
{
	eventfd_t count;

	if (!is_copying(files))
		return;
	pthread_join(files->thread, NULL);
	eventfd_read(files->finish_fd, &count);
	files->finished = files->started;
	files->last = files->making;
	if (files->last.error)
		return;
	files->succeeded = files->finished;
	files->newest = (size_t)(oldest(files) - files->copies);
	files->is_current = true;
}

void kernel_files_close(struct kernel_files *files)
{
	if (!files->source.copy)
		return;
	kernel_files_finish(files);
	for (size_t i = 0; i < BUDGET_KERNEL_COPIES; i++)
		withdraw(&files->copies[i]);
	if (files->finish_fd >= 0)
		close(files->finish_fd);
	output_folder_discard(&files->folder);
}

/* Opens the files anew, so that each client has its own file position and can
 * only read.
 */
static int open_files(const struct kernel_files *files, const struct log *log,
		      int fds[SERVE_FILES])
{
	const struct shared_copy *copy = &files->copies[files->newest];

	for (size_t i = 0; i < SERVE_FILES; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/self/fd/%d", copy->fds[i]);
		fds[i] = open(path, O_RDONLY | O_CLOEXEC);
		if (fds[i] >= 0)
			continue;
		log_message(log, LOG_ERROR, serve_file_name((enum serve_file)i),
			    LOG_NO_OFFSET, "cannot be opened: %s",
			    strerror(errno));
		while (i--)
			close(fds[i]);
		return -ERROR_SYSTEM;
	}
	return 0;
}

static int fail_like_copy(const struct kernel_files *files,
			  const struct log *log)
{
	const struct serve_refused *reason = &files->last.reason;

	errno = reason->cause;
	log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET, "%s", reason->text);
	return files->last.error;
}

/* Returns whether the newest copy has all changes before now. */
static bool is_current(struct kernel_files *files)
{
	if (files->is_current &&
	    files->source.has_changed(files->source.context))
		files->is_current = false;
	return files->is_current;
}

int kernel_files_take(struct kernel_files *files, uint64_t since,
		      const struct log *log, int fds[SERVE_FILES])
{
	if (files->succeeded > since)
		return open_files(files, log, fds);
	if (files->finished > since)
		return fail_like_copy(files, log);
	if (is_copying(files))
		return 1;
	return is_current(files) ? open_files(files, log, fds) :
				   start(files, log);
}

bool kernel_files_is_waiting(const struct kernel_files *files, uint64_t since)
{
	return files->finished <= since && is_copying(files);
}

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

/* Watches the kernel's patches of its code on kernels that do not report them.
 * If watching is impossible, each copy counts as outdated as soon as it is
 * complete.
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
	return error ? event_refusal_log(&what, 0, error, watch->log) : 0;
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

/* Returns whether the kernel has reported since the last call that a CPU was
 * switched on, or may have; the CPU may be off again.
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

/* Opens the events again if the events of some CPU may be missing. Returns true
 * if it did: changes may then have been missed. The kernel reports a CPU only
 * after it is online, so the online CPUs and the events are checked as well.
 */
static bool reopen_events(struct kernel_watch *watch)
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
static bool consume_changes(struct kernel_watch *watch)
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

/* Returns whether modules were loaded or removed since the copy: no event of
 * @watch reports that.
 */
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
	bool is_reopened = reopen_events(watch);

	return consume_changes(watch) || is_reopened || watch->is_blind ||
	       has_other_modules(watch);
}

/* Adds to @list the tracepoint that thread_events_open() opens. Returns its
 * index, or a negative enum error with the reason in @log.
 */
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
