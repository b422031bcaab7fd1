/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "report/text/line_buffer.h"
#include "report/text/name_text.h"
#include "report/timeline/span_export.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Trace Event Format, its JSON object form. CPUs are shown as processes with
 * ids above any process's (PID_MAX_LIMIT is 4194304).
 */
enum {
	CPU_TASKS_PID = 4194305,
	CPU_TRACE_PID = 4194306,
	CPU_INTERRUPTS_PID = 4194307,
	BLOCK_PID = 4194308,
	CPU_INTERRUPTS_OFF_PID = 4194309,
	CPU_PREEMPTION_OFF_PID = 4194310,
};

/* A track of kind k (enum span_track_kind) has the thread id k * SIDE_TIDS +
 * the thread's id or, for a fiber, the fiber's number.
 */
enum { SIDE_TIDS = 10000000 };

/* Maximum size of an event without the function's name. */
enum { EVENT_BYTES = 256 };

struct chrome_writer {
	struct span_writer writer;
	struct line_buffer out;
	bool has_events;
	struct array names; /* struct escaped_name by function */
	struct array rows;  /* struct row_text by track number */
	struct array opens; /* struct open_names by track number */
	int status;	    /* 0, or -ERROR_MEMORY */
};

/* The names and notes of a track's open spans: their ends repeat both, because
 * speedscope warns of an end whose name or arguments are not those of the
 * innermost span.
 */
struct open_names {
	bool is_known;
	struct array names; /* struct open_name */
};

struct open_name {
	uint32_t function; /* if text is NULL */
	char *text;	   /* owned */
	char *notes;	   /* owned; NULL if there are none */
};

/* A function's name, quoted and escaped; cached. */
struct escaped_name {
	char *text; /* NULL: not cached yet */
	size_t size;
};

struct ids {
	int32_t pid;
	int32_t tid;
};

/* The processes that the tracks of CPUs are shown as, by kind. */
static const struct cpu_process {
	int32_t pid;
	const char *name;
} cpu_processes[SPAN_TRACK_KINDS] = {
	[SPAN_CPU_TASKS] = { CPU_TASKS_PID, "CPUs" },
	[SPAN_CPU_TRACE] = { CPU_TRACE_PID, "trace of CPUs" },
	[SPAN_CPU_INTERRUPTS] = { CPU_INTERRUPTS_PID, "interrupts" },
	[SPAN_BLOCK] = { BLOCK_PID, "block I/O" },
	[SPAN_CPU_INTERRUPTS_OFF] = { CPU_INTERRUPTS_OFF_PID,
				      "interrupts off" },
	[SPAN_CPU_PREEMPTION_OFF] = { CPU_PREEMPTION_OFF_PID,
				      "preemption off" },
};

static struct ids ids_of(const struct span_track *track)
{
	const struct task *task = track->task;
	int32_t side = (int32_t)track->kind * SIDE_TIDS;

	if (!task)
		return (struct ids){ cpu_processes[track->kind].pid,
				     (int32_t)track->cpu };
	if (track->kind == SPAN_FIBER)
		return (struct ids){ task->pid, side + (int32_t)fiber_number(
							       track->fiber) };
	/* Each CPU has an idle task of its own. */
	if (task->tid <= 0)
		return (struct ids){ 0, side + task->cpu };
	return (struct ids){ task->pid > 0 ? task->pid : task->tid,
			     side + task->tid };
}

enum { ROW_BYTES = 48 };

/* The text with which events name their track; remade when the process of the
 * track's task becomes known.
 */
struct row_text {
	struct ids ids;
	size_t size; /* 0: not cached yet */
	char text[ROW_BYTES];
};

static inline char *put(char *at, const char *text)
{
	size_t size = strlen(text);

	memcpy(at, text, size);
	return at + size;
}

static void make_row(struct row_text *row, struct ids ids)
{
	char *at = put(row->text, "\",\"pid\":");

	at += digits_signed(at, ids.pid);
	at = put(at, ",\"tid\":");
	at += digits_signed(at, ids.tid);
	row->ids = ids;
	row->size = (size_t)(at - row->text);
}

static char *put_row(struct chrome_writer *chrome, char *at,
		     const struct span_track *track)
{
	struct row_text once = { .size = 0 };
	struct row_text *row =
		track->number < chrome->rows.count ?
			(struct row_text *)chrome->rows.items + track->number :
			array_reach(&chrome->rows, track->number);
	struct ids ids = ids_of(track);

	row = row ? row : &once;
	if (!row->size || row->ids.pid != ids.pid || row->ids.tid != ids.tid)
		make_row(row, ids);
	memcpy(at, row->text, ROW_BYTES);
	return at + row->size;
}

/* Starts an event in a buffer of EVENT_BYTES. Returns the position after its
 * first fields; the caller continues there and calls end_event().
 */
static char *begin_event(struct chrome_writer *chrome, char phase,
			 const struct span_track *track)
{
	char *at = line_buffer_room(&chrome->out, EVENT_BYTES);

	*at = ',';
	at += chrome->has_events;
	chrome->has_events = true;
	at = put(at, "\n{\"ph\":\"");
	*at++ = phase;
	return put_row(chrome, at, track);
}

static void end_event(struct chrome_writer *chrome, const char *at)
{
	chrome->out.size = (size_t)(at - chrome->out.bytes);
}

/* Writes a time in microseconds with three decimals, so that no nanosecond is
 * lost.
 */
static char *put_time(char *at, uint64_t time_ns)
{
	at = put(at, ",\"ts\":");
	at += digits_decimal(at, time_ns / 1000);
	*at++ = '.';
	digits_padded(at, time_ns % 1000, 3);
	return at + 3;
}

/* Size of the quotes around a name. */
enum { QUOTE_BYTES = 2 };

/* Writes @name to @text, whose size is NAME_GROWTH times the name's plus
 * QUOTE_BYTES.
 */
static size_t quote(char *text, const char *name)
{
	size_t size = name_text(text + 1, NAME_JSON, name,
				strnlen(name, SPAN_NAME_BYTES));

	text[0] = '"';
	text[size + 1] = '"';
	return size + QUOTE_BYTES;
}

static void write_quoted(struct line_buffer *out, const char *name)
{
	char text[SPAN_NAME_BYTES * NAME_GROWTH + QUOTE_BYTES];

	line_buffer_put(out, text, quote(text, name));
}

static void make_name(struct escaped_name *escaped, const char *name)
{
	size_t length = strnlen(name, SPAN_NAME_BYTES);

	escaped->text = malloc(length * NAME_GROWTH + QUOTE_BYTES);
	if (escaped->text)
		escaped->size = quote(escaped->text, name);
}

/* Writes a function's name, from the cache of escaped names. When out of
 * memory, the name is escaped each time.
 */
static void write_function(struct chrome_writer *chrome, uint32_t function)
{
	struct escaped_name *items = chrome->names.items;
	struct escaped_name *escaped =
		function < chrome->names.count ?
			items + function :
			array_reach(&chrome->names, function);

	if (escaped && !escaped->text)
		make_name(escaped, span_name(&chrome->writer, function));
	if (escaped && escaped->text)
		line_buffer_put(&chrome->out, escaped->text, escaped->size);
	else
		write_quoted(&chrome->out,
			     span_name(&chrome->writer, function));
}

static void name_it(struct chrome_writer *chrome,
		    const struct span_track *track, const char *what,
		    const char *name)
{
	char *at = begin_event(chrome, 'M', track);

	at = put(at, ",\"name\":\"");
	at = put(at, what);
	end_event(chrome, put(at, "\",\"args\":{\"name\":"));
	write_quoted(&chrome->out, name);
	line_buffer_put(&chrome->out, "}}", 2);
}

static void announce(struct span_writer *writer, const struct span_track *track,
		     uint64_t time_ns)
{
	struct chrome_writer *chrome = (struct chrome_writer *)writer;
	char name[sizeof(track->name) + 32];

	(void)time_ns;
	snprintf(name, sizeof(name), "%s %s", track->name,
		 track->side ? track->side : "");
	name_it(chrome, track, "thread_name",
		track->parent ? name : track->name);
	if (!track->task)
		name_it(chrome, track, "process_name",
			cpu_processes[track->kind].name);
	else if (track->kind == SPAN_TASK && track->task->tid > 0 &&
		 track->task->tid == track->task->pid)
		name_it(chrome, track, "process_name", track->name);
}

/* Returns the member "args" of an event, which the caller frees; NULL when out of
 * memory.
 */
static char *made_notes(const struct span *span)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; out && i < span->note_count; i++) {
		const struct span_note *note = &span->notes[i];

		fprintf(out, "%s\"%s\":", i ? "," : ",\"args\":{",
			span_note_text(note->name));
		if (note->text) {
			fputc('"', out);
			name_write_part(out, NAME_JSON, note->text,
					strnlen(note->text, SPAN_NAME_BYTES));
			fputc('"', out);
		} else {
			fprintf(out, "%" PRIu64, note->number);
		}
	}
	if (out) {
		fputc('}', out);
		fclose(out);
	}
	return text;
}

static struct array *open_names_of(struct chrome_writer *chrome,
				   const struct span_track *track)
{
	struct open_names *opens = array_reach(&chrome->opens, track->number);

	if (!opens)
		return NULL;
	if (!opens->is_known)
		opens->names = ARRAY_OF(struct open_name);
	opens->is_known = true;
	return &opens->names;
}

/* Keeps the span's name, and owns @notes. */
static void push_name(struct chrome_writer *chrome,
		      const struct span_track *track, const struct span *span,
		      char *notes)
{
	struct array *names = open_names_of(chrome, track);
	struct open_name *open = names ? array_add(names) : NULL;

	if (!open) {
		free(notes);
		chrome->status = -ERROR_MEMORY;
		return;
	}
	open->function = span->number;
	open->text = span->name ? strdup(span->name) : NULL;
	open->notes = notes;
	if (span->name && !open->text)
		chrome->status = -ERROR_MEMORY;
}

/* Writes the name and the notes of the track's innermost span, which ends. */
static void write_ended(struct chrome_writer *chrome,
			const struct span_track *track)
{
	struct array *names = open_names_of(chrome, track);
	struct open_name *open;

	if (!names || !names->count)
		return;
	open = array_at(names, names->count - 1);
	names->count--;
	line_buffer_text(&chrome->out, ",\"name\":");
	if (open->text)
		write_quoted(&chrome->out, open->text);
	else
		write_function(chrome, open->function);
	if (open->notes)
		line_buffer_text(&chrome->out, open->notes);
	free(open->text);
	free(open->notes);
}

static void begin(struct span_writer *writer, const struct span_track *track,
		  const struct span *span)
{
	struct chrome_writer *chrome = (struct chrome_writer *)writer;
	char *at = begin_event(chrome, 'B', track);
	char *notes = span->note_count ? made_notes(span) : NULL;

	if (span->note_count && !notes)
		chrome->status = -ERROR_MEMORY;
	at = put(put_time(at, span->time_ns), ",\"cat\":\"");
	end_event(chrome, put(put(at, span->category), "\",\"name\":"));
	if (span->name)
		write_quoted(&chrome->out, span->name);
	else
		write_function(chrome, span->number);
	if (notes)
		line_buffer_text(&chrome->out, notes);
	line_buffer_put(&chrome->out, "}", 1);
	line_buffer_end(&chrome->out);
	push_name(chrome, track, span, notes);
}

static void end(struct span_writer *writer, const struct span_track *track,
		uint64_t time_ns)
{
	struct chrome_writer *chrome = (struct chrome_writer *)writer;
	char *at = begin_event(chrome, 'E', track);

	end_event(chrome, put_time(at, time_ns));
	write_ended(chrome, track);
	line_buffer_put(&chrome->out, "}", 1);
	line_buffer_end(&chrome->out);
}

static void free_open_names(struct open_names *opens)
{
	for (size_t i = 0; opens->is_known && i < opens->names.count; i++) {
		struct open_name *open = array_at(&opens->names, i);

		free(open->text);
		free(open->notes);
	}
	if (opens->is_known)
		array_free(&opens->names);
}

static int finish(struct span_writer *writer)
{
	struct chrome_writer *chrome = (struct chrome_writer *)writer;
	int status = chrome->status;

	line_buffer_text(&chrome->out, "\n]}\n");
	line_buffer_flush(&chrome->out);
	for (size_t i = 0; i < chrome->names.count; i++) {
		struct escaped_name *escaped = array_at(&chrome->names, i);

		free(escaped->text);
	}
	for (size_t i = 0; i < chrome->opens.count; i++)
		free_open_names(array_at(&chrome->opens, i));
	array_free(&chrome->names);
	array_free(&chrome->rows);
	array_free(&chrome->opens);
	free(chrome);
	return status;
}

static struct step_callback *open_chrome(const struct timeline_context *context)
{
	struct chrome_writer *chrome = calloc(1, sizeof(*chrome));

	if (!chrome)
		return NULL;
	chrome->writer = (struct span_writer){
		.announce = announce,
		.begin = begin,
		.end = end,
		.finish = finish,
	};
	chrome->names = ARRAY_OF(struct escaped_name);
	chrome->rows = ARRAY_OF(struct row_text);
	chrome->opens = ARRAY_OF(struct open_names);
	line_buffer_start(&chrome->out, context->out);
	line_buffer_text(&chrome->out,
			 "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	return span_export_open(context, &chrome->writer);
}

const struct timeline_renderer export_chrome = {
	.command = "export",
	.format = "chrome",
	.default_min_ns = 1000,
	.needs_time = true,
	.open = open_chrome,
	.close = span_export_close,
	.side_tracks = span_export_side_tracks,
};
