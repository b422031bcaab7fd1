/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_FUNCTION_GRAPH_GRAPH_INSTANCE_H
#define KT_COLLECTOR_FUNCTION_GRAPH_GRAPH_INSTANCE_H

/* A set of ftrace's ring buffers with its own tracer, for recordings without a
 * trace unit.
 *
 *	closed ── graph_instance_open() ──► open, not tracing ─► tracing
 *	   ▲                                       │
 *	   └── graph_instance_close(), or the guard process after a crash
 *
 * 1. Settings of the system that are changed, in the top instance of old
 *    kernels, are restored, even when the recorder is killed: a process forked
 *    at the start, the guard, does that.
 * 2. An instance that is in use is never taken over.
 *
 * Source: Documentation/trace/ftrace.rst of Linux.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct log;

/* The callback for an instance whose recorder was killed, run before the
 * instance is released. It runs in a guard process, which was forked when the
 * instance was opened: with the memory and the open files that the recorder had
 * at that time.
 */
struct graph_rescue {
	void (*run)(void *context);
	void *context;
};

enum { GRAPH_SAVED_SETTINGS = 7 };

/* One set of the kernel's ring buffers with its own tracer: a folder of tracefs
 * (Documentation/trace/ftrace.rst of Linux, "Instances"). function_graph can be
 * used in instances since Linux 6.11; older kernels only have the system's top
 * instance, which is used if it is free, and restored afterwards.
 */
struct graph_instance {
	char folder[200];
	bool is_top; /* the system's top instance */
	/* if is_top: the settings before, owned; NULL: could not be read */
	char *saved[GRAPH_SAVED_SETTINGS];
	pid_t guard; /* the process that releases it; 0: not acquired */
	int life;    /* the guard releases it when this socket closes */
	struct graph_rescue rescue;
	const struct log *log;
};

/* The choice of CPUs, threads and functions to trace. All pointers are
 * borrowed.
 */
struct graph_choice {
	size_t buffer_bytes; /* per CPU */
	const int *cpus;
	size_t cpu_count;
	bool all_cpus; /* cpus has all online CPUs */
	/* only these and their children; none: all threads except the
	 * recorder's
	 */
	const pid_t *threads;
	size_t thread_count;
	pid_t recorder;	    /* this process, which is not traced */
	const char *filter; /* function names, comma-separated; NULL: all */
};

/* Checks whether an instance can be opened, without side effects.
 *
 * Returns NULL, or the reason why not, and in @fix the remedy.
 */
const char *graph_instance_refusal(const char **fix);

/* Opens an instance for @choice, without starting to trace. @rescue is copied.
 *
 * Returns 0, or a negative enum error with the reason and the remedy in @log:
 * no rights, in use, a function that cannot be traced. The caller must close it
 * either way.
 */
int graph_instance_open(struct graph_instance *instance,
			const struct graph_choice *choice,
			const struct graph_rescue *rescue,
			const struct log *log);

/* Releases the instance. If the recorder is killed, the guard process does
 * this, since a tracer that stays enabled slows down the machine. A zeroed
 * instance counts as closed.
 */
void graph_instance_close(struct graph_instance *instance);

/* Returns how many events of @cpu were overwritten before they were read. */
uint64_t graph_instance_overruns(const struct graph_instance *instance,
				 int cpu);

/* Turns tracing on or off. Returns 0 or -ERROR_SYSTEM with errno set. */
int graph_instance_trace(const struct graph_instance *instance, bool is_on);

/* Removes the tracer. Must be called after everything was read. The kernel's
 * functions are slower as long as the tracer is set, even when tracing is off.
 */
void graph_instance_end(const struct graph_instance *instance);

#endif
