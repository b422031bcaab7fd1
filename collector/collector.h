/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_COLLECTOR_H
#define KT_COLLECTOR_COLLECTOR_H

#include "collector/activation_internal.h"
#include "collector/events/tracefs.h"
#include "collector/trace_unit/cycle_choice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct log;
struct output_folder;

/* Records: opens the kernel's events, drains their rings, copies the kernel's
 * code, and writes a perf.data directory (docs/formats.md).
 *
 *	 kernel ─ rings ─► ring_drain ─► recording_output ─► recording
 *	   │                   │ hits        ▲
 *	   │                   └► hit_keeper ┤ snapshots
 *	   └─ code, tasks, sockets ──────────┘
 *
 * collector_run() takes these steps; an error in one ends the recording:
 *
 *	recording_setup_open()		opens the events; trace is off
 *	recording_output_begin()	copies the kernel's code, writes the start
 *	recording_loop_activate()	waits for the start instant
 *	event_list_enable()		sideband first, the trace last
 *	recording_loop_run()		drains rings until the end
 *	finish()			stops the trace, drains what is left
 *	recording_loop_wait_for_command()
 *
 * Invariants:
 *  1. The kernel's code is copied while the events that report its changes are
 *     open, and compared with the copy before they are closed: each change is in
 *     the recording, or the code counts as unknown.
 *  2. The trace starts after the events that explain it, and is stopped before
 *     the rings are read for the last time.
 *  3. Reports of CPUs that come online are listened to before the online CPUs
 *     are listed, so that no CPU is missed in between.
 *  4. Each loss is in the recording too, as a record.
 *
 * Threads: all of it runs in the calling thread, which has real-time priority, if
 * permitted, from before the start until the rings are drained; another thread
 * copies the code that programs generate (generated_code.h). Memory: the rings,
 * one trace buffer per CPU, and lists that grow with the events, modules and
 * tasks.
 */

/* The source of the function calls. */
enum collector_source {
	SOURCE_TRACE_UNIT,
	SOURCE_FUNCTION_GRAPH, /* the kernel's own tracer */
};

/* The options of a recording. All pointers are borrowed. */
struct collector_options {
	enum collector_source source;
	/* the recording's folder: empty */
	const struct output_folder *folder;
	char *const *command; /* ends with NULL; NULL: none */
	const pid_t *processes;
	size_t process_count;
	bool whole_cpus;    /* record everything that runs */
	const char *cpus;   /* a list; NULL: all online CPUs */
	const char *filter; /* see address_filter_parse(); or NULL */
	const char *sink;   /* sink of the trace; NULL: the kernel's choice */
	struct cycle_choice cycles;
	bool return_stack;	  /* CoreSight: omit predicted returns */
	unsigned int tracepoints; /* enum tracepoint_set bits */
	/* by default only: continue without tracefs */
	bool tracepoints_may_miss;
	uint32_t user_stack_bytes;   /* copied at system calls; 0: no stack */
	bool user;		     /* trace user space as well */
	bool snapshot;		     /* keep the newest trace only */
	const char *const *triggers; /* see trigger_spec_parse() */
	size_t trigger_count;
	const char *only;      /* see gate_list_check(); or NULL */
	const char *only_line; /* a named pipe to choose other calls; or NULL */
	/* and calls of all tasks, not only the command's */
	bool hits_of_all;
	const char *arguments;	 /* see argument_list_check(); or NULL */
	bool call_data;		 /* what system calls' arguments refer to */
	bool call_data_may_miss; /* continue without it */
	uint64_t after_ns;	 /* time to continue tracing after a hit */
	uint64_t max_hits;	 /* 0: no limit */
	size_t buffer_bytes;	 /* of trace, per CPU: a power of two */
	struct activation activation;
	uint64_t duration_ns; /* 0: no limit */
	uint64_t max_bytes;   /* of the recording; 0: no limit */
	/* The recorder's command line, for the recording's header. */
	int argc;
	char *const *argv;
};

/* Why a recording ended. */
enum collector_end {
	COLLECTOR_FAILED, /* the reason is in the log */
	COLLECTOR_COMMAND_ENDED,
	COLLECTOR_NOT_BEGUN,	/* by a signal, before the start instant */
	COLLECTOR_NOT_EXECUTED, /* exec of the command failed */
	COLLECTOR_TARGET_GONE,	/* all the processes have ended */
	COLLECTOR_INTERRUPTED,	/* by a signal */
	COLLECTOR_TIME_OVER,
	COLLECTOR_SIZE_REACHED, /* the command continues */
	COLLECTOR_HITS_REACHED, /* the command continues */
};

/* The result of a recording. */
struct collector_result {
	enum collector_end end;
	int command_status; /* as of waitpid(2), if there was a command */
	int exec_errno;	    /* if exec of the command failed */
	int signal;	    /* that interrupted the recording */
	uint64_t trace_bytes;
	uint64_t file_bytes;
	/* sideband records lost because a ring was full */
	uint64_t lost_records;
	uint64_t truncated; /* times that trace was lost */
	size_t lost_code;   /* code pieces that were never copied */
	unsigned int snapshots;
	size_t triggers;	 /* number armed */
	unsigned int hits;	 /* trigger hits whose trace was saved */
	unsigned int overlapped; /* hits during the wait for another hit */
	unsigned int by_stops;	 /* exceeded a limit only because of stops */
	uint64_t stops;		 /* times that the recorder stopped the trace */
	uint64_t stopped_ns;	 /* total */
	uint64_t missed;	 /* calls that the probes missed */
	unsigned int away_cpus;	 /* switched off or on during the recording */
	bool was_activated;	 /* started at an instant (--activate) */
	/* delay from the instant until all was recorded */
	int64_t late_ns;
	uint64_t length_ns; /* from the start of tracing to its end */
};

/* Checks whether @source is available on this machine, without side effects.
 *
 * Returns NULL, or the reason why it is not, and in @fix the remedy.
 */
const char *collector_refusal(enum collector_source source, const char **fix);

/* Makes a recording. Returns when it is complete and the command, if any, has
 * ended; after a second SIGINT or SIGTERM does not wait for the command.
 *
 * Takes over the handling of SIGINT, SIGTERM, SIGHUP, SIGCHLD and SIGUSR2 of
 * the calling process, which must have one thread. Returns 0 and @result; or a
 * negative enum error with the reason in @log, and @result as far as it is
 * known.
 */
int collector_run(const struct collector_options *options,
		  const struct log *log, struct collector_result *result);

#endif
