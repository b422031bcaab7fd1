/* SPDX-License-Identifier: MIT */
/* A trace in the Common Trace Format, version 1.8: read by babeltrace2 and
 * Trace Compass. Source: diamon.org/ctf/v1.8.3. Events that LTTng has too have
 * its names and fields, which Trace Compass's analyses of Linux look for.
 * Version 2 needs babeltrace2 2.1, which Debian 12 does not have.
 *
 *  functions, switches, gaps ----------> FOLDER/cpuN: streamed
 *  system calls, sleeps, interrupts, --> FOLDER/cpuN_kernel: sorted at the end,
 *  wake-ups                              since they arrive in any order
 *  names of system calls seen ---------> FOLDER/metadata, written last
 *
 * Invariants:
 * 1. A stream's times never decrease: an earlier event gets the time of the
 *    event before it.
 * 2. An event of cpuN_kernel is on the CPU on which its thread ran last then.
 *
 * Memory: a packet for each stream; of cpuN_kernel and of each switch about 50
 * bytes an event, and its fields.
 */
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/output_folder.h"
#include "common/maps.h"
#include "report/steps/call_step.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "report/timeline/span_export.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Packets end at the first event that starts after this many bytes. */
enum { PACKET_BYTES = 1 << 16 };

#define MAGIC 0xc1fc1fc1u

/* The events whose names are fixed; a pair for each system call follows. */
enum ctf_event {
	FUNC_ENTRY,
	FUNC_EXIT,
	SCHED_SWITCH,
	SCHED_WAKING,
	SCHED_WAKEUP_NEW,
	TRACE_PAUSE,
	TRACE_RESUME,
	SLEEP_ENTRY,
	SLEEP_EXIT,
	RUNNABLE_ENTRY,
	RUNNABLE_EXIT,
	INTERRUPT_ENTRY,
	INTERRUPT_EXIT,
	THROTTLED_ENTRY,
	THROTTLED_EXIT,
	SPIN_ENTRY,
	SPIN_EXIT,
	BLOCK_ENTRY,
	BLOCK_EXIT,
	READ_CALL_ENTRY,
	READ_CALL_EXIT,
	INTERRUPTS_OFF_ENTRY,
	INTERRUPTS_OFF_EXIT,
	PREEMPTION_OFF_ENTRY,
	PREEMPTION_OFF_EXIT,
	FIRST_CALL,
};

#define OFF_ENTRY_FIELDS \
	"string _function; string _kind; int64_t _on_pid; int64_t _on_tid; " \
	"uint64_t _uncertain_ns; string _delayed;"
#define OFF_EXIT_FIELDS "string _function; string _kind;"

/* Names and fields in TSDL, the language of the metadata. Readers strip the
 * underscore, which keeps names from being keywords.
 */
static const struct {
	const char *name;
	const char *fields;
} events[FIRST_CALL] = {
	[FUNC_ENTRY] = { "func_entry", "string _function; uint32_t _depth;" },
	[FUNC_EXIT] = { "func_exit", "string _function; uint32_t _depth;" },
	[SCHED_SWITCH] = { "sched_switch",
			   "string _prev_comm; int32_t _prev_tid; "
			   "int32_t _prev_prio; int64_t _prev_state; "
			   "string _next_comm; int32_t _next_tid; "
			   "int32_t _next_prio;" },
	[SCHED_WAKING] = { "sched_waking", "string _comm; int32_t _tid;" },
	[SCHED_WAKEUP_NEW] = { "sched_wakeup_new",
			       "string _comm; int32_t _tid;" },
	[TRACE_PAUSE] = { "trace_pause",
			  "string _reason; uint64_t _lost_bytes; "
			  "uint64_t _offset;" },
	[TRACE_RESUME] = { "trace_resume", "" },
	[SLEEP_ENTRY] = { "sleep_entry",
			  "string _function; string _inner; string _waker; "
			  "uint64_t _is_cut;" },
	[SLEEP_EXIT] = { "sleep_exit", "string _function;" },
	[RUNNABLE_ENTRY] = { "runnable_entry", "" },
	[RUNNABLE_EXIT] = { "runnable_exit", "" },
	[INTERRUPT_ENTRY] = { "interrupt_entry",
			      "string _function; string _kind; int64_t _irq; "
			      "int64_t _on_pid; int64_t _on_tid;" },
	[INTERRUPT_EXIT] = { "interrupt_exit",
			     "string _function; string _kind;" },
	[THROTTLED_ENTRY] = { "throttled_entry", "" },
	[THROTTLED_EXIT] = { "throttled_exit", "" },
	[SPIN_ENTRY] = { "spin_entry",
			 "string _kind; string _function; uint64_t _own_ns; "
			 "string _ended_by;" },
	[SPIN_EXIT] = { "spin_exit", "string _kind;" },
	[BLOCK_ENTRY] = { "block_io_entry",
			  "string _operation; string _function; "
			  "int64_t _on_pid; int64_t _on_tid; "
			  "uint64_t _sector; uint64_t _bytes;" },
	[BLOCK_EXIT] = { "block_io_exit", "string _operation;" },
	[READ_CALL_ENTRY] = { "call_entry",
			      "string _function; string _arguments;" },
	[READ_CALL_EXIT] = { "call_exit", "string _function; string _result;" },
	[INTERRUPTS_OFF_ENTRY] = { "interrupts_off_entry", OFF_ENTRY_FIELDS },
	[INTERRUPTS_OFF_EXIT] = { "interrupts_off_exit", OFF_EXIT_FIELDS },
	[PREEMPTION_OFF_ENTRY] = { "preemption_off_entry", OFF_ENTRY_FIELDS },
	[PREEMPTION_OFF_EXIT] = { "preemption_off_exit", OFF_EXIT_FIELDS },
};

#define CALL_ENTRY_FIELDS "string _arguments;"
#define CALL_EXIT_FIELDS "int64_t _ret; string _result; string _end;"

/* A file of packets. */
struct stream {
	struct byte_buffer events; /* of the packet under construction */
	uint64_t first_ns;	   /* of the packet */
	uint64_t last_ns;	   /* of the stream */
	bool exists;		   /* the file has a packet */
};

/* An event of cpuN_kernel, stored until the end; or a switch, which shows on
 * which CPU the following events of its thread are.
 */
struct kernel_event {
	uint64_t time_ns; /* first: number_sort() */
	int32_t pid;
	int32_t tid;
	uint32_t cpu; /* UINT32_MAX: of its thread */
	/* enum ctf_event; SCHED_SWITCH: tid runs on cpu from here on */
	uint32_t id;
	size_t payload; /* offset of the fields */
	size_t size;
};

/* The open spans of a track: struct kernel_event of their ends, by depth. */
struct open_spans {
	struct array ends;
};

struct ctf {
	struct span_writer writer;
	struct timeline_context context;
	struct array streams;	   /* struct stream by CPU */
	struct array kernel;	   /* struct stream by CPU */
	struct array events;	   /* struct kernel_event */
	struct byte_buffer fields; /* the fields of events */
	struct array open;	   /* struct open_spans by track number */
	struct string_pool *calls; /* names of system calls */
	uint64_t count;		   /* events written */
	uint64_t bytes;		   /* written */
	int status;		   /* 0, -ERROR_MEMORY, or -ERROR_SYSTEM */
};

static struct ctf *of_writer(struct span_writer *writer)
{
	return (struct ctf *)writer;
}

static void fail(struct ctf *ctf, int status)
{
	ctf->status = ctf->status ? ctf->status : status;
}

/* Appends a text with its NUL, as UTF-8. */
static void put_text(struct byte_buffer *out, const char *text)
{
	char bytes[SPAN_NAME_BYTES * NAME_GROWTH];

	byte_buffer_add(out, bytes,
			name_text(bytes, NAME_UTF8, text,
				  strnlen(text, SPAN_NAME_BYTES)));
	byte_buffer_zeros(out, 1);
}

static void put_i32(struct byte_buffer *out, int32_t value)
{
	byte_buffer_u32(out, (uint32_t)value);
}

/* Appends the packet's header and context, as in write_layout(). */
static void put_head(struct byte_buffer *out, const struct stream *stream,
		     uint32_t cpu, bool is_kernel)
{
	enum { HEAD_BYTES = 52 };
	uint64_t bits = 8 * ((uint64_t)HEAD_BYTES + stream->events.size);

	byte_buffer_u32(out, MAGIC);
	byte_buffer_u32(out, 0);
	byte_buffer_u64(out, 2 * (uint64_t)cpu + is_kernel);
	byte_buffer_u64(out, stream->first_ns);
	byte_buffer_u64(out, stream->last_ns);
	byte_buffer_u64(out, bits);
	byte_buffer_u64(out, bits);
	byte_buffer_u32(out, cpu);
}

static bool append(const struct ctf *ctf, struct stream *stream,
		   const char *name, const struct byte_buffer *head)
{
	const struct output_folder *folder = ctf->context.folder;
	int fd = stream->exists ? output_folder_reopen(folder, name,
						       O_WRONLY | O_APPEND) :
				  output_folder_create(folder, name);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "ab");
	bool is_written = false;

	if (!file)
		return false;
	stream->exists = true;
	is_written = fwrite(head->bytes, 1, head->size, file) == head->size &&
		     fwrite(stream->events.bytes, 1, stream->events.size,
			    file) == stream->events.size;
	return fclose(file) == 0 && is_written;
}

/* Writes the packet. The file is opened for each: there may be more CPUs than a
 * process may have open files.
 */
static void flush_packet(struct ctf *ctf, struct stream *stream, uint32_t cpu,
			 bool is_kernel)
{
	struct byte_buffer head = { 0 };
	char name[32];

	if (!stream->events.size || ctf->status)
		return;
	if (cpu == UINT32_MAX)
		snprintf(name, sizeof(name), "unknown_cpu%s",
			 is_kernel ? "_kernel" : "");
	else
		snprintf(name, sizeof(name), "cpu%u%s", cpu,
			 is_kernel ? "_kernel" : "");
	put_head(&head, stream, cpu, is_kernel);
	if (head.failed || stream->events.failed)
		fail(ctf, -ERROR_MEMORY);
	else if (!append(ctf, stream, name, &head))
		fail(ctf, output_folder_fail(ctf->context.folder, name,
					     ctf->context.log));
	ctf->bytes += head.size + stream->events.size;
	stream->events.size = 0;
	byte_buffer_free(&head);
}

/* Starts an event, whose fields the caller appends. Returns NULL when out of
 * memory.
 */
static struct byte_buffer *put_event(struct ctf *ctf, bool is_kernel,
				     uint32_t cpu,
				     const struct kernel_event *event)
{
	struct stream *stream = array_reach(
		is_kernel ? &ctf->kernel : &ctf->streams, cpu_slot(cpu));
	struct byte_buffer *out;

	if (!stream) {
		fail(ctf, -ERROR_MEMORY);
		return NULL;
	}
	if (stream->events.size >= PACKET_BYTES)
		flush_packet(ctf, stream, cpu, is_kernel);
	if (stream->last_ns < event->time_ns)
		stream->last_ns = event->time_ns;
	out = &stream->events;
	if (!out->size)
		stream->first_ns = stream->last_ns;
	byte_buffer_u32(out, event->id);
	byte_buffer_u64(out, stream->last_ns);
	put_i32(out, event->pid);
	put_i32(out, event->tid);
	ctf->count++;
	return out;
}

/* Writes a function's entry or exit. */
static void change(struct span_writer *writer, const struct span_track *track,
		   const struct call_step *step)
{
	struct ctf *ctf = of_writer(writer);
	const struct kernel_event event = {
		.time_ns = step->time_ns,
		.pid = step->task->pid,
		.tid = step->task->tid,
		.id = step->kind == STEP_ENTER ? FUNC_ENTRY : FUNC_EXIT,
	};
	struct byte_buffer *out = put_event(ctf, false, step->cpu, &event);

	(void)track;
	if (!out)
		return;
	put_text(out, span_name(writer, step->function));
	byte_buffer_u32(out, step->depth);
}

static void add_kernel(struct ctf *ctf, const struct kernel_event *event)
{
	if (array_append(&ctf->events, event) < 0)
		fail(ctf, -ERROR_MEMORY);
}

/* include/linux/sched.h: TASK_RUNNING, TASK_INTERRUPTIBLE, and the priority of
 * threads without a nice value. The trace has neither.
 */
enum { STATE_RUNNABLE = 0, STATE_ASLEEP = 1, USUAL_PRIORITY = 120 };

static void switched(struct span_writer *writer, const struct span_switch *how)
{
	struct ctf *ctf = of_writer(writer);
	const struct task_names *names = ctf->context.names;
	const struct kernel_event event = {
		.time_ns = how->time_ns,
		.pid = task_names_process(names, how->prev_tid),
		.tid = how->prev_tid,
		.id = SCHED_SWITCH,
	};
	struct byte_buffer *out = put_event(ctf, false, how->cpu, &event);

	if (!out)
		return;
	put_text(out, task_names_comm(names, how->prev_tid, how->time_ns));
	put_i32(out, how->prev_tid);
	put_i32(out, USUAL_PRIORITY);
	byte_buffer_u64(out, how->is_preempted || !how->prev_tid ?
				     STATE_RUNNABLE :
				     STATE_ASLEEP);
	put_text(out, task_names_comm(names, how->next_tid, how->time_ns));
	put_i32(out, how->next_tid);
	put_i32(out, USUAL_PRIORITY);
	add_kernel(ctf, &(struct kernel_event){ .time_ns = how->time_ns,
						.tid = how->next_tid,
						.cpu = how->cpu,
						.id = SCHED_SWITCH });
}

static void waking(struct span_writer *writer,
		   const struct track_waking *waking)
{
	struct ctf *ctf = of_writer(writer);
	const struct task_names *names = ctf->context.names;
	struct kernel_event event = {
		.time_ns = waking->time_ns,
		.pid = task_names_process(names, waking->waker_tid),
		.tid = waking->waker_tid,
		.cpu = waking->cpu,
		.id = waking->is_new ? SCHED_WAKEUP_NEW : SCHED_WAKING,
		.payload = ctf->fields.size,
	};

	put_text(&ctf->fields,
		 task_names_comm(names, waking->tid, waking->time_ns));
	put_i32(&ctf->fields, waking->tid);
	event.size = ctf->fields.size - event.payload;
	add_kernel(ctf, &event);
}

static const struct span_note *find_note(const struct span *span, uint8_t name)
{
	static const struct span_note none = { .text = "" };

	for (size_t i = 0; i < span->note_count; i++)
		if (span->notes[i].name == name)
			return &span->notes[i];
	return &none;
}

static const char *name_of(const struct ctf *ctf, const struct span *span)
{
	return span->name ? span->name : span_name(&ctf->writer, span->number);
}

/* A field of a span's event: a note, as text or as number, or the span's name;
 * 0 ends a list of fields.
 */
enum { NUMBER_FIELD = 0x40, NAME_FIELD = 0x80 };

#define TEXT(note) ((note) + 1)
#define NUMBER(note) (NUMBER_FIELD | TEXT(note))
#define OFF_ENTRY_NOTES \
	{ \
		NAME_FIELD, TEXT(NOTE_KIND), NUMBER(NOTE_ON_PID), \
			NUMBER(NOTE_ON_TID), NUMBER(NOTE_UNCERTAIN_NS), \
			TEXT(NOTE_DELAYED) \
	}

/* The fields of the events of a span's start and end, in the order of
 * events[].fields. The last two rows are for system calls.
 */
static const uint8_t span_fields[FIRST_CALL + 2][7] = {
	[SLEEP_ENTRY] = { NAME_FIELD, TEXT(NOTE_INNER), TEXT(NOTE_WAKER),
			  NUMBER(NOTE_IS_CUT) },
	[SLEEP_EXIT] = { NAME_FIELD },
	[INTERRUPT_ENTRY] = { NAME_FIELD, TEXT(NOTE_KIND), NUMBER(NOTE_IRQ),
			      NUMBER(NOTE_ON_PID), NUMBER(NOTE_ON_TID) },
	[INTERRUPT_EXIT] = { NAME_FIELD, TEXT(NOTE_KIND) },
	[SPIN_ENTRY] = { NAME_FIELD, TEXT(NOTE_FUNCTION), NUMBER(NOTE_OWN_NS),
			 TEXT(NOTE_ENDED_BY) },
	[SPIN_EXIT] = { NAME_FIELD },
	[BLOCK_ENTRY] = { NAME_FIELD, TEXT(NOTE_FUNCTION), NUMBER(NOTE_ON_PID),
			  NUMBER(NOTE_ON_TID), NUMBER(NOTE_SECTOR),
			  NUMBER(NOTE_BYTES) },
	[BLOCK_EXIT] = { NAME_FIELD },
	[READ_CALL_ENTRY] = { NAME_FIELD, TEXT(NOTE_ARGUMENTS) },
	[READ_CALL_EXIT] = { NAME_FIELD, TEXT(NOTE_RESULT) },
	[INTERRUPTS_OFF_ENTRY] = OFF_ENTRY_NOTES,
	[INTERRUPTS_OFF_EXIT] = { NAME_FIELD, TEXT(NOTE_KIND) },
	[PREEMPTION_OFF_ENTRY] = OFF_ENTRY_NOTES,
	[PREEMPTION_OFF_EXIT] = { NAME_FIELD, TEXT(NOTE_KIND) },
	[FIRST_CALL] = { TEXT(NOTE_ARGUMENTS) },
	[FIRST_CALL + 1] = { NUMBER(NOTE_RESULT), TEXT(NOTE_RESULT),
			     TEXT(NOTE_END) },
};

/* Returns the event that starts a span beside functions; its end is the next. */
static uint32_t entry_of(struct ctf *ctf, const struct span_track *track,
			 const struct span *span)
{
	/* 0 for other kinds, which are interrupt work */
	static const uint8_t entries[SPAN_TRACK_KINDS] = {
		[SPAN_SLEEPS] = SLEEP_ENTRY,
		[SPAN_THROTTLED] = THROTTLED_ENTRY,
		[SPAN_SPINS] = SPIN_ENTRY,
		[SPAN_BLOCK] = BLOCK_ENTRY,
		[SPAN_READ_CALLS] = READ_CALL_ENTRY,
		[SPAN_CPU_INTERRUPTS_OFF] = INTERRUPTS_OFF_ENTRY,
		[SPAN_CPU_PREEMPTION_OFF] = PREEMPTION_OFF_ENTRY,
	};
	const char *name = name_of(ctf, span);
	uint32_t number;

	if (track->kind == SPAN_SLEEPS && !strcmp(span->category, "runnable"))
		return RUNNABLE_ENTRY;
	if (track->kind != SPAN_CALLS)
		return entries[track->kind] ? entries[track->kind] :
					      INTERRUPT_ENTRY;
	number = string_pool_add(ctf->calls, name,
				 strnlen(name, SPAN_NAME_BYTES));
	if (number == STRING_POOL_NONE) {
		fail(ctf, -ERROR_MEMORY);
		return RUNNABLE_ENTRY;
	}
	return FIRST_CALL + 2 * number;
}

/* Writes the fields of event @id, for @span. */
static void put_fields(struct ctf *ctf, uint32_t id, const struct span *span)
{
	uint32_t row = id < FIRST_CALL ? id :
					 FIRST_CALL + (id - FIRST_CALL) % 2;

	for (const uint8_t *field = span_fields[row]; *field; field++) {
		const struct span_note *note =
			find_note(span, (*field & ~NUMBER_FIELD) - 1);

		if (*field == NAME_FIELD)
			put_text(&ctf->fields, name_of(ctf, span));
		else if (*field & NUMBER_FIELD)
			byte_buffer_u64(&ctf->fields, note->number);
		else
			put_text(&ctf->fields, note->text);
	}
}

static void begin_span(struct ctf *ctf, const struct span_track *track,
		       const struct span *span)
{
	struct open_spans *open = array_reach(&ctf->open, track->number);
	const struct task *task = track->task;
	struct kernel_event event = {
		.time_ns = span->time_ns,
		.pid = task ? task->pid : -1,
		.tid = task ? task->tid : -1,
		.cpu = task ? UINT32_MAX : track->cpu,
		.id = entry_of(ctf, track, span),
		.payload = ctf->fields.size,
	};

	put_fields(ctf, event.id, span);
	event.size = ctf->fields.size - event.payload;
	add_kernel(ctf, &event);
	event.payload = ctf->fields.size;
	put_fields(ctf, ++event.id, span);
	event.size = ctf->fields.size - event.payload;
	if (!open) {
		fail(ctf, -ERROR_MEMORY);
		return;
	}
	open->ends.item_size = sizeof(event);
	if (array_append(&open->ends, &event) < 0)
		fail(ctf, -ERROR_MEMORY);
}

/* Writes TRACE_PAUSE, with the reason in @span; or TRACE_RESUME if @span is
 * NULL.
 */
static void change_trace(struct ctf *ctf, const struct span_track *track,
			 uint64_t time_ns, const struct span *span)
{
	const struct kernel_event event = {
		.time_ns = time_ns,
		.pid = -1,
		.tid = -1,
		.id = span ? TRACE_PAUSE : TRACE_RESUME,
	};
	struct byte_buffer *out = put_event(ctf, false, track->cpu, &event);

	if (!out || !span)
		return;
	put_text(out, name_of(ctf, span));
	byte_buffer_u64(out, find_note(span, NOTE_LOST_BYTES)->number);
	byte_buffer_u64(out, find_note(span, NOTE_OFFSET)->number);
}

static void announce(struct span_writer *writer, const struct span_track *track,
		     uint64_t time_ns)
{
	(void)writer;
	(void)track;
	(void)time_ns;
}

static void begin(struct span_writer *writer, const struct span_track *track,
		  const struct span *span)
{
	if (track->kind == SPAN_CPU_TRACE)
		change_trace(of_writer(writer), track, span->time_ns, span);
	else if (track->kind != SPAN_CPU_TASKS)
		begin_span(of_writer(writer), track, span);
}

static void end(struct span_writer *writer, const struct span_track *track,
		uint64_t time_ns)
{
	struct ctf *ctf = of_writer(writer);
	struct open_spans *open = track->number < ctf->open.count ?
					  array_at(&ctf->open, track->number) :
					  NULL;
	struct kernel_event *event;

	if (track->kind == SPAN_CPU_TRACE) {
		change_trace(ctf, track, time_ns, NULL);
	} else if (open && open->ends.count) {
		event = array_at(&open->ends, open->ends.count - 1);
		event->time_ns = time_ns;
		add_kernel(ctf, event);
		open->ends.count--;
	}
}

/* Writes the events of cpuN_kernel, each on its thread's CPU. */
static void write_kernel(struct ctf *ctf)
{
	struct number_map cpus = { 0 }; /* by thread: its CPU + 1 */
	struct byte_buffer *out;
	uint64_t *cpu;

	if (number_sort(&ctf->events) < 0)
		fail(ctf, -ERROR_MEMORY);
	for (size_t i = 0; !ctf->status && i < ctf->events.count; i++) {
		const struct kernel_event *event = array_at(&ctf->events, i);

		cpu = number_map_add(&cpus, (uint32_t)event->tid);
		if (!cpu) {
			fail(ctf, -ERROR_MEMORY);
		} else if (event->id == SCHED_SWITCH) {
			*cpu = (uint64_t)event->cpu + 1;
		} else {
			out = put_event(ctf, true,
					event->cpu != UINT32_MAX || !*cpu ?
						event->cpu :
						(uint32_t)(*cpu - 1),
					event);
			if (out)
				byte_buffer_add(
					out, ctf->fields.bytes + event->payload,
					event->size);
		}
	}
	number_map_free(&cpus);
}

static void flush_all(struct ctf *ctf, struct array *streams, bool is_kernel)
{
	struct stream *list = streams->items;

	for (size_t i = 0; i < streams->count; i++)
		flush_packet(ctf, &list[i], (uint32_t)i - 1, is_kernel);
}

/* Writes @name as a text of TSDL. */
static void write_quoted(FILE *out, const char *name)
{
	char text[SPAN_NAME_BYTES * NAME_GROWTH];
	size_t size = name_text(text, NAME_UTF8, name,
				strnlen(name, SPAN_NAME_BYTES));

	fputc('"', out);
	for (size_t i = 0; i < size; i++)
		if (text[i] == '"' || text[i] == '\\')
			fprintf(out, "\\%c", text[i]);
		else
			fputc((unsigned char)text[i] < ' ' ? '?' : text[i],
			      out);
	fputc('"', out);
}

static void write_layout(FILE *out, uint64_t epoch_ns)
{
	fprintf(out,
		"/* CTF 1.8 */\n"
		"typealias integer { size = 32; align = 8; } := uint32_t;\n"
		"typealias integer { size = 64; align = 8; } := uint64_t;\n"
		"typealias integer { size = 32; align = 8; signed = true; } "
		":= int32_t;\n"
		"typealias integer { size = 64; align = 8; signed = true; } "
		":= int64_t;\n"
		"trace { major = 1; minor = 8; byte_order = le; "
		"packet.header := struct { uint32_t magic; uint32_t stream_id; "
		"uint64_t stream_instance_id; }; };\n"
		"env { domain = \"kernel\"; tracer_name = \"ktrace-hw\"; };\n"
		"clock { name = \"recording\"; freq = 1000000000; "
		"offset = %" PRIu64 "; };\n"
		"typealias integer { size = 64; align = 8; "
		"map = clock.recording.value; } := time_t;\n"
		"stream { id = 0; event.header := struct { uint32_t id; "
		"time_t timestamp; }; event.context := struct { int32_t _pid; "
		"int32_t _tid; }; packet.context := struct { "
		"time_t timestamp_begin; time_t timestamp_end; "
		"uint64_t content_size; uint64_t packet_size; "
		"uint32_t cpu_id; }; };\n",
		epoch_ns);
}

static void write_event(FILE *out, uint32_t id, const char *prefix,
			const char *name, const char *fields)
{
	char text[SPAN_NAME_BYTES + sizeof("syscall_entry_")];

	snprintf(text, sizeof(text), "%s%s", prefix, name);
	fputs("event { name = ", out);
	write_quoted(out, text);
	fprintf(out,
		"; id = %" PRIu32 "; stream_id = 0; fields := struct { %s }; "
		"};\n",
		id, fields);
}

static void write_metadata(FILE *out, const void *context)
{
	const struct ctf *ctf = context;

	write_layout(out, ctf->context.epoch_ns);
	for (uint32_t i = 0; i < FIRST_CALL; i++)
		write_event(out, i, "", events[i].name, events[i].fields);
	for (uint32_t i = 0; i < string_pool_count(ctf->calls); i++) {
		const char *name = string_pool_text(ctf->calls, i);
		uint32_t id = FIRST_CALL + 2 * i;

		write_event(out, id, "syscall_entry_", name, CALL_ENTRY_FIELDS);
		write_event(out, id + 1, "syscall_exit_", name,
			    CALL_EXIT_FIELDS);
	}
}

static void write_rest(struct ctf *ctf)
{
	if (ctf->fields.failed)
		fail(ctf, -ERROR_MEMORY);
	write_kernel(ctf);
	flush_all(ctf, &ctf->streams, false);
	flush_all(ctf, &ctf->kernel, true);
	if (!ctf->status)
		ctf->status = output_folder_write(ctf->context.folder,
						  "metadata", write_metadata,
						  ctf, ctf->context.log);
	if (ctf->context.summary)
		*ctf->context.summary = (struct timeline_summary){
			.slices = ctf->count,
			.bytes = ctf->bytes,
		};
}

static void free_streams(struct array *streams)
{
	for (size_t i = 0; i < streams->count; i++)
		byte_buffer_free(
			&((struct stream *)array_at(streams, i))->events);
	array_free(streams);
}

static int finish(struct span_writer *writer)
{
	struct ctf *ctf = of_writer(writer);
	int status;

	if (ctf->calls)
		write_rest(ctf);
	status = ctf->status;
	for (size_t i = 0; i < ctf->open.count; i++)
		array_free(
			&((struct open_spans *)array_at(&ctf->open, i))->ends);
	array_free(&ctf->open);
	free_streams(&ctf->streams);
	free_streams(&ctf->kernel);
	array_free(&ctf->events);
	byte_buffer_free(&ctf->fields);
	string_pool_free(ctf->calls);
	free(ctf);
	return status;
}

static struct step_callback *open_ctf(const struct timeline_context *context)
{
	struct ctf *ctf = calloc(1, sizeof(*ctf));

	if (!ctf)
		return NULL;
	ctf->writer = (struct span_writer){
		.announce = announce,
		.change = change,
		.begin = begin,
		.end = end,
		.switched = switched,
		.waking = waking,
		.finish = finish,
	};
	ctf->context = *context;
	ctf->streams = ARRAY_OF(struct stream);
	ctf->kernel = ARRAY_OF(struct stream);
	ctf->events = ARRAY_OF(struct kernel_event);
	ctf->open = ARRAY_OF(struct open_spans);
	ctf->calls = string_pool_new();
	if (ctf->calls)
		return span_export_open(context, &ctf->writer);
	finish(&ctf->writer);
	return NULL;
}

const struct timeline_renderer export_ctf = {
	.command = "export",
	.format = "ctf",
	.needs_time = true,
	.is_folder = true,
	.open = open_ctf,
	.close = span_export_close,
	.side_tracks = span_export_side_tracks,
};
