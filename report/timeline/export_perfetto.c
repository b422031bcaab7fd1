/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "report/timeline/perfetto_out.h"
#include "report/timeline/span_export.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes descriptors of tracks and of their processes, each once. */
struct perfetto_tracks {
	struct perfetto_out *out;	/* borrowed */
	const struct task_names *names; /* borrowed */
	struct array processes;		/* int32_t: described already */
	int status;			/* 0, or -ERROR_MEMORY */
};

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

/* Writes counters: frequencies as ftrace's cpu_frequency, others on tracks. */
struct perfetto_counters {
	struct perfetto_out *out; /* borrowed */
	uint64_t described;	  /* number of the last described track, or 0 */
};

/* Numbers of processes' own tracks and of counters' tracks; threads' tracks are
 * numbered from 1.
 */
#define PROCESS_TRACKS (UINT64_C(1) << 32)
#define COUNTER_TRACKS (UINT64_C(1) << 33)

static struct perfetto_tracks perfetto_tracks_of(struct perfetto_out *out,
						 const struct task_names *names)
{
	return (struct perfetto_tracks){
		.out = out,
		.names = names,
		.processes = ARRAY_OF(int32_t),
	};
}

/* Frees all.  Returns the status. */
static int perfetto_tracks_end(struct perfetto_tracks *tracks)
{
	array_free(&tracks->processes);
	return tracks->status;
}

/* Writes @packet into @track's sequence, with enum sequence_flag bits. */
static void perfetto_write(struct perfetto_out *out, struct protobuf *packet,
			   const struct span_track *track, uint64_t flags)
{
	protobuf_number(packet, PACKET_SEQUENCE_ID, track->number);
	if (flags)
		protobuf_number(packet, PACKET_SEQUENCE_FLAGS, flags);
	perfetto_out_packet(out, packet);
}

/* Writes @name as a text field. Bytes that are not UTF-8, which the format
 * requires, are escaped.
 */
static void perfetto_put_name(struct protobuf *message, uint32_t field,
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

/* Starts @track's packet sequence, in which times are relative to the previous
 * packet, the first one to @time_ns. Describes the track, and its process the
 * first time.
 */
static void perfetto_tracks_add(struct perfetto_tracks *tracks,
				const struct span_track *track,
				uint64_t time_ns)
{
	begin_sequence(tracks, track, time_ns);
	describe_track(tracks, track);
}

static struct perfetto_wakeups
perfetto_wakeups_of(struct perfetto_out *out, const struct task_names *names)
{
	return (struct perfetto_wakeups){
		.out = out,
		.names = names,
		.symbols = ARRAY_OF(bool),
	};
}

/* Frees all.  Returns the status. */
static int perfetto_wakeups_end(struct perfetto_wakeups *wakeups)
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

static void perfetto_wakeups_consume(struct perfetto_wakeups *wakeups,
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

/* Writes sched_blocked_reason. @name is the name of the function in which the
 * thread slept.
 */
static void perfetto_wakeups_blocked(struct perfetto_wakeups *wakeups,
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

/* Writes a task switch as ftrace's sched_switch, from which Perfetto makes the
 * tracks of CPUs and the states of threads.
 */
static void perfetto_sched_switch(struct perfetto_out *out,
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

/* Writes all processes of the recording with their parents, and their threads,
 * so that Perfetto also groups those without tracks.
 */
static void perfetto_write_processes(struct perfetto_out *out,
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

static void perfetto_counters_consume(struct perfetto_counters *counters,
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

/* Writes spans as TrackEvents. Each track is a packet sequence of its own, so
 * that values common to its packets, such as the track and the previous time,
 * are written once.
 */
struct perfetto_slices {
	struct perfetto_out *out;	  /* borrowed */
	const struct span_writer *writer; /* borrowed; resolves names */
	struct array sequences;		  /* struct sequence by track number */
	uint64_t count;			  /* of slices */
	int status;			  /* 0, or -ERROR_MEMORY */
};

struct sequence {
	uint64_t last_ns;
	struct array named; /* bool by number: the name is written */
	/* bits by enum span_note_name: the note's name is written */
	uint32_t notes;
	struct perfetto_tail tail;
};

static struct perfetto_slices
perfetto_slices_of(struct perfetto_out *out, const struct span_writer *writer)
{
	return (struct perfetto_slices){
		.out = out,
		.writer = writer,
		.sequences = ARRAY_OF(struct sequence),
	};
}

/* Frees all.  Returns the status. */
static int perfetto_slices_free(struct perfetto_slices *slices)
{
	for (size_t i = 0; i < slices->sequences.count; i++) {
		struct sequence *sequence = array_at(&slices->sequences, i);

		array_free(&sequence->named);
	}
	array_free(&slices->sequences);
	return slices->status;
}

/* Returns the track's sequence; NULL if memory had run out when it was added.
 */
static struct sequence *sequence_of(const struct perfetto_slices *slices,
				    const struct span_track *track)
{
	struct sequence *sequences = slices->sequences.items;

	return track->number < slices->sequences.count &&
			       sequences[track->number].tail.size ?
		       sequences + track->number :
		       NULL;
}

/* Starts a track's sequence, with a clock set to @time_ns. */
static void perfetto_slices_add(struct perfetto_slices *slices,
				const struct span_track *track,
				uint64_t time_ns)
{
	struct sequence *sequence =
		array_reach(&slices->sequences, track->number);

	if (sequence)
		*sequence = (struct sequence){
			.last_ns = time_ns,
			.named = ARRAY_OF(bool),
			.tail = perfetto_tail_of(track->number),
		};
	else
		slices->status = -ERROR_MEMORY;
}

/* Returns whether name @number is already defined in the sequence. */
static bool is_named(const struct sequence *sequence, uint32_t number)
{
	const bool *named = sequence->named.items;

	return number < sequence->named.count && named[number];
}

static void set_named(struct perfetto_slices *slices, struct sequence *sequence,
		      uint32_t number)
{
	bool *named = array_reach(&sequence->named, number);

	if (named)
		*named = true;
	else
		slices->status = -ERROR_MEMORY;
}

static void intern(struct protobuf *interned, uint32_t field, uint64_t iid,
		   const char *name)
{
	struct protobuf entry;

	protobuf_start(&entry);
	protobuf_number(&entry, NAME_IID, iid);
	perfetto_put_name(&entry, NAME_STRING, name);
	protobuf_message(interned, field, &entry);
}

/* Writes the name of @span: in full once per sequence, then as its number. */
static void put_name(struct perfetto_slices *slices, struct sequence *sequence,
		     struct protobuf *event, struct protobuf *interned,
		     const struct span *span)
{
	if (span->number == SPAN_NUMBER_NONE) {
		perfetto_put_name(event, EVENT_NAME, span->name);
		return;
	}
	protobuf_number(event, EVENT_NAME_IID, (uint64_t)span->number + 1);
	if (is_named(sequence, span->number))
		return;
	set_named(slices, sequence, span->number);
	intern(interned, INTERNED_NAMES, (uint64_t)span->number + 1,
	       span->name ? span->name :
			    span_name(slices->writer, span->number));
}

static void put_note(struct sequence *sequence, struct protobuf *event,
		     struct protobuf *interned, const struct span_note *note)
{
	uint64_t iid = (uint64_t)note->name + 1;
	struct protobuf annotation;

	protobuf_start(&annotation);
	protobuf_number(&annotation, ANNOTATION_NAME_IID, iid);
	if (note->text)
		perfetto_put_name(&annotation, ANNOTATION_STRING, note->text);
	else
		protobuf_number(&annotation, ANNOTATION_UINT, note->number);
	protobuf_message(event, EVENT_ANNOTATIONS, &annotation);
	if (sequence->notes & 1u << note->name)
		return;
	sequence->notes |= 1u << note->name;
	intern(interned, INTERNED_ANNOTATIONS, iid, span_note_text(note->name));
}

/* Writes a time relative to the previous packet; a time before that packet in
 * the trace's own clock instead.
 */
static void put_time(struct sequence *sequence, struct protobuf *packet,
		     uint64_t time_ns)
{
	if (time_ns >= sequence->last_ns) {
		protobuf_number(packet, PACKET_TIMESTAMP,
				time_ns - sequence->last_ns);
		sequence->last_ns = time_ns;
		return;
	}
	protobuf_number(packet, PACKET_TIMESTAMP, time_ns);
	protobuf_number(packet, PACKET_CLOCK_ID, CLOCK_ID_BOOTTIME);
}

/* Writes an event with a span. */
static void put_event(struct perfetto_slices *slices, struct sequence *sequence,
		      const struct span_track *track, const struct span *span,
		      enum event_type type)
{
	struct protobuf event;
	struct protobuf interned;
	struct protobuf packet;

	protobuf_start(&event);
	protobuf_start(&interned);
	protobuf_start(&packet);
	put_time(sequence, &packet, span->time_ns);
	protobuf_number(&event, EVENT_TYPE, type);
	put_name(slices, sequence, &event, &interned, span);
	for (size_t i = 0; i < span->note_count; i++)
		put_note(sequence, &event, &interned, &span->notes[i]);
	if (span->flow)
		protobuf_fixed64(&event,
				 type == EVENT_INSTANT ? EVENT_FLOWS :
							 EVENT_LAST_FLOWS,
				 span->flow);
	if (interned.size)
		protobuf_message(&packet, PACKET_INTERNED_DATA, &interned);
	protobuf_message(&packet, PACKET_TRACK_EVENT, &event);
	perfetto_write(slices->out, &packet, track, SEQUENCE_NEEDS_STATE);
}

/* Writes an end that is earlier than the previous packet. */
static void put_early_end(struct perfetto_slices *slices,
			  struct sequence *sequence,
			  const struct span_track *track, uint64_t time_ns)
{
	struct protobuf event;
	struct protobuf packet;

	protobuf_start(&event);
	protobuf_start(&packet);
	put_time(sequence, &packet, time_ns);
	protobuf_number(&event, EVENT_TYPE, EVENT_END);
	protobuf_message(&packet, PACKET_TRACK_EVENT, &event);
	perfetto_write(slices->out, &packet, track, SEQUENCE_NEEDS_STATE);
}

/* Writes an event by the fast path of perfetto_out.h. @time_ns must not be
 * before the sequence's last time.
 */
static void put_plain(struct perfetto_slices *slices, struct sequence *sequence,
		      uint64_t time_ns, enum event_type type, uint64_t name)
{
	uint8_t *at = perfetto_out_room(slices->out, PERFETTO_EVENT_MOST);

	if (!at)
		return;
	perfetto_out_took(slices->out,
			  perfetto_event_write(at, time_ns - sequence->last_ns,
					       type, name, &sequence->tail));
	sequence->last_ns = time_ns;
}

static bool is_plain(const struct sequence *sequence, const struct span *span)
{
	return span->time_ns >= sequence->last_ns && !span->note_count &&
	       !span->flow && is_named(sequence, span->number);
}

static void perfetto_slices_begin(struct perfetto_slices *slices,
				  const struct span_track *track,
				  const struct span *span)
{
	struct sequence *sequence = sequence_of(slices, track);

	if (!sequence)
		return;
	if (is_plain(sequence, span))
		put_plain(slices, sequence, span->time_ns, EVENT_BEGIN,
			  (uint64_t)span->number + 1);
	else
		put_event(slices, sequence, track, span, EVENT_BEGIN);
	slices->count++;
}

static void perfetto_slices_mark(struct perfetto_slices *slices,
				 const struct span_track *track,
				 const struct span *span)
{
	struct sequence *sequence = sequence_of(slices, track);

	if (!sequence)
		return;
	put_event(slices, sequence, track, span, EVENT_INSTANT);
	slices->count++;
}

static void perfetto_slices_end(struct perfetto_slices *slices,
				const struct span_track *track,
				uint64_t time_ns)
{
	struct sequence *sequence = sequence_of(slices, track);

	if (!sequence)
		return;
	if (time_ns >= sequence->last_ns)
		put_plain(slices, sequence, time_ns, EVENT_END, 0);
	else
		put_early_end(slices, sequence, track, time_ns);
}

struct perfetto_writer {
	struct span_writer writer;
	struct timeline_context context;
	struct perfetto_out out;
	struct perfetto_wakeups wakeups;
	struct perfetto_slices slices;
	struct perfetto_tracks tracks;
	struct perfetto_counters counters;
};

static struct perfetto_writer *of_writer(struct span_writer *writer)
{
	return (struct perfetto_writer *)writer;
}

/* Returns whether spans of @track are written: running tasks are ftrace's task
 * switches instead.
 */
static bool is_written(const struct span_track *track)
{
	return track->kind != SPAN_CPU_TASKS;
}

static void announce(struct span_writer *writer, const struct span_track *track,
		     uint64_t time_ns)
{
	struct perfetto_writer *perfetto = of_writer(writer);

	if (!is_written(track))
		return;
	perfetto_slices_add(&perfetto->slices, track, time_ns);
	perfetto_tracks_add(&perfetto->tracks, track, time_ns);
}

static void begin(struct span_writer *writer, const struct span_track *track,
		  const struct span *span)
{
	if (is_written(track))
		perfetto_slices_begin(&of_writer(writer)->slices, track, span);
}

static void end(struct span_writer *writer, const struct span_track *track,
		uint64_t time_ns)
{
	if (is_written(track))
		perfetto_slices_end(&of_writer(writer)->slices, track, time_ns);
}

static void mark(struct span_writer *writer, const struct span_track *track,
		 const struct span *span)
{
	perfetto_slices_mark(&of_writer(writer)->slices, track, span);
}

static void switched(struct span_writer *writer,
		     const struct span_switch *event)
{
	struct perfetto_writer *perfetto = of_writer(writer);

	perfetto_sched_switch(&perfetto->out, perfetto->context.names, event);
}

static void waking(struct span_writer *writer, const struct track_waking *event)
{
	perfetto_wakeups_consume(&of_writer(writer)->wakeups, event);
}

static void blocked(struct span_writer *writer,
		    const struct track_blocked *event)
{
	perfetto_wakeups_blocked(&of_writer(writer)->wakeups, event,
				 span_name(writer, event->function));
}

static void count(struct span_writer *writer, const struct track_count *value)
{
	perfetto_counters_consume(&of_writer(writer)->counters, value);
}

static int finish(struct span_writer *writer)
{
	struct perfetto_writer *perfetto = of_writer(writer);
	int status;
	int next;

	perfetto_write_processes(&perfetto->out, perfetto->context.names);
	perfetto_out_end(&perfetto->out);
	if (perfetto->context.summary)
		*perfetto->context.summary = (struct timeline_summary){
			.slices = perfetto->slices.count,
			.bytes = perfetto->out.bytes,
		};
	status = perfetto->out.status;
	next = perfetto_wakeups_end(&perfetto->wakeups);
	status = status ? status : next;
	next = perfetto_slices_free(&perfetto->slices);
	status = status ? status : next;
	next = perfetto_tracks_end(&perfetto->tracks);
	free(perfetto);
	return status ? status : next;
}

static struct step_callback *
open_perfetto(const struct timeline_context *context)
{
	struct perfetto_writer *perfetto = calloc(1, sizeof(*perfetto));

	if (!perfetto)
		return NULL;
	perfetto->writer = (struct span_writer){
		.announce = announce,
		.begin = begin,
		.end = end,
		.mark = mark,
		.switched = switched,
		.waking = waking,
		.blocked = blocked,
		.count = count,
		.finish = finish,
	};
	perfetto->context = *context;
	perfetto->out =
		perfetto_out_of(context->out, context->may_start_thread);
	perfetto->wakeups = perfetto_wakeups_of(&perfetto->out, context->names);
	perfetto->slices =
		perfetto_slices_of(&perfetto->out, &perfetto->writer);
	perfetto->counters.out = &perfetto->out;
	perfetto->tracks = perfetto_tracks_of(&perfetto->out, context->names);
	return span_export_open(context, &perfetto->writer);
}

const struct timeline_renderer export_perfetto = {
	.command = "export",
	.format = "perfetto",
	.needs_time = true,
	.open = open_perfetto,
	.close = span_export_close,
	.side_tracks = span_export_side_tracks,
};
