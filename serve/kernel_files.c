/* SPDX-License-Identifier: MIT */
#include "serve/kernel_files.h"
#include "collector/events/event_refusal.h"
#include "collector/events/tracefs.h"
#include "collector/kernel_code/module_list.h"
#include "collector/kernel_code/text_poke_breakpoints.h"
#include "collector/rings/ring.h"
#include "collector/trace_unit/tracer.h"
#include "common/byte_buffer.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Small, since only the existence of a change matters. */
enum { RING_BYTES = 4096 };

static int map_rings(struct kernel_files *files)
{
	const struct event *events = files->events.events.items;

	for (size_t i = 0; i < files->events.events.count; i++) {
		struct ring *ring = array_add(&files->rings);

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
static int watch_patches(struct kernel_files *files)
{
	struct pmu pmu;
	const struct tracer *tracer = tracer_find(PMU_DEVICES, &pmu);
	int spec;

	if (!tracer || !tracer->patch_functions)
		return 0;
	spec = text_poke_breakpoints_open(
		&files->events, tracer->patch_functions, &files->cpus);
	if (spec >= 0 || spec == -ERROR_MEMORY)
		return spec < 0 ? spec : 0;
	log_message(files->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    "what the kernel patches cannot be followed: %s",
		    text_poke_breakpoints_refusal(spec));
	return 0;
}

static int watch_changes(struct kernel_files *files)
{
	const struct event_spec what = event_spec_text_poke();
	int spec = event_list_add(&files->events, what);
	int error = spec < 0 ? spec : 0;

	if (!error)
		error = event_list_open(&files->events, (size_t)spec,
					&files->cpus);
	if (!error)
		error = watch_patches(files);
	if (!error)
		error = map_rings(files);
	return error ? event_refusal_say(&what, 0, error, files->log) : 0;
}

int kernel_files_open(struct kernel_files *files, const struct log *log)
{
	int error;

	*files = (struct kernel_files){
		.log = log,
		.events = event_list_new(),
		.cpus = target_new(),
		.rings = ARRAY_OF(struct ring),
	};
	files->cpus.whole_cpus = true;
	error = target_add_cpus(&files->cpus, NULL, log);
	if (!error)
		error = watch_changes(files);
	return error ? error : output_folder_temporary(&files->folder, log);
}

void kernel_files_close(struct kernel_files *files)
{
	for (size_t i = 0; i < files->rings.count; i++)
		ring_unmap(array_at(&files->rings, i));
	array_free(&files->rings);
	event_list_free(&files->events);
	target_free(&files->cpus);
	kernel_copy_free(&files->copy);
	output_folder_discard(&files->folder);
}

/* Returns whether the kernel reported code changes, and consumes the reports.
 */
static bool take_changes(struct kernel_files *files)
{
	bool found = false;

	for (size_t i = 0; i < files->rings.count; i++) {
		struct ring *ring = array_at(&files->rings, i);
		struct ring_bytes bytes = ring_read(ring);

		found |= bytes.size > 0;
		ring_release(ring, &bytes);
	}
	return found;
}

/* No event here reports modules being loaded or removed. */
static bool has_other_modules(const struct kernel_files *files)
{
	const struct module *copied = files->copy.modules.items;
	struct array now = ARRAY_OF(struct module);
	bool differs = module_list_read(&now) ||
		       now.count != files->copy.modules.count;
	const struct module *loaded = now.items;

	for (size_t i = 0; i < now.count && !differs; i++)
		differs = loaded[i].address != copied[i].address ||
			  strcmp(loaded[i].name, copied[i].name);
	array_free(&now);
	return differs;
}

static int write_formats(const struct kernel_files *files,
			 const struct event_list *events)
{
	struct byte_buffer formats = { 0 };
	int error = -ERROR_MEMORY;

	tracefs_describe(events, &formats);
	if (!formats.failed)
		error = output_folder_save(&files->folder,
					   serve_file_name(SERVE_FORMATS),
					   formats.bytes, formats.size,
					   files->log);
	byte_buffer_free(&formats);
	return error;
}

/* Clients with open files of the previous copy keep the old content. */
static int copy(struct kernel_files *files, const struct event_list *events)
{
	int error;

	for (size_t i = 0; i < SERVE_FILES; i++)
		output_folder_remove(&files->folder,
				     serve_file_name((enum serve_file)i));
	files->is_copied = false;
	kernel_copy_free(&files->copy);
	error = kernel_copy_make(&files->copy, &files->folder, files->log);
	kernel_symbols_free(&files->copy.symbols);
	if (!error)
		error = write_formats(files, events);
	files->is_copied = !error;
	return error;
}

static int open_files(const struct kernel_files *files, int fds[SERVE_FILES])
{
	for (size_t i = 0; i < SERVE_FILES; i++) {
		const char *name = serve_file_name((enum serve_file)i);

		fds[i] = output_folder_reopen(&files->folder, name, O_RDONLY);
		if (fds[i] >= 0)
			continue;
		log_message(files->log, LOG_ERROR, files->folder.path,
			    LOG_NO_OFFSET, "%s cannot be opened: %s", name,
			    strerror(errno));
		while (i--)
			close(fds[i]);
		return -ERROR_SYSTEM;
	}
	return 0;
}

/* Changes during the copy are handled for the next client. */
int kernel_files_take(struct kernel_files *files,
		      const struct event_list *events, int fds[SERVE_FILES])
{
	bool is_stale = take_changes(files) || !files->is_copied ||
			has_other_modules(files);
	int error = is_stale ? copy(files, events) : 0;

	return error ? error : open_files(files, fds);
}
