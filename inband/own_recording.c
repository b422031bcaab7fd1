/* SPDX-License-Identifier: MIT */
#include "inband/own_recording_internal.h"

#include "attribution/events/known_events.h"
#include "collector/bytes/recording_files.h"
#include "collector/kernel_code/kernel_copy.h"
#include "collector/records/start_records.h"
#include "collector/thread_events/thread_events.h"
#include "collector/writer/feature.h"
#include "collector/writer/recording_writer.h"
#include "common/budget.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/output_folder.h"
#include "common/log.h"
#include "decoder/code/code_image.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "inband/own_records_internal.h"
#include "report/text/task_names.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/symbols/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* Copies at most BUDGET_CODE_BYTES from the start of the file @in, whatever the
 * position of its descriptor is.
 */
static ssize_t send_all(int in, int out)
{
	uint64_t left = BUDGET_CODE_BYTES;
	off_t offset = 0;
	ssize_t done;

	do {
		done = sendfile(out, in, &offset, left);
		left -= done > 0 ? (uint64_t)done : 0;
	} while (done > 0 && left);
	return done;
}

/* Copies the file open as @in to the new file @name of @to, at most
 * BUDGET_CODE_BYTES. Returns 0, or -ERROR_SYSTEM with the reason in @log.
 */
static int copied_file_of(int in, const struct output_folder *to,
			  const char *name, const struct log *log)
{
	int out = output_folder_create(to, name);
	ssize_t done = out < 0 ? -1 : send_all(in, out);

	if (done < 0)
		output_folder_fail(to, name, log);
	if (out >= 0)
		close(out);
	return done < 0 ? -ERROR_SYSTEM : 0;
}

/* Like copied_file_of(), but copies the file @name of @from, if it exists. */
static int copied_file(const struct output_folder *from, const char *name,
		       const struct output_folder *to, const struct log *log)
{
	int in = output_folder_reopen(from, name, O_RDONLY);
	int error;

	/* Not every kernel has all files. */
	if (in < 0 && errno == ENOENT)
		return 0;
	if (in < 0) {
		log_message(log, LOG_ERROR, from->path, LOG_NO_OFFSET,
			    "%s cannot be read: %s", name, strerror(errno));
		return -ERROR_SYSTEM;
	}
	error = copied_file_of(in, to, name, log);
	close(in);
	return error;
}

static int fail(const char *path, int error, const struct log *log)
{
	log_message(log, LOG_ERROR, path, LOG_NO_OFFSET, "%s",
		    error == -ERROR_SYSTEM ? strerror(errno) :
					     error_text(error));
	return error;
}

/* Reads the tracepoints' formats from the file @name to @formats, and removes
 * the file: a recording has the formats in its header.
 */
static int read_formats(const struct output_folder *folder, const char *name,
			struct byte_buffer *formats, const struct log *log)
{
	char path[PATH_MAX];
	int error;

	snprintf(path, sizeof(path), "%s/%s", folder->path, name);
	error = byte_buffer_file(formats, path);
	if (!error && formats->failed)
		error = -ERROR_MEMORY;
	output_folder_remove(folder, name);
	return error ? fail(path, error, log) : 0;
}

/* Checks that the service has not withdrawn the copy while it was read. The
 * service truncates the files of a copy that has been replaced several times,
 * SERVE_KCORE first.
 */
static int check_kept(const int files[SERVE_FILES], const struct log *log)
{
	struct stat stat;

	if (fstat(files[SERVE_KCORE], &stat))
		return fail(serve_file_name(SERVE_KCORE), -ERROR_SYSTEM, log);
	if (stat.st_size)
		return 0;
	errno = ESTALE;
	log_message(log, LOG_ERROR, serve_file_name(SERVE_KCORE), LOG_NO_OFFSET,
		    "the service has withdrawn this copy of the kernel while "
		    "it was read, since the kernel's code has changed several "
		    "times: open anew");
	return -ERROR_SYSTEM;
}

int given_kernel_take(const int files[SERVE_FILES],
		      const struct output_folder *folder,
		      struct kernel_copy *copy, struct byte_buffer *formats,
		      const struct log *log)
{
	const char *name = NULL;
	int error = 0;

	for (size_t i = 0; i < SERVE_FILES && !error; i++) {
		name = serve_file_name((enum serve_file)i);
		error = copied_file_of(files[i], folder, name, log);
	}
	if (!error)
		error = check_kept(files, log);
	if (!error)
		error = read_formats(folder, name, formats, log);
	return error ? error : kernel_copy_read(copy, folder->path, log);
}

/* Maximum size of the records of code changes. The kernel patches a few bytes
 * at a time, so this is not expected to be reached.
 */
enum { MOST_CHANGES = 1 << 20 };

static int make_start(struct own_recording *own,
		      const struct thread_events *events)
{
	const struct event_spec *trace =
		array_at(&events->events.specs, events->trace_spec);
	const struct tracer_facts facts = {
		.page = events->ring.page,
		.config = trace->attr.config,
		.cpus = events->cpus.cpus.items,
		.cpu_count = events->cpus.cpus.count,
	};
	int error = start_records_setup(&own->start, &events->events,
					&events->thread, events->tracer,
					&events->pmu, &facts, own->log);

	if (error)
		return error;
	start_records_kernel(&own->start, &own->kernel);
	start_records_tasks(&own->start, &events->thread, NULL);
	start_records_end(&own->start);
	return 0;
}

/* Sets the features of the recording's header and returns their number. Names
 * "libktrace-hw" as the recorder, because no task has this name: reports leave
 * out the recorder's tasks, but here the program traces itself. If the service
 * has sent the tracepoints' formats, uses those, because the program is not
 * allowed to read the formats.
 */
static size_t features_of(const struct own_recording *own,
			  const struct thread_events *events,
			  struct feature *features)
{
	size_t count = features_of_system(features, "libktrace-hw", 0, NULL,
					  &events->events);

	for (size_t i = 0; i < count && own->formats.size; i++) {
		if (features[i].bit != PERF_DATA_FEATURE_TRACING_DATA)
			continue;
		byte_buffer_free(&features[i].content);
		byte_buffer_add(&features[i].content, own->formats.bytes,
				own->formats.size);
	}
	return count;
}

/* Writes the file `data` of the recording @folder: the start, then @part,
 * unless that is NULL.
 */
static int write_data(const struct own_recording *own,
		      const struct thread_events *events,
		      const struct part_bytes *part, pid_t tid,
		      const struct output_folder *folder)
{
	struct feature features[FEATURES_OF_SYSTEM];
	size_t count = features_of(own, events, features);
	struct recording_writer *writer = NULL;
	int error = recording_writer_create(folder, &events->events, features,
					    count, own->log, &writer);

	features_free(features, count);
	if (!error)
		error = recording_writer_add(writer, &own->start);
	if (!error)
		error = recording_writer_add(writer, &own->lasting.changes);
	if (!error && part) {
		struct byte_buffer records = { .bytes = part->bytes,
					       .size = part->records_size };
		struct ring_bytes trace = part_bytes_trace(part);

		error = recording_writer_add(writer, &records);
		if (!error)
			error = recording_writer_begin_trace(writer, 0,
							     part->trace_start);
		if (!error)
			error = recording_writer_add_trace(writer, 0, -1, tid,
							   &trace);
	}
	if (!error)
		error = recording_writer_finish(writer);
	recording_writer_free(writer);
	return error;
}

static int copy_kernel(struct own_recording *own, const int *files)
{
	struct output_folder folder;
	int error = kcore_folder_open(&folder, &own->folder, own->log);

	if (!error)
		error = files ? given_kernel_take(files, &folder, &own->kernel,
						  &own->formats, own->log) :
				kernel_copy_make(&own->kernel, &folder,
						 own->log);
	if (!error)
		error = vdso_copy_make(&folder, own->log);
	output_folder_close(&folder);
	return error;
}

static int read_parts(struct own_recording *own)
{
	int error = code_image_open(own->base, own->log, &own->image);

	if (!error)
		error = symbols_open(own->base, own->log, 1, &own->symbols);
	if (!error)
		error = symbols_log_unread(own->symbols, own->log, NULL, 0);
	if (!error)
		error = task_names_open(own->base, &own->names);
	if (error)
		return error;
	own->events = known_events_new(own->base);
	own->kinds = context_kinds_new(symbols_functions(own->symbols),
				       symbols_arch(own->symbols));
	return own->events && own->kinds ? 0 : -ERROR_MEMORY;
}

int own_recording_open(struct own_recording *own,
		       const struct thread_events *events, const int *files,
		       const struct log *log)
{
	int error;

	*own = (struct own_recording){ .log = log };
	error = output_folder_temporary(&own->folder, log);
	if (!error)
		error = copy_kernel(own, files);
	if (!error)
		error = make_start(own, events);
	if (!error)
		error = write_data(own, events, NULL, -1, &own->folder);
	if (!error)
		error = recording_open(own->folder.path, log, &own->base);
	return error ? error : read_parts(own);
}

int own_recording_want_lines(struct own_recording *own)
{
	own->lines = lines_new(own->base);
	return own->lines ? 0 : -ERROR_MEMORY;
}

void own_recording_close(struct own_recording *own)
{
	lines_free(own->lines);
	context_kinds_free(own->kinds);
	known_events_free(own->events);
	task_names_close(own->names);
	symbols_close(own->symbols);
	code_image_close(own->image);
	recording_close(own->base);
	byte_buffer_free(&own->start);
	byte_buffer_free(&own->lasting.changes);
	byte_buffer_free(&own->lasting.unit_ids);
	byte_buffer_free(&own->formats);
	kernel_copy_free(&own->kernel);
	output_folder_discard(&own->folder);
}

static int check_changes(const struct own_recording *own)
{
	if (own->lasting.changes.failed)
		return -ERROR_MEMORY;
	if (own->lasting.changes.size <= MOST_CHANGES)
		return 0;
	log_message(own->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "the kernel has changed too much of its code: close the "
		    "library, and open it again");
	return -ERROR_UNSUPPORTED;
}

bool own_recording_is_stale(const struct own_recording *own)
{
	return own->lasting.changes.failed ||
	       own->lasting.changes.size != own->changes_known;
}

int own_recording_follow(struct own_recording *own)
{
	struct code_image *image = NULL;
	struct recording *part;
	int error = check_changes(own);

	if (error)
		return error;
	error = recording_part_open(own->base, own->lasting.changes.bytes,
				    own->lasting.changes.size, &part);
	if (error)
		return error;
	error = code_image_open(part, own->log, &image);
	recording_part_close(part);
	if (error)
		return error;
	code_image_close(own->image);
	own->image = image;
	own->changes_known = own->lasting.changes.size;
	return 0;
}

static int copy_code(const struct own_recording *own,
		     const struct output_folder *recording)
{
	static const char *const names[] = { "kcore", "kallsyms", "modules",
					     "vdso" };
	struct output_folder from;
	struct output_folder to = { 0 };
	int error = kcore_folder_open(&from, &own->folder, own->log);

	if (!error)
		error = kcore_folder_open(&to, recording, own->log);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !error; i++)
		error = copied_file(&from, names[i], &to, own->log);
	output_folder_close(&from);
	output_folder_close(&to);
	return error;
}

int own_recording_save(const struct own_recording *own,
		       const struct thread_events *events,
		       const struct part_bytes *part, pid_t tid,
		       const char *path)
{
	struct output_folder folder;
	int error = output_folder_make(&folder, path, own->log);

	if (!error)
		error = copy_code(own, &folder);
	if (!error)
		error = write_data(own, events, part, tid, &folder);
	output_folder_close(&folder);
	return error;
}
