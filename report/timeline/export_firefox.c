/* SPDX-License-Identifier: MIT */
/* The processed profile of Firefox Profiler, version 70, as JSON. Source:
 * docs-developer/CHANGELOG-formats.md and src/types/profile.ts of
 * github.com/firefox-devtools/profiler.
 *
 *  functions of a thread or fiber --> samples of a thread
 *  tracks beside them, CPUs       --> markers
 *
 * A sample is an interval when one stack did not change: its weight is the
 * time that the thread was traced in it. The format has one list per column, by
 * thread, so all samples are in memory until the end: 24 bytes each.
 */
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/maps.h"
#include "report/steps/call_step.h"
#include "report/text/name_text.h"
#include "report/text/record_writer.h"
#include "report/text/task_names.h"
#include "report/timeline/span_export.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* PROCESSED_PROFILE_VERSION and GECKO_PROFILE_VERSION of constants.ts. */
enum { PROFILE_VERSION = 70, GECKO_VERSION = 36 };

/* Categories of frames, then of markers by enum span_track_kind. */
enum { CATEGORY_KERNEL = 1, CATEGORY_USER, CATEGORY_TRACKS };

struct sample {
	uint64_t time_ns;
	uint64_t weight_ns;
	uint64_t stack; /* index of a stack + 1; 0: the thread left its CPU */
};

/* A marker is an instant, or has an end: MarkerPhase of gecko-profile.ts. */
struct marker {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint32_t name; /* number of its string */
	uint8_t category;
	bool is_instant;
	size_t notes; /* offset in the notes, a text that ends with 0 */
};

/* A track: a thread of the profile, unless it is beside a thread's functions. */
struct firefox_track {
	struct span_track track; /* number 0: none has this number */
	/* Copy of track.task, which ends before the profile is written; the
	 * process of a task may become known late.
	 */
	struct task task;
	uint64_t stack;	      /* as in struct sample */
	struct array samples; /* struct sample */
	struct array markers; /* struct marker */
	struct array open;    /* size_t: markers without their end, by depth */
};

/* The time of a task up to its last call event. */
struct task_clock {
	uint64_t time_ns;
	uint64_t clock_ns; /* the part of it that was traced */
	uint64_t track;	   /* the track with its open functions; 0: none yet */
};

struct stack {
	uint64_t parent; /* as in struct sample */
	uint32_t function;
};

struct firefox {
	struct span_writer writer;
	struct timeline_context context;
	struct array tracks;	      /* struct firefox_track by number */
	struct array clocks;	      /* struct task_clock by task index */
	struct array stacks;	      /* struct stack, parents first */
	struct number_map find_stack; /* index + 1 by parent and function */
	struct array functions;	      /* uint32_t: by number of their frame */
	struct number_map find_function; /* index + 1 by function */
	struct string_pool *strings;
	struct byte_buffer notes; /* of all markers */
	uint64_t first_ns;
	uint64_t last_ns;
	int status; /* 0, or -ERROR_MEMORY */
};

static struct firefox *of_writer(struct span_writer *writer)
{
	return (struct firefox *)writer;
}

static void announce(struct span_writer *writer, const struct span_track *track,
		     uint64_t time_ns)
{
	struct firefox *firefox = of_writer(writer);
	struct firefox_track *added =
		array_reach(&firefox->tracks, track->number);

	if (!firefox->first_ns || time_ns < firefox->first_ns)
		firefox->first_ns = time_ns;
	if (!added) {
		firefox->status = -ERROR_MEMORY;
		return;
	}
	added->track = *track;
	if (track->task)
		added->task = *track->task;
	added->samples = ARRAY_OF(struct sample);
	added->markers = ARRAY_OF(struct marker);
	added->open = ARRAY_OF(size_t);
}

/* Returns NULL if memory had run out when the track was announced. */
static struct firefox_track *track_at(struct firefox *firefox, uint64_t number)
{
	struct firefox_track *track =
		number < firefox->tracks.count ?
			array_at(&firefox->tracks, number) :
			NULL;

	return track && track->track.number ? track : NULL;
}

static void append(struct firefox *firefox, struct array *array,
		   const void *item)
{
	if (array_append(array, item) < 0)
		firefox->status = -ERROR_MEMORY;
}

/* Returns the number of @function's frame, from 0. */
static uint64_t frame_of(struct firefox *firefox, uint32_t function)
{
	uint64_t *index = number_map_add(&firefox->find_function, function);

	if (!index) {
		firefox->status = -ERROR_MEMORY;
		return 0;
	}
	if (!*index) {
		append(firefox, &firefox->functions, &function);
		*index = firefox->functions.count;
	}
	return *index ? *index - 1 : 0;
}

/* Returns the stack of @function called by @parent; 0 when out of memory. */
static uint64_t stack_of(struct firefox *firefox, uint64_t parent,
			 uint32_t function)
{
	const struct stack stack = {
		.parent = parent,
		.function = (uint32_t)frame_of(firefox, function),
	};
	uint64_t *index = number_map_add(&firefox->find_stack,
					 parent << 32 | stack.function);

	if (!index) {
		firefox->status = -ERROR_MEMORY;
		return 0;
	}
	if (!*index) {
		append(firefox, &firefox->stacks, &stack);
		*index = firefox->stacks.count;
	}
	return *index;
}

/* Adds the traced time of the task since its previous call event, as a sample
 * of the stack that was open.
 */
static void add_time(struct firefox *firefox, const struct call_step *step)
{
	struct task_clock *clock =
		array_reach(&firefox->clocks, step->task->index);
	struct firefox_track *track;

	if (!clock) {
		firefox->status = -ERROR_MEMORY;
		return;
	}
	track = track_at(firefox, clock->track);
	if (track && track->stack && step->clock_ns > clock->clock_ns)
		append(firefox, &track->samples,
		       &(struct sample){ clock->time_ns,
					 step->clock_ns - clock->clock_ns,
					 track->stack });
	clock->time_ns = step->time_ns;
	clock->clock_ns = step->clock_ns;
	if (firefox->last_ns < step->time_ns)
		firefox->last_ns = step->time_ns;
}

static void change(struct span_writer *writer, const struct span_track *where,
		   const struct call_step *step)
{
	struct firefox *firefox = of_writer(writer);
	struct firefox_track *track = track_at(firefox, where->number);
	struct task_clock *clock;

	add_time(firefox, step);
	clock = array_reach(&firefox->clocks, step->task->index);
	if (!track || !clock)
		return;
	clock->track = where->number;
	track->task = *where->task;
	if (step->kind == STEP_ENTER)
		track->stack = stack_of(firefox, track->stack, step->function);
	else if (track->stack)
		track->stack = ((struct stack *)array_at(&firefox->stacks,
							 track->stack - 1))
				       ->parent;
}

/* A sample without a stack ends the graph of a thread that leaves its CPU. */
static void run(struct span_writer *writer, const struct call_step *step)
{
	struct firefox *firefox = of_writer(writer);
	const struct task_clock *clock;
	struct firefox_track *track;

	add_time(firefox, step);
	clock = array_reach(&firefox->clocks, step->task->index);
	track = clock ? track_at(firefox, clock->track) : NULL;
	if (track && step->kind == STEP_LEAVE)
		append(firefox, &track->samples,
		       &(struct sample){ .time_ns = step->time_ns });
}

static void put_quoted(struct byte_buffer *out, const char *text)
{
	char quoted[SPAN_NAME_BYTES * NAME_GROWTH];
	size_t size = name_text(quoted, NAME_JSON, text,
				strnlen(text, SPAN_NAME_BYTES));

	byte_buffer_add(out, "\"", 1);
	byte_buffer_add(out, quoted, size);
	byte_buffer_add(out, "\"", 1);
}

static void put_text(struct byte_buffer *out, const char *text)
{
	byte_buffer_add(out, text, strlen(text));
}

static size_t put_notes(struct byte_buffer *out, const struct span *span)
{
	size_t start = out->size;
	char number[32];

	for (size_t i = 0; i < span->note_count; i++) {
		const struct span_note *note = &span->notes[i];

		snprintf(number, sizeof(number), "%" PRIu64, note->number);
		put_text(out, ",\"");
		put_text(out, span_note_text(note->name));
		put_text(out, "\":");
		put_quoted(out, note->text ? note->text : number);
	}
	byte_buffer_zeros(out, 1);
	return start;
}

/* Returns the number of @name in the list of strings. */
static uint32_t string_of(struct firefox *firefox, const char *name)
{
	uint32_t number = string_pool_add(firefox->strings, name,
					  strnlen(name, SPAN_NAME_BYTES));

	if (number == STRING_POOL_NONE)
		firefox->status = -ERROR_MEMORY;
	return number;
}

static void add_marker(struct firefox *firefox, struct firefox_track *track,
		       const struct span *span, bool is_instant)
{
	const char *name = span->name ?
				   span->name :
				   span_name(&firefox->writer, span->number);
	const struct marker marker = {
		.begin_ns = span->time_ns,
		.end_ns = span->time_ns,
		.name = string_of(firefox, name),
		.category = (uint8_t)(CATEGORY_TRACKS + track->track.kind),
		.is_instant = is_instant,
		.notes = put_notes(&firefox->notes, span),
	};

	append(firefox, &track->markers, &marker);
}

static void begin(struct span_writer *writer, const struct span_track *where,
		  const struct span *span)
{
	struct firefox *firefox = of_writer(writer);
	struct firefox_track *track = track_at(firefox, where->number);

	if (!track)
		return;
	append(firefox, &track->open, &track->markers.count);
	add_marker(firefox, track, span, false);
}

static void end(struct span_writer *writer, const struct span_track *where,
		uint64_t time_ns)
{
	struct firefox_track *track =
		track_at(of_writer(writer), where->number);
	struct marker *marker;
	const size_t *open;

	if (!track || !track->open.count)
		return;
	open = array_at(&track->open, track->open.count - 1);
	marker = array_at(&track->markers, *open);
	track->open.count--;
	marker->end_ns = time_ns;
}

static void mark(struct span_writer *writer, const struct span_track *where,
		 const struct span *span)
{
	struct firefox_track *track =
		track_at(of_writer(writer), where->number);

	if (track)
		add_marker(of_writer(writer), track, span, true);
}

/* Writes a time as milliseconds with all nanoseconds. */
static void write_ms(FILE *out, uint64_t time_ns)
{
	fprintf(out, "%" PRIu64 ".%06" PRIu64, time_ns / 1000000,
		time_ns % 1000000);
}

/* Writes @name and a list of @count numbers, all of them @value. */
static void write_same(FILE *out, const char *name, size_t count,
		       const char *value)
{
	fprintf(out, ",\n\"%s\":[", name);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%s", i ? "," : "", value);
	fputc(']', out);
}

static void write_samples(FILE *out, const struct array *samples)
{
	const struct sample *list = samples->items;

	fprintf(out,
		"\"samples\":{\"length\":%zu,\"weightType\":\"tracing-ms\","
		"\n\"stack\":[",
		samples->count);
	for (size_t i = 0; i < samples->count; i++)
		if (list[i].stack)
			fprintf(out, "%s%" PRIu64, i ? "," : "",
				list[i].stack - 1);
		else
			fputs(i ? ",null" : "null", out);
	fputs("],\n\"time\":[", out);
	for (size_t i = 0; i < samples->count; i++) {
		fputs(i ? "," : "", out);
		write_ms(out, list[i].time_ns);
	}
	fputs("],\n\"threadCPUDelta\":[", out);
	for (size_t i = 0; i < samples->count; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "",
			i ? list[i - 1].weight_ns : 0);
	fputs("],\n\"weight\":[", out);
	for (size_t i = 0; i < samples->count; i++) {
		fputs(i ? "," : "", out);
		write_ms(out, list[i].weight_ns);
	}
	fputs("]}", out);
}

static void write_marker_data(const struct firefox *firefox,
			      const struct array *markers)
{
	const struct marker *list = markers->items;
	FILE *out = firefox->context.out;

	fputs("],\n\"data\":[", out);
	for (size_t i = 0; i < markers->count; i++)
		fprintf(out, "%s{\"type\":\"span\"%s}", i ? ",\n" : "",
			(const char *)firefox->notes.bytes + list[i].notes);
}

static void write_markers(const struct firefox *firefox,
			  const struct array *markers)
{
	const struct marker *list = markers->items;
	FILE *out = firefox->context.out;

	fprintf(out, ",\n\"markers\":{\"length\":%zu,\n\"name\":[",
		markers->count);
	for (size_t i = 0; i < markers->count; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "", list[i].name);
	fputs("],\n\"category\":[", out);
	for (size_t i = 0; i < markers->count; i++)
		fprintf(out, "%s%d", i ? "," : "", list[i].category);
	fputs("],\n\"phase\":[", out);
	for (size_t i = 0; i < markers->count; i++)
		fprintf(out, "%s%d", i ? "," : "", !list[i].is_instant);
	fputs("],\n\"startTime\":[", out);
	for (size_t i = 0; i < markers->count; i++) {
		fputs(i ? "," : "", out);
		write_ms(out, list[i].begin_ns);
	}
	fputs("],\n\"endTime\":[", out);
	for (size_t i = 0; i < markers->count; i++) {
		fputs(i ? "," : "", out);
		write_ms(out, list[i].end_ns);
	}
	write_marker_data(firefox, markers);
	fputs("]}", out);
}

/* Moves the markers of tracks beside functions to the functions' thread. */
static void join_markers(struct firefox *firefox)
{
	for (size_t i = 1; i < firefox->tracks.count; i++) {
		struct firefox_track *from = track_at(firefox, i);
		struct firefox_track *to =
			from ? track_at(firefox, from->track.parent) : NULL;

		for (size_t k = 0; to && k < from->markers.count; k++)
			append(firefox, &to->markers,
			       array_at(&from->markers, k));
	}
}

/* Writes the ids and names of a thread and its process; CPUs are threads of a
 * process of their own.
 */
static void write_ids(const struct firefox *firefox,
		      const struct firefox_track *thread)
{
	const struct span_track *track = &thread->track;
	const struct task *task = track->task ? &thread->task : NULL;
	int32_t tid = task ? task->tid : 0;
	int32_t pid = task && task->pid > 0 ? task->pid : tid;
	FILE *out = firefox->context.out;

	fputs("{\"processType\":\"default\",\"name\":", out);
	json_string(out, track->name);
	fputs(",\"processName\":", out);
	json_string(out, !task ? "CPUs" :
			 pid > 0 ?
				 task_names_last(firefox->context.names, pid) :
				 "idle");
	if (!task)
		fprintf(out, ",\"pid\":\"CPUs\",\"tid\":\"%s\"", track->name);
	else if (track->kind == SPAN_FIBER)
		fprintf(out, ",\"pid\":\"%d\",\"tid\":\"%s\"", pid,
			track->name);
	else if (tid > 0)
		fprintf(out, ",\"pid\":\"%d\",\"tid\":%d", pid, tid);
	else
		fprintf(out, ",\"pid\":\"0\",\"tid\":\"%s\"", track->name);
	fprintf(out, ",\"isMainThread\":%s",
		tid > 0 && tid == pid && track->kind == SPAN_TASK ? "true" :
								    "false");
}

static void write_thread(const struct firefox *firefox,
			 struct firefox_track *track)
{
	FILE *out = firefox->context.out;

	array_sort_by(&track->markers, KEYS(RISING(struct marker, begin_ns),
					    FALLING(struct marker, end_ns)));
	write_ids(firefox, track);
	fputs(",\"pausedRanges\":[],\"processStartupTime\":0,"
	      "\"processShutdownTime\":null,\"registerTime\":0,"
	      "\"unregisterTime\":null,\n",
	      out);
	write_samples(out, &track->samples);
	write_markers(firefox, &track->markers);
	fputc('}', out);
}

static void write_threads(struct firefox *firefox)
{
	FILE *out = firefox->context.out;
	const char *before = ",\n\"threads\":[\n";

	for (size_t i = 1; i < firefox->tracks.count; i++) {
		struct firefox_track *track = track_at(firefox, i);

		if (!track || track->track.parent)
			continue;
		fputs(before, out);
		write_thread(firefox, track);
		before = ",\n";
	}
	fputs(*before == ',' && before[2] == '"' ? ",\n\"threads\":[]" : "]",
	      out);
}

/* The schema of all markers: the notes that any has. */
static void write_schema(FILE *out)
{
	fputs(",\n\"markerSchema\":[{\"name\":\"span\","
	      "\"chartLabel\":\"{marker.name}\","
	      "\"tableLabel\":\"{marker.name}\","
	      "\"tooltipLabel\":\"{marker.name}\","
	      "\"display\":[\"marker-chart\",\"marker-table\"],\"fields\":[",
	      out);
	for (uint8_t i = 0; i < SPAN_NOTES; i++)
		fprintf(out,
			"%s{\"key\":\"%s\",\"label\":\"%s\","
			"\"format\":\"string\"}",
			i ? "," : "", span_note_text(i), span_note_text(i));
	fputs("]}]", out);
}

static void write_meta(const struct firefox *firefox)
{
	static const char *const categories[][2] = {
		{ "Other", "grey" },
		{ "Kernel", "orange" },
		{ "User", "green" },
		[CATEGORY_TRACKS + SPAN_TASK] = { "Function", "grey" },
		[CATEGORY_TRACKS + SPAN_CALLS] = { "System call", "blue" },
		[CATEGORY_TRACKS + SPAN_SLEEPS] = { "Sleep", "purple" },
		[CATEGORY_TRACKS + SPAN_THROTTLED] = { "Throttled", "red" },
		[CATEGORY_TRACKS + SPAN_SPINS] = { "Spin", "magenta" },
		[CATEGORY_TRACKS + SPAN_READ_CALLS] = { "Arguments", "blue" },
		[CATEGORY_TRACKS + SPAN_BLOCK] = { "Block I/O", "yellow" },
		[CATEGORY_TRACKS + SPAN_WORK] = { "Kernel work", "brown" },
		[CATEGORY_TRACKS + SPAN_CPU_TASKS] = { "Task", "green" },
		[CATEGORY_TRACKS + SPAN_CPU_TRACE] = { "Not traced", "red" },
		[CATEGORY_TRACKS +
			SPAN_CPU_INTERRUPTS] = { "Interrupt", "lightblue" },
		[CATEGORY_TRACKS +
			SPAN_CPU_INTERRUPTS_OFF] = { "Interrupts off", "red" },
		[CATEGORY_TRACKS + SPAN_CPU_PREEMPTION_OFF] = { "Preemption "
								"off",
								"orange" },
	};
	FILE *out = firefox->context.out;

	fprintf(out,
		"{\"meta\":{\"preprocessedProfileVersion\":%d,\"version\":%d,"
		"\"product\":\"ktrace-hw\",\"processType\":0,\"stackwalk\":1,"
		"\"interval\":0.001,\"startTime\":0,\"symbolicated\":true,"
		"\"keepProfileThreadOrder\":true,\"sampleUnits\":{"
		"\"time\":\"ms\",\"eventDelay\":\"ms\","
		"\"threadCPUDelta\":\"ns\"},\"profilingStartTime\":",
		PROFILE_VERSION, GECKO_VERSION);
	write_ms(out, firefox->first_ns);
	fputs(",\"profilingEndTime\":", out);
	write_ms(out, firefox->last_ns);
	fputs(",\n\"categories\":[", out);
	for (size_t i = 0; i < sizeof(categories) / sizeof(*categories); i++)
		fprintf(out,
			"%s{\"name\":\"%s\",\"color\":\"%s\","
			"\"subcategories\":[\"Other\"]}",
			i ? ",\n" : "", categories[i][0], categories[i][1]);
	fputc(']', out);
	write_schema(out);
	fputs("},\n\"libs\":[]", out);
}

static void write_stacks(const struct firefox *firefox)
{
	const struct stack *stacks = firefox->stacks.items;
	size_t count = firefox->stacks.count;
	FILE *out = firefox->context.out;

	fprintf(out,
		",\n\"shared\":{\"stackTable\":{\"length\":%zu,\"frame\":[",
		count);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "", stacks[i].function);
	fputs("],\n\"prefixOffset\":[", out);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "",
			stacks[i].parent ? i + 1 - stacks[i].parent : 0);
	fputs("]}", out);
}

/* Writes the frames: each function has one, of the same number. */
static void write_frames(const struct firefox *firefox)
{
	const uint32_t *functions = firefox->functions.items;
	size_t count = firefox->functions.count;
	FILE *out = firefox->context.out;

	fprintf(out, ",\n\"frameTable\":{\"length\":%zu,\"func\":[", count);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%zu", i ? "," : "", i);
	fputs("],\n\"category\":[", out);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%d", i ? "," : "",
			function_at(firefox->context.functions, functions[i])
						->space == 'u' ?
				CATEGORY_USER :
				CATEGORY_KERNEL);
	fputc(']', out);
	write_same(out, "address", count, "-1");
	write_same(out, "lib", count, "-1");
	write_same(out, "inlineDepth", count, "0");
	write_same(out, "subcategory", count, "0");
	write_same(out, "nativeSymbol", count, "null");
	write_same(out, "innerWindowID", count, "null");
	write_same(out, "line", count, "null");
	write_same(out, "column", count, "null");
	write_same(out, "originalLocation", count, "null");
	fputc('}', out);
}

/* Writes the functions' numbers of strings, then the tables without rows. */
static void write_functions(struct firefox *firefox)
{
	const uint32_t *functions = firefox->functions.items;
	size_t count = firefox->functions.count;
	FILE *out = firefox->context.out;

	fprintf(out, ",\n\"funcTable\":{\"length\":%zu,\"name\":[", count);
	for (size_t i = 0; i < count; i++) {
		const char *name = span_name(&firefox->writer, functions[i]);

		fprintf(out, "%s%" PRIu32, i ? "," : "",
			string_of(firefox, name));
	}
	fputc(']', out);
	write_same(out, "isJS", count, "false");
	write_same(out, "relevantForJS", count, "false");
	write_same(out, "resource", count, "-1");
	write_same(out, "source", count, "null");
	write_same(out, "lineNumber", count, "null");
	write_same(out, "columnNumber", count, "null");
	write_same(out, "originalLocation", count, "null");
	fputs("},\n\"resourceTable\":{\"length\":0,\"name\":[],\"host\":[],"
	      "\"type\":[]},\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],"
	      "\"address\":[],\"name\":[],\"functionSize\":[]},\n\"sources\":{"
	      "\"length\":0,\"id\":[],\"filename\":[],\"startLine\":[],"
	      "\"startColumn\":[],\"sourceMapURL\":[],\"content\":[]},\n"
	      "\"sourceLocationTable\":{\"length\":0,\"source\":[],"
	      "\"line\":[],\"column\":[]}",
	      out);
}

static void write_strings(const struct firefox *firefox)
{
	FILE *out = firefox->context.out;

	fputs(",\n\"stringArray\":[", out);
	for (uint32_t i = 0; i < string_pool_count(firefox->strings); i++) {
		fputs(i ? ",\n" : "", out);
		json_string(out, string_pool_text(firefox->strings, i));
	}
	fputs("]}", out);
}

static void write_profile(struct firefox *firefox)
{
	join_markers(firefox);
	write_meta(firefox);
	write_threads(firefox);
	write_stacks(firefox);
	write_frames(firefox);
	write_functions(firefox);
	write_strings(firefox);
	fputs("}\n", firefox->context.out);
}

static void free_firefox(struct firefox *firefox)
{
	for (size_t i = 1; i < firefox->tracks.count; i++) {
		struct firefox_track *track = track_at(firefox, i);

		if (!track)
			continue;
		array_free(&track->samples);
		array_free(&track->markers);
		array_free(&track->open);
	}
	array_free(&firefox->tracks);
	array_free(&firefox->clocks);
	array_free(&firefox->stacks);
	array_free(&firefox->functions);
	number_map_free(&firefox->find_stack);
	number_map_free(&firefox->find_function);
	string_pool_free(firefox->strings);
	byte_buffer_free(&firefox->notes);
	free(firefox);
}

static int finish(struct span_writer *writer)
{
	struct firefox *firefox = of_writer(writer);
	int status;

	write_profile(firefox);
	status = firefox->notes.failed ? -ERROR_MEMORY : firefox->status;
	free_firefox(firefox);
	return status;
}

static struct step_callback *
open_firefox(const struct timeline_context *context)
{
	struct firefox *firefox = calloc(1, sizeof(*firefox));

	if (!firefox)
		return NULL;
	firefox->strings = string_pool_new();
	if (!firefox->strings) {
		free(firefox);
		return NULL;
	}
	firefox->writer = (struct span_writer){
		.announce = announce,
		.change = change,
		.begin = begin,
		.end = end,
		.mark = mark,
		.run = run,
		.finish = finish,
	};
	firefox->context = *context;
	firefox->tracks = ARRAY_OF(struct firefox_track);
	firefox->clocks = ARRAY_OF(struct task_clock);
	firefox->stacks = ARRAY_OF(struct stack);
	firefox->functions = ARRAY_OF(uint32_t);
	return span_export_open(context, &firefox->writer);
}

const struct timeline_renderer export_firefox = {
	.command = "export",
	.format = "firefox",
	.default_min_ns = 1000,
	.needs_time = true,
	.open = open_firefox,
	.close = span_export_close,
	.side_tracks = span_export_side_tracks,
};
