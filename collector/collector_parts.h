/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_COLLECTOR_PARTS_H
#define KT_COLLECTOR_COLLECTOR_PARTS_H

#include "collector/collector.h"
#include "collector/events/event_list.h"
#include "collector/function_graph/function_graph.h"
#include "collector/gate/gate.h"
#include "collector/gate/gate_lines.h"
#include "collector/hit_wait.h"
#include "collector/kernel_code/kernel_copy.h"
#include "collector/priority.h"
#include "collector/records/record_watch.h"
#include "collector/rings/cpu_rings.h"
#include "collector/signal_source.h"
#include "collector/size_watch.h"
#include "collector/sockets/socket_list.h"
#include "collector/target/process_watch.h"
#include "collector/target/target.h"
#include "collector/target/workload.h"
#include "collector/trace_clock.h"
#include "collector/trace_unit/tracer.h"
#include "collector/trigger/trigger_set.h"
#include "common/gate_mark.h"

#include <poll.h>

/* A recording under way: what the files collector*.c share. */
struct collector {
	const struct collector_options *options;
	const struct log *log;
	struct collector_result *result;
	struct target target;
	const struct tracer *tracer;
	struct pmu pmu;
	struct function_graph *graph; /* NULL: a trace unit */
	struct event_list events;
	size_t trace_spec;  /* index of the trace's own events */
	size_t switch_spec; /* of those of task switches */
	bool wide;	    /* may look at whole CPUs */
	/* struct cpu_rings, as target.cpus, which have traces, then others */
	struct array cpus;
	struct kernel_copy kernel;
	struct byte_buffer filter;  /* as the kernel has it */
	struct loaded_code *loaded; /* NULL: not wide */
	struct recording_writer *writer;
	struct socket_list sockets;
	struct priority priority;
	struct workload workload;
	struct signal_source signals;
	int timer;
	uint64_t begin_ns; /* of tracing, CLOCK_MONOTONIC */
	struct clock_readings clock;
	struct size_watch size_watch;
	bool command_ended;
	struct record_counts counts;
	struct trigger_set triggers;
	struct process_watch processes; /* whose hits count */
	struct hit_wait hits;
	struct gate gate; /* with options->only */
	struct gate_lines choice_lines;
	size_t choice_spec; /* GATE_CHOICE_EVENT */
	bool can_pause;	    /* a hit pauses the trace, ... */
	size_t resume_spec; /* ... which goes on by this */
};

/* Opens the events, in the order that lets every change of the kernel's text
 * be recorded or copied: collector_setup.c.  Likewise.
 */
int collector_open_events(struct collector *collector);

/* Open spec number @spec wherever the target is, and give its events their
 * rings: collector_open.c.  Return 0 or a negative enum error, with errno if it
 * is -ERROR_SYSTEM; the second says the reason to the log.
 */
int collector_open_spec(struct collector *collector, size_t spec);
int collector_open_or_explain(struct collector *collector, size_t spec);

/* Opens the last spec; @spec is what adding it returned: an error is handed on.
 * Returns 0; -ERROR_SYSTEM with errno set if the kernel refuses: the spec is
 * gone then; another negative enum error.
 */
int collector_open_if_possible(struct collector *collector, int spec);

/* Opens an event of this name, number *@spec of all, whose samples the recorder
 * writes itself.  Returns 0 or a negative enum error with the reason in the log.
 */
int collector_open_notes(struct collector *collector, const char *name,
			 size_t *spec);

/* Returns the rings of @cpu, which there are. */
struct cpu_rings *collector_rings(const struct collector *collector, int cpu);

/* Returns whether the kernel's own tracer takes the place of a trace unit. */
static inline bool collector_has_graph(const struct collector *collector)
{
	return collector->options->source == SOURCE_FUNCTION_GRAPH;
}

/* Copies the kernel's code, sets the filter and writes the start of the
 * recording: collector_begin.c.  Likewise.
 */
int collector_begin(struct collector *collector);

/* Writes which cgroup each thread is in now to the recording's file @name, for
 * whoever asks by cgroup; what moves tasks meanwhile is recorded.  Likewise.
 */
int collector_list_cgroups(const struct collector *collector, const char *name);

/* Lists the connections that there are now, if their messages are recorded.
 * Likewise.
 */
int collector_list_sockets(struct collector *collector);

/* Reads the rings until the recording is to end: collector_loop.c.
 * Likewise.  Sets result->end.
 */
int collector_loop(struct collector *collector);

/* Waits for the command, unless it has ended: the recording is complete, and it may
 * take its time.  A second signal says that the user will not wait.
 */
void collector_wait_for_command(struct collector *collector);

/* Reads all rings once. */
int collector_drain(struct collector *collector);

/* Goes on with traces that stopped since their buffer, which has been read
 * now, was full.  Returns 0 or -ERROR_SYSTEM.
 */
int collector_resume(struct collector *collector);

/* Keeps what the snapshot's rings hold; @last: tracing ends. */
int collector_snapshot(struct collector *collector, bool last);

/* Enables the trace that a snapshot or a hit stopped. */
int collector_enable_trace(struct collector *collector);

/* Arms the triggers, when the trace's events are open: collector_arm.c. */
int collector_arm(struct collector *collector);

/* What arming needs, with @symbols, which are empty. */
struct trigger_setup collector_arming(struct collector *collector,
				      struct kernel_symbols *symbols);

/* Opens what lets chosen calls alone be traced, and chooses those of the
 * options: collector_gate.c.  Returns 0 or a negative enum error with the
 * reason in the log.
 */
int collector_open_gate(struct collector *collector);

/* Chooses other calls, if somebody has written to options->only_line which.
 * Returns 0 or a negative enum error that ends the recording.
 */
int collector_take_choice(struct collector *collector);

/* Begins the stream of each CPU whose trace begins paused. */
int collector_begin_streams(struct collector *collector);

/* Writes down that the recording begins or ends, on each CPU, with --only. */
int collector_mark_gate(struct collector *collector, enum gate_mark_kind kind);

/* Returns the recording's clock. */
struct trace_clock collector_clock(const struct collector *collector);

/* Waits for the instant at which the recording is to begin.  Returns 0, with
 * result->end COLLECTOR_NOT_BEGUN if a signal came instead; or a negative enum
 * error: it has passed, which is said to the log: collector_activate.c.
 */
int collector_activate(struct collector *collector);

/* This is what is waited for: the signals, the timers of the end and of a hit,
 * who chooses calls, one for each ring, one for each trigger, one for each process whose end is to
 * be known.
 */
enum { POLL_SIGNALS, POLL_TIMER, POLL_AFTER, POLL_CHOICE, POLL_RINGS };

/* Returns that list, to be freed, and its *@count; NULL when out of memory. */
struct pollfd *collector_list_polled(const struct collector *collector,
				     nfds_t *count);

/* Stops all trace as soon as something came that may be a hit: what is done
 * before it is kept would be in it.  And goes on if it was none:
 * collector_keep.c.
 */
int collector_freeze(struct collector *collector);
int collector_unfreeze(struct collector *collector);

/* Keeps the trace of a hit, if there is one, and @is_time or no time is to pass
 * behind it.
 */
int collector_keep_hit(struct collector *collector, bool is_time);

/* The last snapshot, with its hit if there was one. */
int collector_keep_last(struct collector *collector);

#endif
