/* SPDX-License-Identifier: MIT */
#include "collector/function_graph/graph_instance.h"

#include "collector/events/tracefs.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns whether @file of @folder contains @word; false if it cannot be read.
 */
static bool file_has(const char *folder, const char *file, const char *word)
{
	struct byte_buffer text = { 0 };
	char path[256];
	bool found;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	byte_buffer_file(&text, path);
	byte_buffer_zeros(&text, 1);
	found = !text.failed && strstr((const char *)text.bytes, word);
	byte_buffer_free(&text);
	return found;
}

/* Replaces the content of @file by @text (tracefs_write()); logs a rejected
 * text.
 */
static int file_set(const struct graph_instance *instance, const char *file,
		    const char *text)
{
	int error = tracefs_write(instance->folder, file, text, O_TRUNC);

	if (error)
		log_message(instance->log, LOG_ERROR, instance->folder,
			    LOG_NO_OFFSET, "%s: '%s' was refused: %s", file,
			    text, strerror(errno));
	return error;
}

/* KSYM_NAME_LEN of include/linux/kallsyms.h, and the newline. */
enum { KSYM_BYTES = 514 };

static int set_number(const struct graph_instance *instance, const char *file,
		      size_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", number);
	return file_set(instance, file, text);
}

/* Sets the CPUs to trace. The mask is hexadecimal, in comma-separated words of
 * 32 CPUs.
 */
static int set_cpus(const struct graph_instance *instance,
		    const struct graph_choice *choice)
{
	int last = choice->cpus[choice->cpu_count - 1];
	size_t words = (size_t)last / 32 + 1;
	struct byte_buffer text = { 0 };
	int error = -ERROR_MEMORY;

	if (choice->all_cpus)
		return 0;
	for (size_t word = words; word-- > 0;) {
		unsigned int mask = 0;
		char digits[16];

		for (size_t i = 0; i < choice->cpu_count; i++)
			if ((size_t)choice->cpus[i] / 32 == word)
				mask |= 1u << choice->cpus[i] % 32;
		snprintf(digits, sizeof(digits), "%08x%s", mask,
			 word ? "," : "");
		byte_buffer_add(&text, digits, strlen(digits));
	}
	byte_buffer_zeros(&text, 1);
	if (!text.failed)
		error = file_set(instance, "tracing_cpumask",
				 (const char *)text.bytes);
	byte_buffer_free(&text);
	return error;
}

/* Adds @thread to those traced. Both files accept one number per write. */
static int add_thread(const struct graph_instance *instance, pid_t thread)
{
	char text[16];
	int error;

	snprintf(text, sizeof(text), "%d", (int)thread);
	error = tracefs_write(instance->folder, "set_ftrace_pid", text,
			      O_APPEND);
	if (!error)
		error = tracefs_write(instance->folder, "set_event_pid", text,
				      O_APPEND);
	/* ESRCH: the thread has ended. */
	return error && errno == ESRCH ? 0 : error;
}

static int set_threads(const struct graph_instance *instance,
		       const struct graph_choice *choice)
{
	int error = 0;

	if (!choice->thread_count)
		return set_number(instance, "set_ftrace_notrace_pid",
				  (size_t)choice->recorder);
	for (size_t i = 0; i < choice->thread_count && !error; i++)
		error = add_thread(instance, choice->threads[i]);
	if (error)
		log_message(instance->log, LOG_ERROR, instance->folder,
			    LOG_NO_OFFSET,
			    "the threads to trace were refused: %s",
			    strerror(errno));
	if (!error)
		error = file_set(instance, "options/function-fork", "1");
	return error ? error : file_set(instance, "options/event-fork", "1");
}

static int add_function(const struct graph_instance *instance, const char *name)
{
	char line[KSYM_BYTES];

	/* Without the newline the kernel looks up the name too late to report
	 * an error.
	 */
	snprintf(line, sizeof(line), "%s\n", name);
	if (!tracefs_write(instance->folder, "set_ftrace_filter", line,
			   O_APPEND))
		return 0;
	log_message(instance->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "--filter: function_graph cannot trace '%s'%s: "
		    "%s/available_filter_functions lists the functions that it "
		    "can; inlined functions and ranges of addresses need a "
		    "trace unit",
		    name, errno == EINVAL ? "" : " now", tracefs_folder());
	return -ERROR_NOT_FOUND;
}

static int set_filter(const struct graph_instance *instance,
		      const struct graph_choice *choice)
{
	char *names = choice->filter ? strdup(choice->filter) : NULL;
	char *rest = NULL;
	int error = 0;

	if (choice->filter && !names)
		return -ERROR_MEMORY;
	for (char *name = names ? strtok_r(names, ",", &rest) : NULL;
	     name && !error; name = strtok_r(NULL, ",", &rest))
		error = add_function(instance, name);
	free(names);
	return error;
}

/* Switches off the caller's address in each entry, which exists since Linux
 * 6.13. Kernels without the option have no such file, so failure does not
 * matter.
 */
static void set_callers(const struct graph_instance *instance)
{
	tracefs_write(instance->folder, "options/funcgraph-retaddr", "0",
		      O_TRUNC);
}

/* Configures function_graph in @instance according to @choice; it traces once
 * tracing is turned on. Sets the clock of perf's records. Uses a buffer that is
 * overwritten, because the kernel marks lost events only in such a buffer.
 *
 * Returns 0 or a negative enum error, which was logged.
 */
static int apply_settings(const struct graph_instance *instance,
			  const struct graph_choice *choice)
{
	int error = set_number(instance, "buffer_size_kb",
			       choice->buffer_bytes >> 10);

	if (!error)
		error = file_set(instance, "trace_clock", "perf");
	if (!error)
		error = file_set(instance, "options/overwrite", "1");
	if (!error)
		error = set_cpus(instance, choice);
	if (!error)
		error = set_threads(instance, choice);
	if (!error)
		error = set_filter(instance, choice);
	if (error)
		return error;
	set_callers(instance);
	/* The clock calls this function for each event, so it would be traced
	 * each time.
	 */
	tracefs_write(instance->folder, "set_ftrace_notrace", "local_clock\n",
		      O_APPEND);
	error = file_set(instance, "events/sched/sched_switch/enable", "1");
	return error ? error :
		       file_set(instance, "current_tracer", "function_graph");
}

const char *graph_instance_refusal(const char **fix)
{
	const char *folder = tracefs_folder();
	char path[256];

	*fix = "as root: mount -t tracefs none /sys/kernel/tracing";
	if (!folder)
		return "tracefs cannot be read";
	*fix = "record as root";
	snprintf(path, sizeof(path), "%s/current_tracer", folder);
	if (access(path, W_OK) < 0)
		return "tracefs cannot be written";
	*fix = "use a kernel with CONFIG_FUNCTION_GRAPH_TRACER";
	if (!file_has(folder, "available_tracers", "function_graph"))
		return "the kernel has no function_graph tracer";
	return NULL;
}

/* Settings of the top instance that apply to all its users. */
static const char *const kept_settings[GRAPH_SAVED_SETTINGS] = {
	"buffer_size_kb",     "tracing_cpumask",
	"trace_clock",	      "options/function-fork",
	"options/event-fork", "options/overwrite",
	"tracing_on",
};

/* Returns the value of the setting in @file as it can be written again, owned
 * by the caller, or NULL. Of a choice ("local [global]") that is the one in
 * brackets; of buffers that were not used yet ("7 (expanded: 1408)"), their
 * size once they are.
 */
static char *setting_of(const char *folder, const char *file)
{
	struct byte_buffer text = { 0 };
	const char *value;
	const char *inner;
	char *copy = NULL;
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	byte_buffer_file(&text, path);
	byte_buffer_zeros(&text, 1);
	if (!text.failed) {
		value = (const char *)text.bytes;
		if ((inner = strchr(value, '[')))
			value = inner + 1;
		else if ((inner = strstr(value, "expanded: ")))
			value = inner + strlen("expanded: ");
		copy = strndup(value, strcspn(value, "])\n"));
	}
	byte_buffer_free(&text);
	return copy;
}

static void save_top(struct graph_instance *instance)
{
	for (size_t i = 0; i < GRAPH_SAVED_SETTINGS; i++)
		instance->saved[i] =
			setting_of(instance->folder, kept_settings[i]);
}

static void forget_top(struct graph_instance *instance)
{
	for (size_t i = 0; i < GRAPH_SAVED_SETTINGS; i++) {
		free(instance->saved[i]);
		instance->saved[i] = NULL;
	}
}

/* Restores the settings of the top instance, which was free: see use_of_top().
 * A setting that cannot be restored was never changed.
 */
static void restore_top(const struct graph_instance *instance)
{
	static const char *const settings[][2] = {
		{ "current_tracer", "nop" },
		{ "events/sched/sched_switch/enable", "0" },
		{ "set_ftrace_filter", "\n" },
		{ "set_ftrace_notrace", "\n" },
		{ "set_ftrace_pid", "\n" },
		{ "set_ftrace_notrace_pid", "\n" },
		{ "set_event_pid", "\n" },
		{ "trace", "\n" },
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		tracefs_write(instance->folder, settings[i][0], settings[i][1],
			      O_TRUNC);
	for (size_t i = 0; i < GRAPH_SAVED_SETTINGS; i++)
		if (instance->saved[i])
			tracefs_write(instance->folder, kept_settings[i],
				      instance->saved[i], O_TRUNC);
}

/* Retries, since the open files of a killed recorder are closed a little later.
 */
static int remove_folder(const char *folder)
{
	enum { TRIES = 200, PAUSE_US = 10000 };

	for (int i = 0; i < TRIES; i++) {
		if (!rmdir(folder))
			return 0;
		if (errno != EBUSY)
			break;
		usleep(PAUSE_US);
	}
	return -ERROR_SYSTEM;
}

void graph_instance_end(const struct graph_instance *instance)
{
	tracefs_write(instance->folder, "current_tracer", "nop", O_TRUNC);
}

static void give_back(const struct graph_instance *instance)
{
	if (instance->is_top) {
		restore_top(instance);
		return;
	}
	graph_instance_end(instance);
	if (remove_folder(instance->folder))
		log_message(instance->log, LOG_WARNING, instance->folder,
			    LOG_NO_OFFSET, "cannot be removed: %s",
			    strerror(errno));
}

/* Waits until the recorder closes the instance or dies. Returns whether it
 * closed the instance.
 */
static bool await_end(int life)
{
	ssize_t size;
	char byte;

	do
		size = read(life, &byte, 1);
	while (size < 0 && errno == EINTR);
	return size > 0;
}

/* Runs the guard process, which releases the instance when the recorder has
 * ended. Signals that end the recorder must not end the guard before that.
 */
static void guard(const struct graph_instance *instance, int life)
{

	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (!await_end(life))
		instance->rescue.run(instance->rescue.context);
	give_back(instance);
	_exit(0);
}

/* Logs errno. */
static int fail_guard(struct graph_instance *instance)
{
	log_message(instance->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "function_graph: the process that restores the kernel's "
		    "tracer cannot be started: %s",
		    strerror(errno));
	give_back(instance);
	forget_top(instance);
	return -ERROR_SYSTEM;
}

/* Starts the guard. From then on the instance is released in any case. */
static int post_guard(struct graph_instance *instance)
{
	int life[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, life) < 0)
		return fail_guard(instance);
	instance->guard = fork();
	if (!instance->guard) {
		close(life[1]);
		guard(instance, life[0]);
	}
	close(life[0]);
	instance->life = life[1];
	if (instance->guard > 0)
		return 0;
	instance->guard = 0;
	close(life[1]);
	return fail_guard(instance);
}

void graph_instance_close(struct graph_instance *instance)
{
	if (!instance->guard)
		return;
	/* The guard may have been killed. */
	if (send(instance->life, "", 1, MSG_NOSIGNAL) != 1)
		give_back(instance);
	close(instance->life);
	waitpid(instance->guard, NULL, 0);
	forget_top(instance);
	instance->guard = 0;
}

/* Returns how the system's top instance is in use, or NULL if it is free. */
static const char *use_of_top(const char *folder)
{
	if (!file_has(folder, "current_tracer", "nop"))
		return "current_tracer is not nop";
	if (file_has(folder, "set_event", ":"))
		return "events are switched on in set_event";
	if (!file_has(folder, "set_ftrace_filter", "all functions enabled"))
		return "set_ftrace_filter is in use";
	return NULL;
}

static int consume_top(struct graph_instance *instance)
{
	const char *use;

	snprintf(instance->folder, sizeof(instance->folder), "%s",
		 tracefs_folder());
	use = use_of_top(instance->folder);
	if (use) {
		log_message(instance->log, LOG_ERROR, instance->folder,
			    LOG_NO_OFFSET,
			    "the kernel's tracer is in use (%s), and before "
			    "Linux 6.11 function_graph needs it: end the "
			    "program that uses it, such as trace-cmd, with "
			    "trace-cmd reset",
			    use);
		return -ERROR_UNSUPPORTED;
	}
	instance->is_top = true;
	save_top(instance);
	if (post_guard(instance))
		return -ERROR_SYSTEM;
	return file_set(instance, "tracing_on", "0");
}

/* Returns 0; 1 if instances of this kernel lack function_graph; or an error. */
static int make_own(struct graph_instance *instance)
{
	snprintf(instance->folder, sizeof(instance->folder),
		 "%s/instances/ktrace-hw-%d", tracefs_folder(), (int)getpid());
	if (mkdir(instance->folder, 0700) < 0) {
		log_message(instance->log, LOG_ERROR, instance->folder,
			    LOG_NO_OFFSET, "cannot be made: %s",
			    strerror(errno));
		return -ERROR_SYSTEM;
	}
	if (post_guard(instance))
		return -ERROR_SYSTEM;
	if (file_has(instance->folder, "available_tracers", "function_graph"))
		return file_set(instance, "tracing_on", "0");
	graph_instance_close(instance);
	return 1;
}

int graph_instance_open(struct graph_instance *instance,
			const struct graph_choice *choice,
			const struct graph_rescue *rescue,
			const struct log *log)
{
	const char *fix;
	const char *refusal = graph_instance_refusal(&fix);
	int status;

	*instance = (struct graph_instance){ .rescue = *rescue, .log = log };
	if (refusal) {
		log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "function_graph: %s: %s", refusal, fix);
		return -ERROR_UNSUPPORTED;
	}
	status = make_own(instance);
	if (status > 0)
		status = consume_top(instance);
	return status ? status : apply_settings(instance, choice);
}

int graph_instance_trace(const struct graph_instance *instance, bool is_on)
{
	return tracefs_write(instance->folder, "tracing_on", is_on ? "1" : "0",
			     O_TRUNC);
}

uint64_t graph_instance_overruns(const struct graph_instance *instance, int cpu)
{
	struct byte_buffer text = { 0 };
	const char *line = NULL;
	uint64_t overruns = 0;
	char path[256];

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/stats", instance->folder,
		 cpu);
	byte_buffer_file(&text, path);
	byte_buffer_zeros(&text, 1);
	if (!text.failed)
		line = strstr((const char *)text.bytes, "\noverrun:");
	if (line)
		overruns = strtoull(line + strlen("\noverrun:"), NULL, 10);
	byte_buffer_free(&text);
	return overruns;
}
