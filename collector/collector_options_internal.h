/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_COLLECTOR_OPTIONS_INTERNAL_H
#define KT_COLLECTOR_COLLECTOR_OPTIONS_INTERNAL_H

#include "collector/activation_internal.h"
#include "collector/events/tracefs.h"
#include "collector/trace_unit/cycle_choice.h"
#include "collector/writer/trace_writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct output_folder;

/* The options of a recording, and its result. The command fills in the
 * options once, before collector_run(), and nothing changes them; each part of
 * the collector that ends the recording, or loses something, notes that in the
 * result.
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
	const char *sink;   /* CoreSight sink; NULL: the kernel's choice */
	struct cycle_choice cycles;
	bool return_stack;	  /* CoreSight: omit predicted returns */
	unsigned int tracepoints; /* enum tracepoint_set bits */
	/* no events were chosen by the user: record without tracepoints if
	 * tracefs cannot be read
	 */
	bool tracepoints_may_miss;
	uint32_t user_stack_bytes;   /* copied at system calls; 0: no stack */
	bool user;		     /* trace user space as well */
	bool snapshot;		     /* keep the newest trace only */
	const char *const *triggers; /* see trigger_spec_parse() */
	size_t trigger_count;
	const char *only;      /* see gate_list_check(); or NULL */
	const char *only_line; /* a named pipe to choose other calls; or NULL */
	/* triggers count the calls of all tasks, not only of the command */
	bool hits_of_all;
	const char *arguments; /* see argument_list_check(); or NULL */
	/* Go programs of which ids of goroutines are recorded, separated by
	 * commas; or NULL
	 */
	const char *goroutines;
	bool call_data; /* record what system calls' arguments refer to */
	/* record without call_data if its events cannot be opened */
	bool call_data_may_miss;
	uint64_t after_ns;   /* time to continue tracing after a hit */
	uint64_t max_hits;   /* 0: no limit */
	size_t buffer_bytes; /* of trace, per CPU: a power of two */
	/* write each CPU's trace to a file of its own, by a thread of its own:
	 * not with snapshot, triggers, only or function_graph
	 */
	bool threads;
	bool compress; /* the files that the threads write */
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
	COLLECTOR_NOT_BEGUN,	/* a signal came before --activate */
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
	/* times that the kernel replaced a full part of TRBE's buffer */
	uint64_t full_parts;
	size_t lost_code; /* code pieces that were never copied */
	size_t late_code; /* code pieces that were copied only at the end */
	unsigned int snapshots;
	size_t triggers;	 /* number armed */
	unsigned int hits;	 /* trigger hits whose trace was saved */
	unsigned int overlapped; /* hits that were counted, but not saved */
	/* hits ignored because only stops (struct trace_stops) put them over
	 * their limit
	 */
	unsigned int by_stops;
	uint64_t stops;		/* times that the recorder stopped the trace */
	uint64_t stopped_ns;	/* total */
	uint64_t missed;	/* calls that the probes missed */
	unsigned int away_cpus; /* switched off or on during the recording */
	bool was_activated;	/* started at an instant (--activate) */
	/* from the instant of --activate until all events were enabled */
	int64_t late_ns;
	struct trace_lag lag; /* how late trace was written */
	uint64_t length_ns;   /* from the start of tracing to its end */
};

#endif
