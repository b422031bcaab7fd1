/* SPDX-License-Identifier: MIT */
#include "selftest/trial_internal.h"

#include "common/error.h"
#include "common/files/output_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RECORD_FAILED = 125, WORDS = 32 };

void trial_path(const struct selftest_options *options, const char *name,
		char path[TRIAL_PATH])
{
	snprintf(path, TRIAL_PATH, "%s/%s", options->folder->path, name);
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return RECORD_FAILED;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

/* Starts a command with these descriptors as its output and errors. Returns its
 * process, or -1.
 */
static pid_t start(const char *const *argv, int out, int errors)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0)
		_exit(RECORD_FAILED);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

int trial_output_open(struct trial_output *output,
		      const struct selftest_options *options,
		      const char *const *argv, const char *errors)
{
	int file = output_folder_replace(options->folder, errors);
	int ends[2] = { -1, -1 };
	const char *words[WORDS];
	size_t count = 0;

	while (argv[count] && count < WORDS - 3) {
		words[count] = argv[count];
		count++;
	}
	if (options->symfs && argv[0] == options->program) {
		words[count++] = "--symfs";
		words[count++] = options->symfs;
	}
	words[count] = NULL;
	*output = (struct trial_output){ .pid = -1 };
	if (file >= 0 && !pipe2(ends, O_CLOEXEC)) {
		output->pid = start(words, ends[1], file);
		close(ends[1]);
		output->lines = fdopen(ends[0], "r");
		if (!output->lines)
			close(ends[0]);
	}
	if (file >= 0)
		close(file);
	if (output->pid > 0 && output->lines)
		return 0;
	if (output->lines)
		fclose(output->lines);
	if (output->pid > 0)
		wait_for(output->pid);
	return -ERROR_SYSTEM;
}

int trial_output_close(struct trial_output *output)
{
	fclose(output->lines);
	return wait_for(output->pid);
}

static FILE *open_file(const struct selftest_options *options, const char *name)
{
	int fd = output_folder_reopen(options->folder, name, O_RDONLY);
	FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

/* Replaces each @path in @text by @name, because reports must have no names of
 * users and folders.
 */
static void hide_path(char *text, const char *path, const char *name)
{
	const size_t length = strlen(path);
	char *found = text;

	while (length > strlen(name) && (found = strstr(found, path))) {
		memcpy(found, name, strlen(name));
		memmove(found + strlen(name), found + length,
			strlen(found + length) + 1);
		found += strlen(name);
	}
}

void trial_last_line(const struct selftest_options *options, const char *name,
		     char *text, size_t room)
{
	FILE *file = open_file(options, name);
	char line[1024];

	snprintf(text, room, "no message");
	while (file && fgets(line, sizeof(line), file)) {
		const char *from = strncmp(line, "ktrace-hw", 9) ?
					   NULL :
					   strstr(line, ": ");

		line[strcspn(line, "\n")] = '\0';
		hide_path(line, options->folder->path, "DIR");
		hide_path(line, options->program, "ktrace-hw");
		if (*line)
			snprintf(text, room, "%s", from ? from + 2 : line);
	}
	if (file)
		fclose(file);
}

static const char *system_call_prefix(void)
{
#if defined(__x86_64__)
	return "__x64_sys_";
#elif defined(__aarch64__)
	return "__arm64_sys_";
#else
	return "sys_";
#endif
}

/* Returns @option; or, if it has SYS_, a copy in @text with SYS_ replaced by
 * the architecture's prefix.
 */
static const char *expand(const char *option, char *text, size_t room)
{
	const char *call = strstr(option, "SYS_");

	if (!call)
		return option;
	snprintf(text, room, "%.*s%s%s", (int)(call - option), option,
		 system_call_prefix(), call + strlen("SYS_"));
	return text;
}

/* Starts @argv; its output goes to the file NAME.OUT_KIND, its errors to
 * NAME.ERROR_KIND. Returns its process, or -1.
 */
static pid_t start_saved(const struct selftest_options *options,
			 const char *const *argv, const char *name,
			 const char *out_kind, const char *error_kind)
{
	char file[128];
	int out, errors;
	pid_t pid = -1;

	snprintf(file, sizeof(file), "%s.%s", name, out_kind);
	out = output_folder_replace(options->folder, file);
	snprintf(file, sizeof(file), "%s.%s", name, error_kind);
	errors = output_folder_replace(options->folder, file);
	if (out >= 0 && errors >= 0)
		pid = start(argv, out, errors);
	if (out >= 0)
		close(out);
	if (errors >= 0)
		close(errors);
	return pid;
}

/* Starts the program of a trial whose recorder attaches to a running program. It
 * stops itself.
 */
static pid_t start_program(const struct selftest_options *options,
			   const struct trial *trial)
{
	char program[64];
	const char *const argv[] = { options->program, "selftest", program,
				     NULL };
	pid_t pid;

	snprintf(program, sizeof(program), "--program=%s", trial->program);
	pid = start_saved(options, argv, trial->name, "counts", "errors");
	if (pid > 0)
		waitpid(pid, NULL, WUNTRACED);
	return pid;
}

/* Continues @program when @recorder is about to start or has ended. The clock's
 * file is the last one that a recorder writes before (note_begin() in
 * collector/collector.c).
 */
static void continue_program(const struct selftest_options *options,
			     const struct trial *trial, pid_t program,
			     pid_t recorder)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	char file[128];
	siginfo_t ended = { 0 };

	snprintf(file, sizeof(file), "%s/kcore_dir/clock", trial->name);
	while (!output_folder_has(options->folder, file) && !ended.si_pid &&
	       !waitid(P_PID, (id_t)recorder, &ended,
		       WEXITED | WNOHANG | WNOWAIT))
		nanosleep(&pause, NULL);
	kill(program, SIGCONT);
}

static int record(const struct selftest_options *options,
		  const struct trial *trial)
{
	char path[TRIAL_PATH], program[64], expanded[128], pid_text[32];
	const char *argv[WORDS] = { options->program, "record",
				    "--source=trace-unit", "-o", path };
	size_t count = 5;
	pid_t attached = -1, recorder;
	int code;

	trial_path(options, trial->name, path);
	for (size_t i = 0; trial->record[i]; i++)
		argv[count++] =
			expand(trial->record[i], expanded, sizeof(expanded));
	if (trial->attaches) {
		attached = start_program(options, trial);
		snprintf(pid_text, sizeof(pid_text), "%d", attached);
		argv[count++] = "-p";
		argv[count++] = pid_text;
	} else {
		snprintf(program, sizeof(program), "--program=%s",
			 trial->program);
		argv[count++] = "--";
		argv[count++] = options->program;
		argv[count++] = "selftest";
		argv[count++] = program;
	}
	argv[count] = NULL;
	recorder = start_saved(options, argv, trial->name,
			       trial->attaches ? "output" : "counts",
			       "messages");
	if (attached > 0)
		continue_program(options, trial, attached, recorder);
	code = recorder > 0 ? wait_for(recorder) : RECORD_FAILED;
	if (attached > 0)
		wait_for(attached);
	return code;
}

enum trial_result trial_record(const struct selftest_options *options,
			       const struct trial *trial, char *reason,
			       size_t room)
{
	char messages[64];
	int code;

	snprintf(messages, sizeof(messages), "%s.messages", trial->name);
	if (options->judges_only) {
		if (output_folder_has(options->folder, trial->name))
			return TRIAL_RECORDED;
		trial_last_line(options, messages, reason, room);
		return output_folder_has(options->folder, messages) ?
			       TRIAL_REFUSED :
			       TRIAL_ABSENT;
	}
	code = record(options, trial);
	if (!code)
		return TRIAL_RECORDED;
	trial_last_line(options, messages, reason, room);
	return code == RECORD_FAILED || code == 2 ? TRIAL_REFUSED :
						    TRIAL_FAILED;
}

static void set_count(struct trial_counts *counts, const char *key,
		      int64_t value)
{
	const struct {
		const char *key;
		int64_t *value;
	} keys[] = {
		{ "pid", &counts->pid },
		{ "calls", &counts->calls },
		{ "faults", &counts->faults },
		{ "switches", &counts->switches },
		{ "instructions", &counts->instructions },
		{ "branches", &counts->branches },
		{ "transitions", &counts->transitions },
		{ "idle", &counts->idle },
		{ "batches", &counts->batches },
		{ "refused", &counts->refused },
		{ "sleeps", &counts->sleeps },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(keys[i].key, key))
			*keys[i].value = value;
}

static int read_line(struct trial_counts *counts, const char *line)
{
	struct raw_times raw;
	struct cpu_calls cpu;
	char key[32];
	int64_t value;

	if (sscanf(line, "raw %" SCNu64 " %" SCNu64, &raw.before_ns,
		   &raw.after_ns) == 2)
		return array_append(&counts->raw, &raw);
	if (sscanf(line, "cpu %d %" SCNu64, &cpu.cpu, &cpu.calls) == 2)
		return array_append(&counts->cpus, &cpu);
	if (sscanf(line, "%31s %" SCNd64 " %31s", key, &value,
		   counts->idle_state) >= 2)
		set_count(counts, key, value);
	return 0;
}

int trial_counts_read(struct trial_counts *counts,
		      const struct selftest_options *options, const char *name)
{
	char file_name[64], line[256];
	FILE *file;
	int error = 0;

	*counts = (struct trial_counts){ -1, -1, -1, -1, -1, -1,
					 -1, -1, -1, -1, -1, .idle_state = "" };
	counts->raw = ARRAY_OF(struct raw_times);
	counts->cpus = ARRAY_OF(struct cpu_calls);
	snprintf(file_name, sizeof(file_name), "%s.counts", name);
	file = open_file(options, file_name);
	if (!file)
		return -ERROR_NOT_FOUND;
	while (!error && fgets(line, sizeof(line), file))
		error = read_line(counts, line);
	fclose(file);
	if (error)
		trial_counts_free(counts);
	return error;
}

void trial_counts_free(struct trial_counts *counts)
{
	array_free(&counts->raw);
	array_free(&counts->cpus);
}
