/* SPDX-License-Identifier: MIT */
#include "collector/function_graph/graph_instance.h"
#include "collector/bytes/byte_buffer.h"
#include "collector/events/tracefs.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* KSYM_NAME_LEN of include/linux/kallsyms.h, and the end of a line. */
enum { KSYM_BYTES = 514 };

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
		return "tracefs may not be written";
	*fix = "use a kernel with CONFIG_FUNCTION_GRAPH_TRACER";
	if (!file_has(folder, "available_tracers", "function_graph"))
		return "the kernel has no function_graph tracer";
	return NULL;
}

/* Writes as one piece: each of its lines is a command.  @mode: O_APPEND adds to
 * what is there.
 */
static int put(const struct graph_instance *instance, const char *file,
	       const char *text, int mode)
{
	char path[256];
	int fd;
	ssize_t done;
	int cause;

	snprintf(path, sizeof(path), "%s/%s", instance->folder, file);
	fd = open(path, O_WRONLY | O_CLOEXEC | mode);
	if (fd < 0)
		return -ERROR_SYSTEM;
	done = write(fd, text, strlen(text));
	cause = errno;
	if (close(fd) < 0 && done >= 0) {
		done = -1;
		cause = errno;
	}
	errno = cause;
	return done < 0 ? -ERROR_SYSTEM : 0;
}

static int set(const struct graph_instance *instance, const char *file,
	       const char *text)
{
	int error = put(instance, file, text, O_TRUNC);

	if (error)
		log_message(instance->log, LOG_ERROR, instance->folder,
			    LOG_NO_OFFSET, "%s: '%s' is not taken: %s", file,
			    text, strerror(errno));
	return error;
}

/* What cannot be undone was never done. */
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
		{ "options/function-fork", "0" },
		{ "options/event-fork", "0" },
		{ "trace_clock", "local" },
		{ "trace", "\n" },
		{ "tracing_on", "1" },
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		put(instance, settings[i][0], settings[i][1], O_TRUNC);
}

/* What a recorder that was killed had open is closed a little later. */
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

static void give_back(const struct graph_instance *instance)
{
	if (instance->is_top) {
		restore_top(instance);
		return;
	}
	put(instance, "current_tracer", "nop", O_TRUNC);
	if (remove_folder(instance->folder))
		log_message(instance->log, LOG_WARNING, instance->folder,
			    LOG_NO_OFFSET, "cannot be removed: %s",
			    strerror(errno));
}

/* What ends the recorder is not to end the guard before its work is done. */
static void guard(const struct graph_instance *instance, int life)
{
	char byte;

	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	while (read(life, &byte, 1) < 0 && errno == EINTR)
		;
	give_back(instance);
	_exit(0);
}

/* From here on it is given back whatever happens. */
static int post_guard(struct graph_instance *instance)
{
	int life[2];

	if (pipe2(life, O_CLOEXEC) < 0) {
		give_back(instance);
		return -ERROR_SYSTEM;
	}
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
	give_back(instance);
	return -ERROR_SYSTEM;
}

void graph_instance_close(struct graph_instance *instance)
{
	if (!instance->guard)
		return;
	close(instance->life);
	waitpid(instance->guard, NULL, 0);
	instance->guard = 0;
}

/* Returns what the whole system's instance is used for, or NULL. */
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

static int take_top(struct graph_instance *instance)
{
	const char *use;

	snprintf(instance->folder, sizeof(instance->folder), "%s",
		 tracefs_folder());
	use = use_of_top(instance->folder);
	if (use) {
		log_message(instance->log, LOG_ERROR, instance->folder,
			    LOG_NO_OFFSET,
			    "the kernel's tracer is in use (%s), and before "
			    "Linux 6.11 function_graph is nowhere else: end "
			    "what uses it, such as trace-cmd, with trace-cmd "
			    "reset",
			    use);
		return -ERROR_UNSUPPORTED;
	}
	instance->is_top = true;
	if (post_guard(instance))
		return -ERROR_SYSTEM;
	return set(instance, "tracing_on", "0");
}

/* Returns 0, 1 if the kernel has none with function_graph, or an error. */
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
	if (post_guard(instance) || set(instance, "tracing_on", "0"))
		return -ERROR_SYSTEM;
	if (!put(instance, "current_tracer", "function_graph", O_TRUNC))
		return set(instance, "current_tracer", "nop");
	graph_instance_close(instance);
	return 1;
}

static int set_number(const struct graph_instance *instance, const char *file,
		      size_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", number);
	return set(instance, file, text);
}

/* The mask is hexadecimal, 32 CPUs a word, words by commas. */
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
		error = set(instance, "tracing_cpumask",
			    (const char *)text.bytes);
	byte_buffer_free(&text);
	return error;
}

/* Both files take one number after the other. */
static int add_thread(const struct graph_instance *instance, pid_t thread)
{
	char text[16];
	int error;

	snprintf(text, sizeof(text), "%d", (int)thread);
	error = put(instance, "set_ftrace_pid", text, O_APPEND);
	if (!error)
		error = put(instance, "set_event_pid", text, O_APPEND);
	/* It has ended meanwhile. */
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
			    "the threads to trace are not taken: %s",
			    strerror(errno));
	if (!error)
		error = set(instance, "options/function-fork", "1");
	return error ? error : set(instance, "options/event-fork", "1");
}

static int add_function(const struct graph_instance *instance, const char *name)
{
	char line[KSYM_BYTES];

	/* Without the end of the line the kernel looks for it too late to
	 * tell.
	 */
	snprintf(line, sizeof(line), "%s\n", name);
	if (!put(instance, "set_ftrace_filter", line, O_APPEND))
		return 0;
	log_message(instance->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "--filter: function_graph cannot trace '%s'%s: "
		    "%s/available_filter_functions has those that it can; "
		    "inlined functions and ranges of addresses need a trace "
		    "unit",
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

/* Since Linux 6.13 the caller's address may stand beside each entry.  Old
 * kernels, and those without the option, have no such file.
 */
static void set_callers(const struct graph_instance *instance)
{
	put(instance, "options/funcgraph-retaddr", "0", O_TRUNC);
}

/* The clock is the one of perf's records.  Of a buffer that is overwritten the
 * kernel says where something is missing, of one that is not it does not.
 */
static int set_up(const struct graph_instance *instance,
		  const struct graph_choice *choice)
{
	int error = set_number(instance, "buffer_size_kb",
			       choice->buffer_bytes >> 10);

	if (!error)
		error = set(instance, "trace_clock", "perf");
	if (!error)
		error = set(instance, "options/overwrite", "1");
	if (!error)
		error = set_cpus(instance, choice);
	if (!error)
		error = set_threads(instance, choice);
	if (!error)
		error = set_filter(instance, choice);
	if (error)
		return error;
	set_callers(instance);
	/* The clock calls it for each event, and would be traced for that. */
	put(instance, "set_ftrace_notrace", "local_clock\n", O_APPEND);
	error = set(instance, "events/sched/sched_switch/enable", "1");
	return error ? error :
		       set(instance, "current_tracer", "function_graph");
}

int graph_instance_open(struct graph_instance *instance,
			const struct graph_choice *choice,
			const struct log *log)
{
	const char *fix;
	const char *refusal = graph_instance_refusal(&fix);
	int status;

	*instance = (struct graph_instance){ .log = log };
	if (refusal) {
		log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "function_graph: %s: %s", refusal, fix);
		return -ERROR_UNSUPPORTED;
	}
	status = make_own(instance);
	if (status > 0)
		status = take_top(instance);
	return status ? status : set_up(instance, choice);
}

int graph_instance_trace(const struct graph_instance *instance, bool is_on)
{
	return put(instance, "tracing_on", is_on ? "1" : "0", O_TRUNC);
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
