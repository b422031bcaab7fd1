/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TIMELINE_PERFETTO_TRACKS_INTERNAL_H
#define KT_REPORT_TIMELINE_PERFETTO_TRACKS_INTERNAL_H

#include "common/array.h"
#include "report/steps/call_step.h"
#include "report/timeline/span_export.h"

#include <stdint.h>

struct perfetto_out;
struct protobuf;
struct task_names;

/* Writes descriptors of tracks and of their processes, each once. */
struct perfetto_tracks {
	struct perfetto_out *out;	/* borrowed */
	const struct task_names *names; /* borrowed */
	struct array processes;		/* int32_t: described already */
	int status;			/* 0, or -ERROR_MEMORY */
};

struct perfetto_tracks perfetto_tracks_of(struct perfetto_out *out,
					  const struct task_names *names);

/* Frees all.  Returns the status. */
int perfetto_tracks_end(struct perfetto_tracks *tracks);

/* Starts @track's packet sequence, in which times are relative to the previous
 * packet, the first one to @time_ns. Describes the track, and its process the
 * first time.
 */
void perfetto_tracks_add(struct perfetto_tracks *tracks,
			 const struct span_track *track, uint64_t time_ns);

/* Writes @packet into @track's sequence, with enum sequence_flag bits. */
void perfetto_write(struct perfetto_out *out, struct protobuf *packet,
		    const struct span_track *track, uint64_t flags);

/* Writes @name as a text field. Bytes that are not UTF-8, which the format
 * requires, are escaped.
 */
void perfetto_put_name(struct protobuf *message, uint32_t field,
		       const char *name);

/* Writes wake-ups as ftrace's sched_waking, sched_wakeup_new and
 * sched_blocked_reason, from which Perfetto finds a thread's waker, its wait
 * for a CPU, and the function that it slept in.
 */
struct perfetto_wakeups {
	struct perfetto_out *out;	/* borrowed */
	const struct task_names *names; /* borrowed */
	struct array symbols; /* bool by function: its name is written */
	/* the sequence of sched_blocked_reason has started */
	bool has_begun;
	int status; /* 0, or -ERROR_MEMORY */
};

struct perfetto_wakeups perfetto_wakeups_of(struct perfetto_out *out,
					    const struct task_names *names);

void perfetto_wakeups_consume(struct perfetto_wakeups *wakeups,
			      const struct track_waking *waking);

/* Writes sched_blocked_reason. @name is the name of the function in which the
 * thread slept.
 */
void perfetto_wakeups_blocked(struct perfetto_wakeups *wakeups,
			      const struct track_blocked *blocked,
			      const char *name);

/* Frees all.  Returns the status. */
int perfetto_wakeups_end(struct perfetto_wakeups *wakeups);

/* Writes all processes of the recording with their parents, and their threads,
 * so that Perfetto also groups those without tracks.
 */
void perfetto_write_processes(struct perfetto_out *out,
			      const struct task_names *names);

/* Writes counters: frequencies as ftrace's cpu_frequency, others on tracks. */
struct perfetto_counters {
	struct perfetto_out *out; /* borrowed */
	uint64_t described;	  /* number of the last described track, or 0 */
};

void perfetto_counters_consume(struct perfetto_counters *counters,
			       const struct track_count *count);

/* Writes a task switch as ftrace's sched_switch, from which Perfetto makes the
 * tracks of CPUs and the states of threads.
 */
void perfetto_sched_switch(struct perfetto_out *out,
			   const struct task_names *names,
			   const struct span_switch *event);

#endif
