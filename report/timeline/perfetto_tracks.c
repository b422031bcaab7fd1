/* SPDX-License-Identifier: MIT */
#include "report/timeline/perfetto_tracks_internal.h"

#include "common/array.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "report/timeline/perfetto_out.h"
#include "report/timeline/span_export.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Numbers of processes' own tracks and of counters' tracks; threads' tracks are
 * numbered from 1.
 */
#define PROCESS_TRACKS (UINT64_C(1) << 32)
#define COUNTER_TRACKS (UINT64_C(1) << 33)

struct perfetto_tracks perfetto_tracks_of(struct perfetto_out *out,
					  const struct task_names *names)
{
	return (struct perfetto_tracks){
		.out = out,
		.names = names,
		.processes = ARRAY_OF(int32_t),
	};
}

int perfetto_tracks_end(struct perfetto_tracks *tracks)
{
	array_free(&tracks->processes);
	return tracks->status;
}

void perfetto_write(struct perfetto_out *out, struct protobuf *packet,
		    const struct span_track *track, uint64_t flags)
{
	protobuf_number(packet, PACKET_SEQUENCE_ID, track->number);
	if (flags)
		protobuf_number(packet, PACKET_SEQUENCE_FLAGS, flags);
	perfetto_out_packet(out, packet);
}

void perfetto_put_name(struct protobuf *message, uint32_t field,
		       const char *name)
{
	char text[SPAN_NAME_BYTES * NAME_GROWTH];

	protobuf_bytes(message, field, text,
		       name_text(text, NAME_UTF8, name,
				 strnlen(name, SPAN_NAME_BYTES)));
}

static void put_clock(struct protobuf *snapshot, uint64_t id, uint64_t time_ns)
{
	struct protobuf clock;

	protobuf_start(&clock);
	protobuf_number(&clock, CLOCK_ID, id);
	protobuf_number(&clock, CLOCK_TIMESTAMP, time_ns);
	if (id == CLOCK_ID_OWN)
		protobuf_number(&clock, CLOCK_IS_INCREMENTAL, 1);
	protobuf_message(snapshot, SNAPSHOT_CLOCKS, &clock);
}

/* Starts the sequence: times are relative to the previous packet, the first one
 * to @time_ns, and events are on @track.
 */
static void begin_sequence(struct perfetto_tracks *tracks,
			   const struct span_track *track, uint64_t time_ns)
{
	struct protobuf snapshot;
	struct protobuf event;
	struct protobuf defaults;
	struct protobuf packet;

	protobuf_start(&snapshot);
	protobuf_start(&event);
	protobuf_start(&defaults);
	protobuf_start(&packet);
	put_clock(&snapshot, CLOCK_ID_BOOTTIME, time_ns);
	put_clock(&snapshot, CLOCK_ID_OWN, time_ns);
	protobuf_message(&packet, PACKET_CLOCK_SNAPSHOT, &snapshot);
	protobuf_number(&event, EVENT_DEFAULTS_TRACK, track->number);
	protobuf_message(&defaults, DEFAULTS_TRACK_EVENT, &event);
	protobuf_number(&defaults, DEFAULTS_CLOCK_ID, CLOCK_ID_OWN);
	protobuf_message(&packet, PACKET_DEFAULTS, &defaults);
	perfetto_write(tracks->out, &packet, track, SEQUENCE_CLEARED);
}

static bool is_described(struct perfetto_tracks *tracks, int32_t pid)
{
	for (size_t i = 0; i < tracks->processes.count; i++)
		if (*(int32_t *)array_at(&tracks->processes, i) == pid)
			return true;
	if (array_append(&tracks->processes, &pid) < 0)
		tracks->status = -ERROR_MEMORY;
	return false;
}

static void describe_process(struct perfetto_tracks *tracks,
			     const struct span_track *track, int32_t pid)
{
	struct protobuf process;
	struct protobuf descriptor;
	struct protobuf packet;

	if (is_described(tracks, pid))
		return;
	protobuf_start(&process);
	protobuf_start(&descriptor);
	protobuf_start(&packet);
	protobuf_number(&process, PROCESS_PID, (uint64_t)pid);
	perfetto_put_name(&process, PROCESS_NAME,
			  task_names_last(tracks->names, pid));
	protobuf_number(&descriptor, TRACK_UUID,
			PROCESS_TRACKS + (uint64_t)pid);
	protobuf_message(&descriptor, TRACK_PROCESS, &process);
	protobuf_message(&packet, PACKET_TRACK_DESCRIPTOR, &descriptor);
	perfetto_write(tracks->out, &packet, track, 0);
}

static void describe_track(struct perfetto_tracks *tracks,
			   const struct span_track *track)
{
	const struct task *task = track->task;
	struct protobuf thread;
	struct protobuf descriptor;
	struct protobuf packet;

	protobuf_start(&thread);
	protobuf_start(&descriptor);
	protobuf_start(&packet);
	protobuf_number(&descriptor, TRACK_UUID, track->number);
	perfetto_put_name(&descriptor, TRACK_NAME,
			  track->parent ? track->side : track->name);
	if (track->parent) {
		protobuf_number(&descriptor, TRACK_PARENT, track->parent);
	} else if (track->kind == SPAN_FIBER) {
		describe_process(tracks, track, task->pid);
		protobuf_number(&descriptor, TRACK_PARENT,
				PROCESS_TRACKS + (uint64_t)task->pid);
	} else if (task && task->tid > 0) {
		int32_t pid = task->pid > 0 ? task->pid : task->tid;

		describe_process(tracks, track, pid);
		protobuf_number(&thread, THREAD_PID, (uint64_t)pid);
		protobuf_number(&thread, THREAD_TID, (uint64_t)task->tid);
		perfetto_put_name(&thread, THREAD_NAME, track->name);
		protobuf_message(&descriptor, TRACK_THREAD, &thread);
	}
	protobuf_message(&packet, PACKET_TRACK_DESCRIPTOR, &descriptor);
	perfetto_write(tracks->out, &packet, track, 0);
}

void perfetto_tracks_add(struct perfetto_tracks *tracks,
			 const struct span_track *track, uint64_t time_ns)
{
	begin_sequence(tracks, track, time_ns);
	describe_track(tracks, track);
}

struct perfetto_wakeups perfetto_wakeups_of(struct perfetto_out *out,
					    const struct task_names *names)
{
	return (struct perfetto_wakeups){
		.out = out,
		.names = names,
		.symbols = ARRAY_OF(bool),
	};
}

int perfetto_wakeups_end(struct perfetto_wakeups *wakeups)
{
	array_free(&wakeups->symbols);
	return wakeups->status;
}

/* Writes a bundle of one event. */
static void put_bundle(struct protobuf *packet, uint32_t cpu,
		       const struct protobuf *ftrace)
{
	struct protobuf bundle;

	protobuf_start(&bundle);
	protobuf_number(&bundle, BUNDLE_CPU, cpu);
	protobuf_message(&bundle, BUNDLE_EVENT, ftrace);
	protobuf_message(packet, PACKET_FTRACE_EVENTS, &bundle);
}

void perfetto_wakeups_consume(struct perfetto_wakeups *wakeups,
			      const struct track_waking *waking)
{
	const struct perfetto_comm comm = { waking->tid, waking->cpu,
					    waking->time_ns };
	struct protobuf woken;
	struct protobuf ftrace;
	struct protobuf packet;

	protobuf_start(&woken);
	protobuf_start(&ftrace);
	protobuf_start(&packet);
	perfetto_put_comm(&woken, WAKING_COMM, wakeups->names, comm);
	protobuf_number(&woken, WAKING_PID, (uint64_t)waking->tid);
	protobuf_number(&woken, WAKING_PRIO, USUAL_PRIORITY);
	protobuf_number(&woken, WAKING_SUCCESS, 1);
	protobuf_number(&ftrace, FTRACE_TIMESTAMP, waking->time_ns);
	protobuf_number(&ftrace, FTRACE_PID, (uint64_t)waking->waker_tid);
	protobuf_number(&ftrace, FTRACE_FLAGS, waking->flags);
	protobuf_message(&ftrace,
			 waking->is_new ? FTRACE_WAKEUP_NEW : FTRACE_WAKING,
			 &woken);
	put_bundle(&packet, waking->cpu, &ftrace);
	protobuf_number(&packet, PACKET_SEQUENCE_ID, SEQUENCE_SCHED);
	perfetto_out_packet(wakeups->out, &packet);
}

/* Writes a function's name the first time; later the number refers to it. */
static void put_symbol(struct perfetto_wakeups *wakeups,
		       struct protobuf *packet, uint32_t function,
		       const char *name)
{
	bool *is_known = array_reach(&wakeups->symbols, function);
	struct protobuf entry;
	struct protobuf interned;

	if (!is_known)
		wakeups->status = -ERROR_MEMORY;
	if (!is_known || *is_known)
		return;
	*is_known = true;
	protobuf_start(&entry);
	protobuf_start(&interned);
	protobuf_number(&entry, NAME_IID, (uint64_t)function + 1);
	perfetto_put_name(&entry, NAME_STRING, name);
	protobuf_message(&interned, INTERNED_SYMBOLS, &entry);
	protobuf_message(packet, PACKET_INTERNED_DATA, &interned);
}

void perfetto_wakeups_blocked(struct perfetto_wakeups *wakeups,
			      const struct track_blocked *blocked,
			      const char *name)
{
	struct protobuf reason;
	struct protobuf ftrace;
	struct protobuf packet;

	protobuf_start(&reason);
	protobuf_start(&ftrace);
	protobuf_start(&packet);
	protobuf_number(&reason, BLOCKED_PID, (uint64_t)blocked->tid);
	protobuf_number(&reason, BLOCKED_CALLER,
			(uint64_t)blocked->function + 1);
	protobuf_number(&ftrace, FTRACE_TIMESTAMP, blocked->time_ns);
	protobuf_number(&ftrace, FTRACE_PID, (uint64_t)blocked->tid);
	protobuf_message(&ftrace, FTRACE_BLOCKED_REASON, &reason);
	put_bundle(&packet, 0, &ftrace);
	put_symbol(wakeups, &packet, blocked->function, name);
	protobuf_number(&packet, PACKET_SEQUENCE_ID, SEQUENCE_BLOCKED);
	protobuf_number(&packet, PACKET_SEQUENCE_FLAGS,
			SEQUENCE_NEEDS_STATE |
				(wakeups->has_begun ? 0 : SEQUENCE_CLEARED));
	wakeups->has_begun = true;
	perfetto_out_packet(wakeups->out, &packet);
}

/* include/linux/sched.h: TASK_RUNNING, TASK_INTERRUPTIBLE. The trace does not
 * have the kind of sleep.
 */
enum { STATE_RUNNABLE = 0, STATE_ASLEEP = 1 };

static void put_comm(const struct task_names *names, struct protobuf *message,
		     uint32_t field, const struct span_switch *event,
		     int32_t tid)
{
	perfetto_put_comm(message, field, names,
			  (struct perfetto_comm){ tid, event->cpu,
						  event->time_ns });
}

static void put_switch(const struct task_names *names, struct protobuf *message,
		       const struct span_switch *event)
{
	put_comm(names, message, SWITCH_PREV_COMM, event, event->prev_tid);
	protobuf_number(message, SWITCH_PREV_PID, (uint64_t)event->prev_tid);
	protobuf_number(message, SWITCH_PREV_PRIO, USUAL_PRIORITY);
	protobuf_number(message, SWITCH_PREV_STATE,
			event->is_preempted || !event->prev_tid ?
				STATE_RUNNABLE :
				STATE_ASLEEP);
	put_comm(names, message, SWITCH_NEXT_COMM, event, event->next_tid);
	protobuf_number(message, SWITCH_NEXT_PID, (uint64_t)event->next_tid);
	protobuf_number(message, SWITCH_NEXT_PRIO, USUAL_PRIORITY);
}

void perfetto_sched_switch(struct perfetto_out *out,
			   const struct task_names *names,
			   const struct span_switch *event)
{
	struct protobuf switched;
	struct protobuf ftrace;
	struct protobuf packet;

	protobuf_start(&switched);
	protobuf_start(&ftrace);
	protobuf_start(&packet);
	put_switch(names, &switched, event);
	protobuf_number(&ftrace, FTRACE_TIMESTAMP, event->time_ns);
	protobuf_number(&ftrace, FTRACE_PID, (uint64_t)event->prev_tid);
	protobuf_message(&ftrace, FTRACE_SWITCH, &switched);
	put_bundle(&packet, event->cpu, &ftrace);
	protobuf_number(&packet, PACKET_SEQUENCE_ID, SEQUENCE_SCHED);
	perfetto_out_packet(out, &packet);
}

/* Appends the name of task @tid to @tree, and that of process @pid if the task
 * is its first thread.
 */
static void put_process_and_thread(struct protobuf *tree,
				   const struct task_names *names, int32_t tid,
				   int32_t pid)
{
	struct protobuf process;
	struct protobuf thread;
	int32_t parent = task_names_parent(names, pid);

	protobuf_start(&process);
	protobuf_start(&thread);
	if (tid == pid) {
		protobuf_number(&process, TREE_PROCESS_PID, (uint64_t)pid);
		if (parent >= 0)
			protobuf_number(&process, TREE_PROCESS_PARENT,
					(uint64_t)parent);
		perfetto_put_name(&process, TREE_PROCESS_COMMAND,
				  task_names_last(names, pid));
		protobuf_message(tree, TREE_PROCESSES, &process);
	}
	protobuf_number(&thread, TREE_THREAD_TID, (uint64_t)tid);
	perfetto_put_name(&thread, TREE_THREAD_NAME,
			  task_names_last(names, tid));
	protobuf_number(&thread, TREE_THREAD_PID, (uint64_t)pid);
	protobuf_message(tree, TREE_THREADS, &thread);
}

void perfetto_write_processes(struct perfetto_out *out,
			      const struct task_names *names)
{
	struct protobuf tree;
	struct protobuf packet;
	int32_t tid;
	int32_t pid;
	int32_t last_tid = -1;

	for (size_t i = 0; task_names_at(names, i, &tid, &pid); i++) {
		/* Names of a task follow each other. */
		if (tid <= 0 || pid <= 0 || tid == last_tid)
			continue;
		last_tid = tid;
		protobuf_start(&tree);
		protobuf_start(&packet);
		put_process_and_thread(&tree, names, tid, pid);
		protobuf_message(&packet, PACKET_PROCESS_TREE, &tree);
		protobuf_number(&packet, PACKET_SEQUENCE_ID, SEQUENCE_COUNTERS);
		perfetto_out_packet(out, &packet);
	}
}

static void write_frequency(struct perfetto_out *out,
			    const struct track_count *count)
{
	struct protobuf frequency;
	struct protobuf ftrace;
	struct protobuf packet;

	protobuf_start(&frequency);
	protobuf_start(&ftrace);
	protobuf_start(&packet);
	protobuf_number(&frequency, FREQUENCY_KHZ, count->value);
	protobuf_number(&frequency, FREQUENCY_CPU, count->cpu);
	protobuf_number(&ftrace, FTRACE_TIMESTAMP, count->time_ns);
	protobuf_number(&ftrace, FTRACE_PID, 0);
	protobuf_message(&ftrace, FTRACE_FREQUENCY, &frequency);
	put_bundle(&packet, count->cpu, &ftrace);
	protobuf_number(&packet, PACKET_SEQUENCE_ID, SEQUENCE_SCHED);
	perfetto_out_packet(out, &packet);
}

/* Writes a packet on the counters' sequence. */
static void write_counter(struct perfetto_out *out, struct protobuf *packet)
{
	protobuf_number(packet, PACKET_SEQUENCE_ID, SEQUENCE_COUNTERS);
	perfetto_out_packet(out, packet);
}

static void describe_counter(struct perfetto_out *out, uint64_t number,
			     const struct track_count *count)
{
	const bool is_ring = count->counter == COUNTER_RING;
	char name[48] = "threads that wait for a CPU";
	struct protobuf counter;
	struct protobuf descriptor;
	struct protobuf packet;

	protobuf_start(&counter);
	protobuf_start(&descriptor);
	protobuf_start(&packet);
	if (is_ring)
		snprintf(name, sizeof(name),
			 "CPU %" PRIu32 " trace in the ring", count->cpu);
	protobuf_number(&counter, COUNTER_UNIT,
			is_ring ? UNIT_SIZE_BYTES : UNIT_COUNT);
	protobuf_number(&descriptor, TRACK_UUID, number);
	protobuf_text(&descriptor, TRACK_NAME, name);
	protobuf_message(&descriptor, TRACK_COUNTER, &counter);
	protobuf_message(&packet, PACKET_TRACK_DESCRIPTOR, &descriptor);
	write_counter(out, &packet);
}

void perfetto_counters_consume(struct perfetto_counters *counters,
			       const struct track_count *count)
{
	const uint64_t number = COUNTER_TRACKS + count->counter + count->cpu;
	struct protobuf event;
	struct protobuf packet;

	if (count->counter == COUNTER_FREQUENCY) {
		write_frequency(counters->out, count);
		return;
	}
	if (counters->described != number)
		describe_counter(counters->out, number, count);
	counters->described = number;
	protobuf_start(&event);
	protobuf_start(&packet);
	protobuf_number(&packet, PACKET_TIMESTAMP, count->time_ns);
	protobuf_number(&packet, PACKET_CLOCK_ID, CLOCK_ID_BOOTTIME);
	protobuf_number(&event, EVENT_TYPE, EVENT_COUNTER);
	protobuf_number(&event, EVENT_DEFAULTS_TRACK, number);
	protobuf_number(&event, EVENT_COUNTER_VALUE, count->value);
	protobuf_message(&packet, PACKET_TRACK_EVENT, &event);
	write_counter(counters->out, &packet);
}
