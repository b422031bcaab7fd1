/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_GRAPH_INSTANCE_H
#define KT_COLLECTOR_GRAPH_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct log;

/* What is done with an instance whose recorder was killed, before it is given
 * back: by a process of its own, which the recorder forked when it opened the
 * instance, and which has the recorder's memory and files as they were then.
 */
struct graph_rescue {
	void (*run)(void *context);
	void *context;
};

/* One set of the kernel's ring buffers and its own tracer: a folder of tracefs
 * (Documentation/trace/ftrace.rst of Linux, "Instances").  function_graph can be
 * in instances since Linux 6.11; before that there is only the one of the whole
 * system, which is taken if nobody uses it, and left as it was.
 */
struct graph_instance {
	char folder[200];
	bool is_top; /* the one of the whole system */
	pid_t guard; /* the process that gives it back; 0: not taken */
	int life;    /* as soon as this end of a socket is closed */
	struct graph_rescue rescue;
	const struct log *log;
};

/* This is what is traced there.  All of it is borrowed. */
struct graph_choice {
	size_t buffer_bytes; /* a CPU */
	const int *cpus;
	size_t cpu_count;
	bool all_cpus;	      /* @cpus are all that are online */
	const pid_t *threads; /* these, and what they fork; none: all … */
	size_t thread_count;
	pid_t recorder;	    /* … but this process: tracing it makes trace */
	const char *filter; /* names of functions, by commas; NULL: all */
};

/* Looks whether there could be one, and changes nothing.
 *
 * Returns NULL, or a text that says why not, and in @fix what to do about it.
 */
const char *graph_instance_refusal(const char **fix);

/* Makes one, which does not trace yet, as @choice wants it.  @rescue is copied.
 *
 * Returns 0, or a negative enum error with the reason, and the way out, in
 * @log: no rights, in use, a function that cannot be traced.  Close it either
 * way.
 */
int graph_instance_open(struct graph_instance *instance,
			const struct graph_choice *choice,
			const struct graph_rescue *rescue,
			const struct log *log);

/* Gives back what was taken: so does a process of its own when the recorder
 * is killed, since a tracer that nobody ends slows the machine down.  A zeroed
 * instance is closed.
 */
void graph_instance_close(struct graph_instance *instance);

/* Returns how many events of @cpu were overwritten before they were read. */
uint64_t graph_instance_overruns(const struct graph_instance *instance,
				 int cpu);

/* Lets it trace, or no more.  Returns 0 or -ERROR_SYSTEM with errno set. */
int graph_instance_trace(const struct graph_instance *instance, bool is_on);

/* Takes the tracer away when all was read: functions of the kernel cost more as
 * long as it is there, traced or not.
 */
void graph_instance_end(const struct graph_instance *instance);

#endif
