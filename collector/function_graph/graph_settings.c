/* SPDX-License-Identifier: MIT */
#include "collector/function_graph/graph_settings.h"
#include "collector/events/tracefs.h"
#include "collector/function_graph/graph_file.h"
#include "collector/function_graph/graph_instance.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* KSYM_NAME_LEN of include/linux/kallsyms.h, and the newline. */
enum { KSYM_BYTES = 514 };

static int set_number(const struct graph_instance *instance, const char *file,
		      size_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", number);
	return graph_file_set(instance, file, text);
}

/* The mask is hexadecimal, in comma-separated words of 32 CPUs. */
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
		error = graph_file_set(instance, "tracing_cpumask",
				       (const char *)text.bytes);
	byte_buffer_free(&text);
	return error;
}

/* Both files accept one number per write. */
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
	/* The thread has ended. */
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
		error = graph_file_set(instance, "options/function-fork", "1");
	return error ? error :
		       graph_file_set(instance, "options/event-fork", "1");
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

/* Since Linux 6.13 each entry may contain the caller's address. Old kernels,
 * and those without the option, have no such file.
 */
static void set_callers(const struct graph_instance *instance)
{
	tracefs_write(instance->folder, "options/funcgraph-retaddr", "0",
		      O_TRUNC);
}

int graph_settings_apply(const struct graph_instance *instance,
			 const struct graph_choice *choice)
{
	int error = set_number(instance, "buffer_size_kb",
			       choice->buffer_bytes >> 10);

	if (!error)
		error = graph_file_set(instance, "trace_clock", "perf");
	if (!error)
		error = graph_file_set(instance, "options/overwrite", "1");
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
	error = graph_file_set(instance, "events/sched/sched_switch/enable",
			       "1");
	return error ? error :
		       graph_file_set(instance, "current_tracer",
				      "function_graph");
}
