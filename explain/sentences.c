/* SPDX-License-Identifier: MIT */
#include "explain/sentences_internal.h"

#include "attribution/calls/system_calls.h"
#include "attribution/events/known_events.h"
#include "decoder/recording/recording.h"
#include "report/text/duration_text.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sentences are in texts[], by enum link_kind and enum why. */

enum {
	MOST_DETAILS = 3,    /* parts of a cause in text */
	MANY_SLEEPS = 10,    /* from here on text has their number */
	NAMELESS_FILES = 16, /* files whose time without names is added up */
};

/* The texts of a cause: "%1" is the program, "%2" the program that it waited
 * for.
 */
struct why_text {
	const char *name; /* name of the cause in JSON and CSV */
	const char *noun; /* in sums of several programs' causes */
	const char *sentence;
	/* the sentence if the actor is unknown; NULL: there is none */
	const char *unknown_actor;
	const char *report; /* options of report that show the evidence */
};

static const struct why_text texts[WHY_COUNT] = {
	[LINK_USER] = { "user", "programs' own code", "%1 ran its own code",
			NULL, "--flat" },
	[LINK_CALL] = { "system_calls", "system calls",
			"%1 worked in system calls", NULL, "--syscalls" },
	[LINK_FAULT] = { "faults", "page faults",
			 "%1 was given memory (page faults)", NULL,
			 "--threads" },
	[LINK_INTERRUPT] = { "interrupts", "interrupts",
			     "%1 was interrupted: its CPU served devices and "
			     "timers",
			     NULL, "--interrupts" },
	[LINK_KERNEL] = { "kernel", "kernel work outside system calls",
			  "%1 ran in the kernel, outside system calls", NULL,
			  "--threads" },
	[LINK_TRACER] = { "tracer", "recording overhead",
			  "%1 was held up by being recorded", NULL,
			  "--with-tracer --threads" },
	[LINK_GUEST] = { "guest", "virtual machines",
			 "%1 ran a virtual machine", NULL, "--threads" },
	[LINK_CPU] = { "cpu", "waits for a CPU",
		       "%1 could run and had no CPU: %2 had it",
		       "%1 could run and had no CPU", "--runqueue" },
	[LINK_IDLE] = { "cpu_idle", "starts of idle CPUs",
			"%1 could run, and a CPU was idle until it started",
			NULL, "--runqueue" },
	[LINK_AFFINITY] = { "affinity", "waits for an allowed CPU",
			    "%1 could run, but its affinity allowed no idle "
			    "CPU: %2 ran",
			    "%1 could run, but its affinity allowed no idle "
			    "CPU",
			    "--runqueue" },
	[LINK_THROTTLED] = { "throttled", "throttling",
			     "%1 was throttled: its cgroup had used up its CPU "
			     "quota",
			     NULL, "--runqueue" },
	[LINK_RECORDER] = { "recorder", "waits for the recorder's CPU",
			    "%1 had no CPU: the recorder had it", NULL,
			    "--with-tracer --threads" },
	[LINK_DISK] = { "disk", "waits for the disk", "%1 waited for the disk",
			NULL, "--sleeps" },
	[LINK_NETWORK] = { "network", "waits for the network",
			   "%1 waited for the network", NULL, "--sleeps" },
	[LINK_TIMER] = { "timer", "sleeps until a timer",
			 "%1 slept until a timer expired", NULL, "--sleeps" },
	[LINK_OVER_HIGH] = { "memory_high", "delays by memory.high",
			     "%1 was slowed down: its cgroup used more than "
			     "its memory.high",
			     NULL, "--sleeps" },
	[LINK_DIRTY] = { "dirty", "delays by writeback",
			 "%1 was slowed down: it wrote faster than the disk",
			 NULL, "--sleeps" },
	[LINK_RECLAIM] = { "reclaim", "waits for free memory",
			   "%1 waited for the kernel to free memory", NULL,
			   "--sleeps" },
	[LINK_DEVICE] = { "device", "waits for devices or the kernel",
			  "%1 waited for a device, or for work of the kernel",
			  NULL, "--sleeps" },
	[LINK_WAIT] = { "wait", "sleeps without a known end",
			"%1 slept; what would wake it is not known", NULL,
			"--sleeps" },
	[LINK_UNKNOWN] = { "unknown", "not recorded",
			   "what %1 did is not in the recording", NULL,
			   "--threads" },
	[WHY_LOCK] = { "lock", "waits for locks",
		       "%1 waited for a lock that %2 held",
		       "%1 waited for a lock", "--sleeps" },
	[WHY_FUTEX] = { "futex", "waits for locks or signals",
			"%1 waited for a lock or a signal of %2",
			"%1 waited for a lock or a signal", "--sleeps" },
	[WHY_REPLY] = { "reply", "waits for other programs",
			"%1 waited for %2, another program",
			"%1 waited for another program", "--sleeps" },
	[WHY_INVERSION] = { "inversion", "priority inversion",
			    "%1 waited for a thread that had no CPU: %2, of "
			    "lower priority than %1, had it",
			    NULL, "--runqueue" },
	[WHY_HELPER] = { "helper", "waits for the kernel's threads",
			 "%1 waited for work of the kernel's threads", NULL,
			 "--sleeps" },
};

const char *why_name(uint32_t why)
{
	return texts[why].name;
}

/* Returns the greatest of @sums (by enum why), and removes it. */
static uint64_t take_greatest(uint64_t *sums, uint32_t *why)
{
	uint64_t ns;

	*why = 0;
	for (uint32_t i = 1; i < WHY_COUNT; i++)
		if (sums[i] > sums[*why])
			*why = i;
	ns = sums[*why];
	sums[*why] = 0;
	return ns;
}

void sentence_rest(struct text_line *line,
		   const struct explanation *explanation, size_t first)
{
	const struct array *causes = &explanation->causes.all.items;
	uint64_t sums[WHY_COUNT] = { 0 };
	const char *separator = "";

	for (size_t i = first; i < causes->count; i++) {
		const struct cause *cause = array_at(causes, i);

		sums[cause->why] += cause->ns;
	}
	for (int i = 0; i < MOST_DETAILS; i++) {
		uint32_t why;
		uint64_t ns = take_greatest(sums, &why);

		if (!ns)
			return;
		text_line_add(line, "%s%s %s", separator, texts[why].noun,
			      duration_text_of(ns).text);
		separator = ", ";
	}
}

void text_line_add(struct text_line *line, const char *format, ...)
{
	size_t room = sizeof(line->text) - line->size;
	va_list arguments;
	int size;

	va_start(arguments, format);
	size = vsnprintf(line->text + line->size, room, format, arguments);
	va_end(arguments);
	if (size > 0)
		line->size += (size_t)size < room ? (size_t)size : room - 1;
}

void text_line_part(struct text_line *line, const char *name, size_t length)
{
	char text[NAME_GROWTH * 64 + 1];

	text[name_text(text, NAME_TEXT, name, length < 64 ? length : 64)] =
		'\0';
	text_line_add(line, "%s", text);
}

void text_line_name(struct text_line *line, const char *name)
{
	text_line_part(line, name, strlen(name));
}

void text_line_write(struct text_line *line, FILE *out)
{
	if (line->size > WIDTH) {
		line->size = WIDTH - 3;
		/* Not within a character of several bytes. */
		while (line->size &&
		       ((unsigned char)line->text[line->size] & 0xc0) == 0x80)
			line->size--;
		strcpy(line->text + line->size, "...");
	}
	fprintf(out, "%s\n", line->text);
}

double sentence_seconds(const struct explanation *explanation, uint64_t time_ns)
{
	return (double)(int64_t)(time_ns - explanation->input->origin_ns) / 1e9;
}

void sentence_time(struct text_line *line,
		   const struct explanation *explanation, const char *before,
		   uint64_t time_ns)
{
	text_line_add(line, "%s%.6f", before,
		      sentence_seconds(explanation, time_ns));
}

const struct function_table *
explanation_functions(const struct explanation *explanation)
{
	return symbols_functions(explanation->input->symbols);
}

bool explanation_knows(const struct explanation *explanation, uint32_t function)
{
	return function != FUNCTION_UNKNOWN &&
	       function < function_count(explanation_functions(explanation));
}

const char *sentence_call_name(const struct explanation *explanation,
			       uint32_t call)
{
	uint32_t function =
		lives_call_function(explanation->causes.lives, call);
	const char *name =
		explanation_knows(explanation, function) ?
			system_call_name(
				explanation_functions(explanation),
				symbols_arch(explanation->input->symbols),
				function) :
			"?";

	return strcmp(name, "?") ? name : NULL;
}

const char *sentence_call_file(const struct explanation *explanation,
			       uint32_t call)
{
	return lives_call_file(explanation->causes.lives, call);
}

uint32_t sentence_refused(const struct explanation *explanation,
			  const struct cause_detail *detail)
{
	const char *name = sentence_call_name(explanation, detail->call);

	return name && strstr(name, "nanosleep") ? detail->refused :
						   FUNCTION_NONE;
}

/* Adds the file of a call. Of a long path only the end is added. */
static void add_file(struct text_line *line, const char *file)
{
	enum { MOST_FILE = 40 };
	const char *last = *file == '/' ? strrchr(file, '/') : NULL;
	size_t length = strlen(file);
	bool is_long = length > MOST_FILE;

	if (line->style == FILE_MANY) {
		text_line_add(line, " of several files");
		return;
	}
	text_line_add(line, " of ");
	if (last && last[1] && line->style == FILE_SHORT) {
		text_line_name(line, last + 1);
		return;
	}
	text_line_add(line, is_long ? "..." : "");
	text_line_name(line, is_long ? file + length - MOST_FILE : file);
}

/* Adds "fsync of /var/lib/db", or "fsync". Returns false if the call is not
 * known.
 */
static bool add_call(struct text_line *line,
		     const struct explanation *explanation, const char *before,
		     uint32_t call)
{
	const char *name = sentence_call_name(explanation, call);
	const char *file = sentence_call_file(explanation, call);

	if (!name)
		return false;
	text_line_add(line, "%s%s", before, name);
	if (file && line->style != FILE_NONE)
		add_file(line, file);
	return true;
}

/* Adds " called by save (ledger.c:41)": that is @relation, then the place. */
static void add_place(struct text_line *line,
		      const struct explanation *explanation,
		      const char *relation, uint32_t user, uint32_t offset)
{
	const struct function *function;
	struct source_line source;
	const char *file;

	if (!explanation_knows(explanation, user))
		return;
	function = function_at(explanation_functions(explanation), user);
	text_line_add(line, "%s", relation);
	text_line_name(line, function->name);
	if (!lines_find(explanation->input->lines, function, offset, &source))
		return;
	file = strrchr(source.file, '/');
	text_line_add(line, " (");
	text_line_name(line, file ? file + 1 : source.file);
	text_line_add(line, ":%d)", source.line);
}

static bool is_wait(uint32_t kind)
{
	return kind >= LINK_CPU;
}

/* Returns a text for the work of a thread outside of system calls, in the
 * kernel's @function; NULL if there is none.
 */
static const char *work_text(const struct explanation *explanation,
			     uint32_t function)
{
	static const struct {
		const char *function;
		const char *text;
	} works[] = {
		{ "do_coredump", "as it wrote its core dump" },
		{ "vfs_coredump", "as it wrote its core dump" },
		{ "do_exit", "as it ended" },
		{ "get_signal", "as it handled a signal" },
		{ "task_work_run", "in work that system calls had put off "
				   "(task_work_run)" },
	};

	for (size_t i = 0; i < sizeof(works) / sizeof(*works); i++)
		if (explanation_knows(explanation, function) &&
		    !strcmp(function_at(explanation_functions(explanation),
					function)
				    ->base,
			    works[i].function))
			return works[i].text;
	return NULL;
}

void sentence_sleep(struct text_line *line,
		    const struct explanation *explanation, uint32_t call,
		    uint32_t inside, uint32_t user, uint32_t user_offset)
{
	const char *work = work_text(explanation, inside);
	bool has_call = add_call(line, explanation, "in ", call);

	if (has_call)
		work = NULL;
	else if (work)
		text_line_add(line, "%s", work);
	else if (explanation_knows(explanation, inside))
		text_line_add(line, "in page faults");
	if (!work)
		add_place(line, explanation, has_call ? " called by " : " of ",
			  user, user_offset);
}

/* Adds @detail, a part of the work of the thread that the program waited for.
 */
static void add_meanwhile(struct text_line *line,
			  const struct explanation *explanation,
			  const struct cause_detail *detail)
{
	static const char *const doing[LINK_KINDS] = {
		[LINK_USER] = "ran its code",
		[LINK_CALL] = "was in a system call",
		[LINK_FAULT] = "was given memory",
		[LINK_INTERRUPT] = "was interrupted",
		[LINK_KERNEL] = "ran in the kernel",
		[LINK_TRACER] = "was held up by being recorded",
		[LINK_GUEST] = "ran a virtual machine",
		[LINK_CPU] = "had no CPU",
		[LINK_IDLE] = "had no CPU yet",
		[LINK_AFFINITY] = "was kept from idle CPUs by its affinity",
		[LINK_THROTTLED] = "was throttled",
		[LINK_RECORDER] = "had no CPU: the recorder had it",
		[LINK_DISK] = "waited for the disk",
		[LINK_NETWORK] = "waited for the network",
		[LINK_TIMER] = "slept",
		[LINK_OVER_HIGH] = "was slowed down by memory.high",
		[LINK_DIRTY] = "was slowed down by writeback",
		[LINK_RECLAIM] = "waited for memory",
		[LINK_DEVICE] = "waited for a device",
		[LINK_WAIT] = "slept",
		[LINK_UNKNOWN] = "is not in the recording",
	};

	if (detail->kind == LINK_CALL &&
	    add_call(line, explanation, "was in ", detail->function))
		return;
	if (detail->kind == LINK_USER &&
	    explanation_knows(explanation, detail->function)) {
		text_line_add(line, "ran ");
		text_line_name(line,
			       function_text(explanation_functions(explanation),
					     detail->function));
		return;
	}
	text_line_add(line, "%s", doing[detail->kind]);
	if (explanation_knows(explanation, detail->actor_user)) {
		text_line_add(line, " in ");
		text_line_name(line,
			       function_text(explanation_functions(explanation),
					     detail->actor_user));
	} else
		add_call(line, explanation, " in ", detail->actor_call);
}

static void add_work(struct text_line *line,
		     const struct explanation *explanation,
		     const struct cause_detail *detail)
{
	const char *work = work_text(explanation, detail->function);

	if (detail->count)
		text_line_add(line, "%" PRIu64 " page fault%s", detail->count,
			      detail->count == 1 ? "" : "s");
	else if (work)
		text_line_add(line, "%s", work);
	else if (explanation_knows(explanation, detail->function))
		text_line_name(line,
			       function_text(explanation_functions(explanation),
					     detail->function));
}

/* Adds "in fsync called by save (ledger.c:41)". Returns false if nothing is
 * known.
 */
static bool add_detail(struct text_line *line,
		       const struct explanation *explanation, uint32_t why,
		       const struct cause_detail *detail)
{
	size_t size = line->size;

	if (why_is_of_actor(why))
		add_meanwhile(line, explanation, detail);
	else if (detail->kind == LINK_CALL)
		sentence_sleep(line, explanation, detail->function,
			       FUNCTION_NONE, FUNCTION_NONE, 0);
	else if (!is_wait(detail->kind) && why < LINK_KINDS)
		add_work(line, explanation, detail);
	else {
		sentence_sleep(line, explanation, detail->call, detail->inside,
			       detail->user, detail->user_offset);
		add_call(line, explanation, ", each after a refused ",
			 sentence_refused(explanation, detail));
	}
	return line->size > size;
}

const struct cause_detail *
explanation_details(const struct explanation *explanation, size_t *count)
{
	const struct array *items = &explanation->causes.details.items;

	*count = items->count;
	return items->items;
}

/* Adds the program whose time @detail is, unless it is that of @last (or NULL).
 */
static void add_actor(struct text_line *line,
		      const struct explanation *explanation,
		      const struct cause_detail *detail,
		      const struct cause_detail *last)
{
	static const char *const relations[] = {
		[FURTHER_NONE] = "",
		[FURTHER_PROCESS] = " (another process)",
		[FURTHER_LOCK] = " (which held a lock)",
	};

	if (last && last->program == detail->program &&
	    last->further == detail->further)
		return;
	text_line_name(line,
		       causes_program(&explanation->causes, detail->program));
	text_line_add(line, "%s ", relations[detail->further]);
}

/* A text about some time of a cause. Several details may have the same text,
 * since they may differ in facts that the text does not show.
 */
struct shown_part {
	char text[2 * WIDTH];
	const struct cause_detail *detail; /* the largest of these details */
	uint64_t ns;
	uint64_t sleeps;
};

/* Maximum number of texts of a cause; those found only in smaller details are
 * not shown.
 */
enum { MOST_PARTS = 64 };

struct shown_parts {
	struct shown_part parts[MOST_PARTS];
	size_t count;
};

static void add_part(struct shown_parts *shown, const char *text,
		     const struct cause_detail *detail)
{
	struct shown_part *part = shown->parts;
	const struct shown_part *end = part + shown->count;

	while (part < end && (strcmp(part->text, text) ||
			      part->detail->program != detail->program ||
			      part->detail->further != detail->further))
		part++;
	if (part == end) {
		if (shown->count == MOST_PARTS)
			return;
		shown->count++;
		*part = (struct shown_part){ .detail = detail };
		snprintf(part->text, sizeof(part->text), "%.*s",
			 (int)sizeof(part->text) - 1, text);
	}
	part->ns += detail->ns;
	part->sleeps += detail->sleeps;
}

static int compare_parts(const void *a, const void *b)
{
	const struct shown_part *left = a;
	const struct shown_part *right = b;

	if (left->ns != right->ns)
		return (left->ns < right->ns) - (left->ns > right->ns);
	return (left->detail > right->detail) - (left->detail < right->detail);
}

/* Finds the texts about @cause, with the names of files in @style, by time,
 * longest first. Returns the time of the first.
 */
static uint64_t find_parts(const struct explanation *explanation,
			   const struct cause *cause, enum file_style style,
			   struct shown_parts *shown)
{
	size_t count;
	const struct cause_detail *details =
		explanation_details(explanation, &count);

	shown->count = 0;
	for (size_t i = 0; i < count; i++) {
		struct text_line line = { .style = style };

		if (details[i].cause == cause->index &&
		    add_detail(&line, explanation, cause->why, &details[i]))
			add_part(shown, line.text, &details[i]);
	}
	qsort(shown->parts, shown->count, sizeof(*shown->parts), compare_parts);
	return shown->count ? shown->parts->ns : 0;
}

/* Like find_parts(), but without the names of files if no text with a file has
 * half of the time of its call.
 */
static void find_main_parts(const struct explanation *explanation,
			    const struct cause *cause,
			    struct shown_parts *shown)
{
	struct shown_parts merged;
	uint64_t ns = find_parts(explanation, cause, FILE_WHOLE, shown);

	if (find_parts(explanation, cause, FILE_MANY, &merged) > 2 * ns)
		*shown = merged;
}

/* Returns whether the recorder's threads, which save the trace, had more than
 * half of @cause.
 */
static bool is_saving(const struct explanation *explanation,
		      const struct cause *cause)
{
	size_t count;
	const struct cause_detail *details =
		explanation_details(explanation, &count);
	uint64_t ns = 0;

	for (size_t i = 0; i < count; i++)
		if (details[i].cause == cause->index &&
		    details[i].kind == LINK_RECORDER)
			ns += details[i].ns;
	return ns > cause->ns / 2;
}

/* Adds which option of record delayed the program most (docs/cost.md), and the
 * command that records without it. Returns false if there is none.
 */
static bool add_less(struct text_line *line,
		     const struct explanation *explanation,
		     const struct cause *cause)
{
	const struct known_events *events = explanation->input->events;
	const char *user =
		recording_traces_user(explanation->input->recording) ?
			" --user" :
			"";

	if (is_saving(explanation, cause))
		text_line_add(line, "most while the recorder saved the trace%s",
			      *user ? "; less without --user (or "
				      "--everything)" :
				      "");
	else if (known_events_has_user_stacks(events))
		text_line_add(line, "most by --user-stacks; less: record "
				    "--user-stacks=1K");
	else if (known_events_has(events, EVENT_SYS_DATA))
		text_line_add(line,
			      "most by --syscall-data; less: record%s "
			      "--events=attribution,syscalls",
			      user);
	else if (known_events_has(events, EVENT_SYS_ENTER))
		text_line_add(line, "most by --events=syscalls; less: record%s",
			      user);
	else
		return false;
	return true;
}

/* Adds the number of waits, if there are many and it fits into a line in which
 * @used columns are used.
 */
static void add_waits(struct text_line *text, size_t used,
		      const struct shown_part *part)
{
	enum { MOST_SIZE = sizeof(" (99999 waits)") };

	if (is_wait(part->detail->kind) && part->sleeps >= MANY_SLEEPS &&
	    used + text->size + MOST_SIZE <= WIDTH)
		text_line_add(text, " (%" PRIu64 " waits)", part->sleeps);
}

/* Returns whether two details are of one call at one position in the program
 * that waited.
 */
static bool has_same_place(const struct cause_detail *a,
			   const struct cause_detail *b)
{
	return a->call == b->call && a->inside == b->inside &&
	       a->user == b->user && a->user_offset == b->user_offset;
}

/* Returns "in lookup (cache.c:14); ": the place where the program waited for the
 * actor. The text is empty if no place has more than half of @cause's time.
 */
static struct text_line main_place(const struct explanation *explanation,
				   const struct cause *cause)
{
	size_t count;
	const struct cause_detail *details =
		explanation_details(explanation, &count);
	const struct cause_detail *first = NULL; /* the largest of @cause */
	struct text_line place = { .style = FILE_SHORT };
	uint64_t ns = 0;

	for (size_t i = 0; i < count; i++) {
		if (details[i].cause != cause->index)
			continue;
		if (!first)
			first = &details[i];
		if (has_same_place(first, &details[i]))
			ns += details[i].ns;
	}
	if (ns <= cause->ns / 2)
		return place;
	if (explanation_knows(explanation, first->user))
		add_place(&place, explanation, "in ", first->user,
			  first->user_offset);
	else
		sentence_sleep(&place, explanation, first->call, first->inside,
			       first->user, first->user_offset);
	if (place.size)
		text_line_add(&place, "; ");
	return place;
}

/* Adds what precedes the parts of a cause of an actor: @place, if @size further
 * bytes still fit.
 */
static void add_lead(struct text_line *line, const struct text_line *place,
		     size_t size)
{
	static const char lead[] = "in that time ";

	if (line->size + place->size + sizeof(lead) - 1 + size <= WIDTH)
		text_line_add(line, "%s", place->text);
	text_line_add(line, "%s", lead);
}

bool sentence_details(struct text_line *line,
		      const struct explanation *explanation,
		      const struct cause *cause)
{
	const struct cause_detail *last = NULL;
	struct text_line place = { .size = 0 };
	struct shown_parts shown;
	size_t i;

	if (cause->why == LINK_TRACER)
		return add_less(line, explanation, cause);
	find_main_parts(explanation, cause, &shown);
	if (why_is_of_actor(cause->why))
		place = main_place(explanation, cause);
	for (i = 0; i < shown.count && i < MOST_DETAILS; i++) {
		const struct shown_part *part = &shown.parts[i];
		struct text_line text = { .size = 0 };

		if (why_is_of_actor(cause->why))
			add_actor(&text, explanation, part->detail, last);
		text_line_add(&text, "%s %s", part->text,
			      duration_text_of(part->ns).text);
		if (cause->why < LINK_KINDS)
			add_waits(&text, line->size, part);
		if (i && line->size + 2 + text.size > WIDTH)
			break;
		if (!i && why_is_of_actor(cause->why))
			add_lead(line, &place, text.size);
		text_line_add(line, "%s%s", i ? ", " : "", text.text);
		last = part->detail;
	}
	if (!i && cause->why == LINK_USER &&
	    !recording_traces_user(explanation->input->recording))
		text_line_add(line, "its functions need record --user");
	return i || cause->why == LINK_USER;
}

/* Adds the name of @cause's program and, if several of its processes have time
 * in @cause, the process with most of that time.
 */
static void add_program(struct text_line *line,
			const struct explanation *explanation,
			const struct cause *cause)
{
	text_line_name(line,
		       causes_program(&explanation->causes, cause->program));
	if (!cause->has_pids)
		return;
	if (cause->main_ns > cause->ns / 10 * 8)
		text_line_add(line, " (mostly process %" PRId32 ")",
			      cause->pid);
	else
		text_line_add(line, " (several processes)");
}

/* Returns whether the name of the program that @cause's program waited for is
 * known.
 */
static bool has_actor(const struct explanation *explanation,
		      const struct cause *cause)
{
	return strcmp(causes_program(&explanation->causes, cause->actor), "?");
}

void sentence_cause(struct text_line *line,
		    const struct explanation *explanation,
		    const struct cause *cause)
{
	const struct why_text *text = &texts[cause->why];
	const char *from = text->sentence;

	if (!has_actor(explanation, cause) && text->unknown_actor)
		from = text->unknown_actor;
	else if (cause->is_sibling)
		from = "%1 waited for %2, another thread of it";
	else if (cause->why == WHY_REPLY && cause->actor == cause->program)
		from = "%1 waited for another process of this name";
	for (const char *mark; (mark = strchr(from, '%')); from = mark + 2) {
		text_line_add(line, "%.*s", (int)(mark - from), from);
		if (mark[1] == '1')
			add_program(line, explanation, cause);
		else if (cause->actor == cause->program)
			text_line_add(line, "another of this name");
		else
			text_line_name(line,
				       causes_program(&explanation->causes,
						      cause->actor));
	}
	text_line_add(line, "%s", from);
}

void sentence_command(struct text_line *line,
		      const struct explanation *explanation,
		      const struct cause *cause)
{
	/* While a request is elsewhere, its client may do other work. */
	bool is_of_server = explanation->subject == SUBJECT_REQUEST &&
			    cause->why == WHY_REPLY;
	char *word = name_word(
		causes_program(&explanation->causes,
			       is_of_server ? cause->actor : cause->program));
	/* Without their events, report --locks lacks the kernel's locks. */
	bool has_locks =
		cause->why == WHY_LOCK &&
		known_events_has(explanation->input->events, EVENT_LOCK_BEGIN);

	text_line_add(line, "ktrace-hw report %s --comm %s",
		      has_locks ? "--locks" : texts[cause->why].report,
		      word ? word : "");
	free(word);
}

bool sentence_processes(struct text_line *line,
			const struct explanation *explanation)
{
	const struct process_sum sum =
		causes_short_processes(&explanation->causes, explanation->pid);
	const struct array *all = &explanation->causes.all.items;
	const struct cause *cause = all->items;
	const struct cause *end = cause + all->count;

	if (!sum.count)
		return false;
	while (cause + 1 < end && cause->pid == explanation->pid)
		cause++;
	text_line_add(line, "%s of this are %" PRIu64 " short processes, ",
		      duration_text_of(sum.ns).text, sum.count);
	text_line_add(line, "%s each, with the most time in ",
		      duration_text_of(sum.ns / sum.count).text);
	text_line_name(line,
		       causes_program(&explanation->causes, cause->program));
	text_line_add(line, ".");
	return true;
}

/* Returns whether @function was named after its address ("git+0x148eb0",
 * "[git+0x148eb0]") or its file ("[git]"), because the file has no symbol there.
 */
static bool is_nameless(const struct function *function)
{
	return function->space == 'u' && function->module[0] == '/' &&
	       !function->demangled &&
	       (function->name[0] == '[' || strstr(function->name, "+0x"));
}

/* Files of one name with functions without names, and their time. */
struct nameless_file {
	const char *name; /* without the folder */
	uint64_t ns;
};

/* Adds @ns to the time of the file's name. Names after the first NAMELESS_FILES
 * are omitted.
 */
static void add_nameless(struct nameless_file *files, const char *path,
			 uint64_t ns)
{
	const char *name = strrchr(path, '/') + 1;
	size_t i = 0;

	while (i < NAMELESS_FILES && files[i].name &&
	       strcmp(files[i].name, name) != 0)
		i++;
	if (i == NAMELESS_FILES)
		return;
	files[i].name = name;
	files[i].ns += ns;
}

/* Sorts files by time, the longest first. */
static int compare_nameless(const void *a, const void *b)
{
	const struct nameless_file *left = a;
	const struct nameless_file *right = b;

	return (left->ns < right->ns) - (left->ns > right->ns);
}

bool sentence_nameless(struct text_line *line,
		       const struct function_table *functions,
		       const struct cause_detail *details, size_t count,
		       uint64_t least_ns)
{
	struct nameless_file files[NAMELESS_FILES] = { 0 };
	uint64_t all_ns = 0;

	for (size_t i = 0; i < count; i++) {
		const struct cause_detail *detail = &details[i];
		const struct function *function;

		if (detail->kind != LINK_USER ||
		    detail->function >= function_count(functions))
			continue;
		function = function_at(functions, detail->function);
		if (!is_nameless(function))
			continue;
		all_ns += detail->ns;
		add_nameless(files, function->module, detail->ns);
	}
	if (!all_ns || all_ns < least_ns)
		return false;
	qsort(files, NAMELESS_FILES, sizeof(*files), compare_nameless);
	text_line_add(line, "No function names (see --debuginfod):");
	for (size_t i = 0; i < MOST_DETAILS && files[i].name; i++) {
		text_line_add(line, "%s ", i ? "," : "");
		text_line_name(line, files[i].name);
	}
	return true;
}
