/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/session.h"
#include "cmd/pipeline/debuginfod_consent.h"

#include "archive/unpack.h"
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/pipeline/pager_internal.h"
#include "common/array.h"
#include "common/error.h"
#include "common/files/output_file.h"
#include "common/files/regular_file.h"
#include "common/log.h"
#include "decoder/code/code_image.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/tracepoint.h"
#include "decoder/recording_open.h"
#include "execution/stream/segment_ring.h"
#include "report/steps/checkpoint_index.h"
#include "report/text/duration_text.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "symbolize/elf/lines.h"
#include "symbolize/symbols/symbols.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens a recording for a command, each part after the parts that it needs:
 *
 *	input: a folder, a file, an archive (unpacked to a temporary folder)
 *	─► recording ─► engine ─► code image, threads, symbols, names
 *	─► window, filter of tasks, groups ─► output
 *
 * Each part reports its error to standard error and returns the exit code.
 * Names of input and output are compared before anything is written, so that no
 * command overwrites the recording that it reads. session_close() closes
 * whatever was opened, in the reverse order.
 */

/* Returns whether @path has a name that record uses, or is a file in such a
 * folder.
 */
static bool is_named_so(const char *path)
{
	const char *name = strstr(path, ".data");

	return name &&
	       (!name[5] || name[5] == '/' || !strcmp(name, ".data.old"));
}

static bool is_regular(int directory, const char *path)
{
	struct stat stat;

	return fstatat(directory, path, &stat, 0) == 0 && S_ISREG(stat.st_mode);
}

/* Returns whether the file starts like a perf.data file. For a file without
 * read permission its name decides, so that the later attempt to read it
 * reports the error.
 */
static bool is_perf_data(int directory, const char *path)
{
	char magic[8];
	int fd = is_regular(directory, path) ?
			 openat(directory, path, O_RDONLY | O_CLOEXEC) :
			 -1;
	ssize_t size = fd < 0 ? -1 : read(fd, magic, sizeof(magic));

	if (fd < 0 && errno == EACCES)
		return is_named_so(path);
	if (fd >= 0)
		close(fd);
	return size == sizeof(magic) && memcmp(magic, "PERFILE2", 8) == 0;
}

/* Fills @stat for the recording @name; returns false if it is not one. */
static bool stat_recording(int directory, const char *name, struct stat *stat)
{
	char data[NAME_MAX + 8];

	if (fstatat(directory, name, stat, 0) < 0)
		return false;
	if (S_ISREG(stat->st_mode))
		return is_perf_data(directory, name);
	if (!S_ISDIR(stat->st_mode))
		return false;
	snprintf(data, sizeof(data), "%s/data", name);
	if (fstatat(directory, data, stat, 0) < 0)
		return errno == EACCES && is_named_so(name);
	return is_perf_data(directory, data);
}

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec :
					a->tv_nsec > b->tv_nsec;
}

char *find_last_recording(void)
{
	DIR *here = opendir(".");
	struct timespec newest = { 0 };
	struct dirent *entry;
	char *found = NULL;

	while (here && (entry = readdir(here))) {
		struct stat stat;

		if (entry->d_name[0] == '.' ||
		    !stat_recording(dirfd(here), entry->d_name, &stat) ||
		    (found && !is_newer(&stat.st_mtim, &newest)))
			continue;
		newest = stat.st_mtim;
		free(found);
		found = strdup(entry->d_name);
	}
	if (here)
		closedir(here);
	return found;
}

/* Returns the path "FOLDER/NAME", which the caller frees, or NULL. */
static char *join(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static bool is_of(const char *path, mode_t type)
{
	struct stat stat_of_path;

	return path && !stat(path, &stat_of_path) &&
	       (stat_of_path.st_mode & S_IFMT) == type;
}

/* Unpacks an archive into a temporary folder. Messages then show the archive's
 * name as if it were the folder.
 */
static int unpack_input(struct input *input, const char *path,
			const struct log *log)
{
	const char *slash = strrchr(path, '/');
	struct output_folder folder = { 0 };
	int error = output_folder_temporary(&input->unpacked, log);

	if (!error)
		error = output_folder_sub(&folder, &input->unpacked,
					  slash ? slash + 1 : path, log);
	if (!error)
		error = unpack(path, &folder, log);
	if (!error)
		input->path = strdup(folder.path);
	output_folder_close(&folder);
	return error;
}

bool input_is_archive(const char *path)
{
	static const unsigned char magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };
	unsigned char bytes[4] = { 0 };
	FILE *file = is_of(path, S_IFREG) ? fopen(path, "re") : NULL;
	bool is_read = file && fread(bytes, 1, 4, file) == 4;

	if (file)
		fclose(file);
	return is_read && !memcmp(bytes, magic, sizeof(magic));
}

static void input_close(struct input *input)
{
	free(input->path);
	free(input->files);
	output_folder_discard(&input->unpacked);
	*input = (struct input){ 0 };
}

/* Opens the recording or archive @path. Returns 0, or a negative enum error
 * after a message to @log. Close @input only after success.
 */
static int input_open(struct input *input, const char *path,
		      const struct log *log)
{
	int error = 0;

	*input = (struct input){ 0 };
	if (input_is_archive(path))
		error = unpack_input(input, path, log);
	else
		input->path = strdup(path);
	if (!error && input->path && output_folder_is_locked(input->path))
		log_message(log, LOG_WARNING, input->path, LOG_NO_OFFSET,
			    "is still being recorded: the output covers the "
			    "part written so far");
	if (error || !input->path) {
		input_close(input);
		return error ? error : -ERROR_MEMORY;
	}
	input->files = join(input->path, "files");
	if (!is_of(input->files, S_IFDIR)) {
		free(input->files);
		input->files = NULL;
	}
	return 0;
}

static bool is_same(const char *path, const char *other)
{
	struct stat a;
	struct stat b;

	return path && other && !stat(path, &a) && !stat(other, &b) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool is_at(const char *folder, const char *name, const char *other)
{
	char *path = join(folder, name);
	bool is = is_same(path, other);

	free(path);
	return is;
}

bool input_has(const char *path, const char *file)
{
	char *copy = is_of(file, S_IFREG) ? strdup(file) : NULL;
	const char *folder = copy ? dirname(copy) : NULL;
	bool has = copy && (is_same(path, file) || is_at(path, "data", file) ||
			    is_at(path, "trace.dat", file) ||
			    is_at(path, "kcore_dir", folder) ||
			    is_at(path, "code", folder));

	free(copy);
	return has;
}

/* Logs a hint that the recording is an old one: a failed recording may have
 * renamed the previous one to *.old.
 */
static void say_if_old(const char *path)
{
	size_t length = strlen(path);

	if (length > 4 && !strcmp(path + length - 4, ".old"))
		log_message(&console_log, LOG_NOTE, NULL, LOG_NO_OFFSET,
			    "the last recording here is %s: a newer one "
			    "failed, or was removed",
			    path);
}

/* Refuses an output that is part of the recording, and a missing --symfs
 * folder. Must be called before anything is read or written.
 */
static int check_names(const struct report_options *options, const char *path)
{
	struct stat folder;

	if (options->output && input_has(path, options->output)) {
		say("%s: is part of the recording: write to another file",
		    options->output);
		return EXIT_USAGE;
	}
	if (options->symfs && stat(options->symfs, &folder) < 0) {
		say("--symfs: %s: %s", options->symfs, strerror(errno));
		return EXIT_USAGE;
	}
	return 0;
}

static int open_input(struct session *session,
		      const struct report_options *options, const char *path)
{
	int status = input_open(&session->input, path, &console_log);

	if (!status)
		status = recording_open(session->input.path, &console_log,
					&session->recording);
	if (status < 0)
		log_message(&console_log, LOG_ERROR, path, LOG_NO_OFFSET,
			    "not opened: %s", error_text(status));
	else
		recording_set_root(session->recording,
				   options->symfs ? options->symfs :
						    session->input.files);
	return status < 0 ? EXIT_FAILED : 0;
}

/* Opens the recording that @options select, or the newest one in the working
 * directory, unless the output would overwrite it. Returns 0, or the exit code
 * after a message on standard error.
 */
static int session_open_recording(struct session *session,
				  const struct report_options *options)
{
	const char *path = options->input;
	char *found = NULL;
	int status;

	if (!path)
		path = found = find_last_recording();
	if (!path) {
		say("no recording in this directory; make one with ktrace-hw "
		    "record, or name one with -i DIR");
		return EXIT_FAILED;
	}
	if (found)
		say_if_old(found);
	status = check_names(options, path);
	if (!status)
		status = debuginfod_consent(options->debuginfod);
	if (!status)
		status = open_input(session, options, path);
	free(found);
	return status;
}

static int open_cgroups(struct session *session)
{
	int status = task_cgroups_open(session->recording, &console_log,
				       &session->cgroups);

	if (status == -ERROR_NOT_FOUND)
		log_message(&console_log, LOG_ERROR,
			    recording_path(session->recording), LOG_NO_OFFSET,
			    "--by=cgroup: the recording does not contain the "
			    "cgroups of tasks: it was not made by ktrace-hw "
			    "record, or without cgroups v2");
	else if (status < 0)
		log_message(&console_log, LOG_ERROR,
			    recording_path(session->recording), LOG_NO_OFFSET,
			    "%s", error_text(status));
	return status < 0 ? EXIT_FAILED : 0;
}

/* Creates @session's groups as --by requires. The session's choice then selects
 * groups, and its filter no longer selects tasks.
 *
 * Returns 0, or the exit code after a message on standard error.
 */
static int session_open_groups(struct session *session,
			       const struct report_options *options)
{
	const struct step_filter *choice = &session->choice;
	int status = 0;

	if (options->by == GROUP_BY_NOTHING)
		return 0;
	if (options->by == GROUP_BY_CHOICE && !step_filter_has_tasks(choice)) {
		say("--by=choice needs --comm, --pid or --tree");
		return EXIT_USAGE;
	}
	if (options->by == GROUP_BY_CGROUP)
		status = open_cgroups(session);
	if (status)
		return status;
	session->filter =
		(struct step_filter){ .names = choice->names,
				      .cpus = choice->cpus,
				      .cpu_count = choice->cpu_count };
	session->groups = task_groups_new(options->by, session->names,
					  session->cgroups, choice);
	return session->groups ? 0 : EXIT_FAILED;
}

static bool is_for_people(const struct report_options *options)
{
	return options->is_paged &&
	       (!options->format || !strcmp(options->format, "text"));
}

/* Follows the NO_COLOR convention (no-color.org); TERM=dumb is an editor's
 * terminal.
 */
static bool wants_colors(const struct report_options *options)
{
	const char *without = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	if (options->colors != COLORS_AUTO)
		return options->colors == COLORS_ALWAYS;
	return !options->output && isatty(STDOUT_FILENO) &&
	       !(without && *without) && terminal && strcmp(terminal, "dumb");
}

enum { OUTPUT_BYTES = 1 << 18 };

/* Sets the output's buffer: one line for a terminal or pager, otherwise a large
 * buffer.
 */
static void set_buffer(struct session *session)
{
	if (session->pager || isatty(fileno(session->out))) {
		setvbuf(session->out, NULL, _IOLBF, 0);
		return;
	}
	session->buffer = malloc(OUTPUT_BYTES);
	if (session->buffer)
		setvbuf(session->out, session->buffer, _IOFBF, OUTPUT_BYTES);
}

/* Returns whether the output is compressed: its name ends in .gz, and the
 * format is not one that is compressed already, or that no reader unpacks.
 */
static bool wants_gzip(const struct report_options *options)
{
	static const char suffix[] = ".gz";
	const char *format = options->format ? options->format : "";
	size_t size = strlen(options->output);

	return size >= sizeof(suffix) &&
	       !strcmp(options->output + size + 1 - sizeof(suffix), suffix) &&
	       strcmp(format, "pprof") != 0 && strcmp(format, "gmon") != 0;
}

static int open_output(struct session *session,
		       const struct report_options *options)
{
	const char *path = options->output;

	if (options->capture) {
		session->colors = &colors_none;
		session->out = options->capture;
		session->is_captured = true;
		return 0;
	}
	session->colors = is_for_people(options) && wants_colors(options) ?
				  &colors_of_terminal :
				  &colors_none;
	if (!path && is_for_people(options))
		session->pager = pager_new();
	session->path = path;
	if (path) {
		session->file = wants_gzip(options) ?
					output_file_open_gzip(path) :
					output_file_open(path);
		session->out = session->file ?
				       output_file_stream(session->file) :
				       NULL;
	} else {
		session->out = pager_output(session->pager);
	}
	if (session->out) {
		set_buffer(session);
		return 0;
	}
	log_message(&console_log, LOG_ERROR, path, LOG_NO_OFFSET,
		    "cannot be written: %s", regular_file_error(errno));
	return EXIT_FAILED;
}

static int open_lines(struct session *session)
{
	session->lines = lines_new(session->recording);
	return session->lines ? 0 : -ERROR_MEMORY;
}

/* Starts as many threads as there are CPUs, unless --jobs is given. */
static int open_jobs(struct session *session,
		     const struct report_options *options)
{
	cpu_set_t cpus;
	unsigned int count = (unsigned int)options->jobs;

	if (!count && sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		count = (unsigned int)CPU_COUNT(&cpus);
	session->jobs = jobs_new(count ? count : 1);
	return session->jobs ? 0 : -ERROR_MEMORY;
}

/* Returns whether KTRACE_INDEX is @use. KTRACE_INDEX lets tests check that the
 * contents of a window do not depend on how much was skipped.
 */
static bool index_is(const char *use)
{
	const char *index = getenv("KTRACE_INDEX");

	return index && !strcmp(index, use);
}

static int open_symbols(struct session *session)
{
	char *cache =
		index_is("none") ?
			NULL :
			checkpoint_index_path(session->recording, "symbols");
	int status = symbols_open_cached(session->recording, &console_log,
					 jobs_count(session->jobs), cache,
					 &session->symbols);

	free(cache);
	return status;
}

static int open_parts(struct session *session,
		      const struct report_options *options)
{
	struct recording *recording = session->recording;
	int status = 0;

	/* function_graph records functions, so there is no code to follow. */
	if (recording_trace(recording) != RECORDING_TRACE_FUNCTION_GRAPH)
		status = code_image_open(recording, &console_log,
					 &session->image);
	if (!status)
		status = open_jobs(session, options);
	if (!status)
		status = open_symbols(session);
	if (!status && options->with_inlined)
		status = symbols_add_inlined(session->symbols, recording);
	if (!status && options->names)
		status = symbols_display(session->symbols, options->names);
	if (!status)
		status = task_names_open(recording, &session->names);
	if (!status && options->wants_lines)
		status = open_lines(session);
	if (status < 0)
		log_message(&console_log, LOG_ERROR, recording_path(recording),
			    LOG_NO_OFFSET, "%s", error_text(status));
	return status < 0 ? EXIT_FAILED : 0;
}

/* Adds the processes of all chosen tasks to @pids. */
static int list_chosen(const struct session *session, struct array *pids)
{
	struct task task = { 0 };
	int32_t *pid;

	for (size_t i = 0;
	     task_names_at(session->names, i, &task.tid, &task.pid); i++) {
		if (!step_filter_task(&session->choice, &task))
			continue;
		pid = array_add(pids);
		if (!pid)
			return -ERROR_MEMORY;
		*pid = task.pid;
	}
	return 0;
}

/* Warns about program files whose symbols could not be read, unless no selected
 * process had them mapped.
 */
static int log_unread_programs(const struct session *session)
{
	static const int32_t none;
	struct array pids = ARRAY_OF(int32_t);
	int status = 0;

	if (!step_filter_has_tasks(&session->choice)) {
		status = symbols_log_unread(session->symbols, &console_log,
					    NULL, 0);
	} else {
		status = list_chosen(session, &pids);
		if (!status)
			status = symbols_log_unread(
				session->symbols, &console_log,
				pids.count ? pids.items : &none, pids.count);
	}
	array_free(&pids);
	return status < 0 ? EXIT_FAILED : 0;
}

int session_needs_time(const struct session *session, const char *option,
		       const char *value)
{
	const struct time_unit *unit = time_unit_of(session->recording);

	if (unit->is_time)
		return 0;
	say("%s%s%s: the trace has no timestamps that can be converted to "
	    "time, it only counts %s",
	    option, *value ? "=" : "", value, unit->name);
	return EXIT_USAGE;
}

/* Checks that the trace has the times that the options need. Also notes on
 * standard error how the trace's times differ from usual ones.
 */
static int check_time(const struct session *session,
		      const struct report_options *options)
{
	const struct time_unit *unit = time_unit_of(session->recording);

	if (unit->is_of_host)
		log_message(
			&console_log, LOG_NOTE,
			recording_path(session->recording), LOG_NO_OFFSET,
			"its times are from the clock of the virtual machine's "
			"host");
	if (recording_trace(session->recording) ==
	    RECORDING_TRACE_FUNCTION_GRAPH)
		log_message(
			&console_log, LOG_NOTE,
			recording_path(session->recording), LOG_NO_OFFSET,
			recording_graph_trace(session->recording)->has_functions ?
				"traced by the kernel's function_graph tracer: "
				"functions that are inlined or notrace are in "
				"their callers, and all times include the "
				"tracer's own" :
				"it has no functions, only task switches: "
				"record with trace-cmd record -p "
				"function_graph");
	if (unit->is_time)
		return 0;
	log_message(&console_log, LOG_NOTE, recording_path(session->recording),
		    LOG_NO_OFFSET,
		    "no times: the trace only counts "
		    "%s",
		    unit->name);
	if (options->since)
		return session_needs_time(session, "--since", "");
	if (options->until)
		return session_needs_time(session, "--until", "");
	return 0;
}

static int choose_engine(struct session *session,
			 const struct report_options *options)
{
	const struct recording *recording = session->recording;

	session->engine = engine_for(options->engine, recording);
	if (options->with_inlined && session->engine != ENGINE_GRAPH) {
		log_message(&console_log, LOG_ERROR, recording_path(recording),
			    LOG_NO_OFFSET,
			    "--inlined needs --engine=graph, which cannot read "
			    "its trace or was not chosen");
		return EXIT_USAGE;
	}
	if (options->engine == ENGINE_DEFAULT ||
	    engine_reads(session->engine, recording))
		return 0;
	log_message(&console_log, LOG_ERROR, recording_path(recording),
		    LOG_NO_OFFSET, "--engine=%s cannot read its trace",
		    engine_name(session->engine));
	return EXIT_USAGE;
}

static void say_session(const struct session *session)
{
	const struct recording_info *info = recording_info(session->recording);

	say_more("%s: Linux %s, %zu streams; decoder %s, %u threads",
		 recording_path(session->recording), info->os_release,
		 recording_stream_count(session->recording),
		 engine_name(session->engine), jobs_count(session->jobs));
}

int session_open_input(struct session *session,
		       const struct report_options *options)
{
	int status;

	*session = (struct session){ 0 };
	status = session_open_recording(session, options);
	if (!status)
		status = check_time(session, options);
	if (!status)
		status = choose_engine(session, options);
	if (!status)
		status = open_parts(session, options);
	if (!status &&
	    report_options_window(
		    options, recording_info(session->recording)->first_time_ns,
		    &session->window) < 0)
		status = EXIT_USAGE;
	session->done_ns = session->window.until_ns;
	if (!status && !options->is_absolute)
		session->origin_ns =
			recording_info(session->recording)->first_time_ns;
	session->choice = report_options_filter(options, session->names);
	session->filter = session->choice;
	if (!status)
		status = log_unread_programs(session);
	if (!status)
		status = session_open_groups(session, options);
	if (!status)
		say_session(session);
	session->decodes_all = index_is("none");
	session->uses_points = index_is("points");
	return status;
}

int session_open(struct session *session, const struct report_options *options)
{
	int status = session_open_input(session, options);

	return status ? status : open_output(session, options);
}

/* Makes standard output, which stays open, unbuffered, and frees the session's
 * buffer that it used. If writing failed, standard output may still use the
 * buffer, which is then not freed.
 */
static void release_stdout(struct session *session, bool has_failed)
{
	if (!session->buffer)
		return;
	if (!has_failed && !setvbuf(stdout, NULL, _IONBF, 0))
		free(session->buffer);
	session->buffer = NULL;
}

/* Returns whether memory sufficed for all captured output; otherwise reports
 * that it did not.
 */
static bool is_captured(const struct session *session)
{
	if (fflush(session->out) == 0 && !ferror(session->out))
		return true;
	say("%s", error_text(-ERROR_MEMORY));
	return false;
}

static bool is_written(struct session *session, bool is_whole)
{
	if (session->is_captured)
		return is_captured(session);
	if (!session->file)
		return written_flush(session->out) == EXIT_OK;
	if (output_file_close(session->file, is_whole))
		return true;
	written_fail(session->path);
	return false;
}

static int close_output(struct session *session, bool is_whole)
{
	bool has_failed = !is_written(session, is_whole);

	if (session->is_captured)
		return has_failed ? EXIT_FAILED : 0;
	if (session->pager)
		has_failed |= pager_close(session->pager) < 0;
	else if (!session->file)
		release_stdout(session, has_failed);
	free(session->buffer);
	return has_failed ? EXIT_FAILED : 0;
}

static int close_all(struct session *session, bool is_whole)
{
	lines_free(session->lines);
	task_groups_free(session->groups);
	task_cgroups_close(session->cgroups);
	task_names_close(session->names);
	jobs_free(session->jobs);
	symbols_close(session->symbols);
	code_image_close(session->image);
	recording_close(session->recording);
	input_close(&session->input);
	return session->out ? close_output(session, is_whole) : 0;
}

int session_close(struct session *session)
{
	return close_all(session, true);
}

int session_finish(struct session *session, int status)
{
	int close_status = close_all(session, !status);

	return status ? status : close_status;
}
