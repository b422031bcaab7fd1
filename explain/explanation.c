/* SPDX-License-Identifier: MIT */
#include "explain/explanation_internal.h"

#include "attribution/calls/system_calls.h"
#include "decoder/recording/recording.h"
#include "report/text/duration_text.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "report/text/record_writer.h"
#include "report/text/task_names.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/calls/crashes_table.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes an explanation as text for people (at most one screen: the largest
 * causes, each with its largest parts and a command that shows the evidence; the
 * longest waits; how much is inferred or unknown), as JSON (everything), and as
 * CSV (the causes). The sentences are in texts[], by enum link_kind and enum why.
 * Names from the recording are untrusted: they are escaped for terminals, shells
 * and JSON.
 */

enum {
	MOST_CAUSES = 7,  /* in text */
	MOST_DETAILS = 3, /* parts of a cause in text */
	MOST_CRASHES = 3,
	WIDTH = 100, /* columns */
};

/* The texts of a cause: "%1" is the program, "%2" the program that it waited for.
 */
struct why_text {
	const char *name; /* in JSON */
	const char *sentence;
	const char *unknown_actor; /* the sentence if the actor is unknown */
	const char *report; /* options of report that show the evidence */
};

static const struct why_text texts[WHY_COUNT] = {
	[LINK_USER] = { "user", "%1 ran its own code", NULL, "--flat" },
	[LINK_CALL] = { "system_calls", "%1 worked in system calls", NULL,
			"--syscalls" },
	[LINK_FAULT] = { "faults", "%1 was given memory (page faults)", NULL,
			 "--threads" },
	[LINK_INTERRUPT] = { "interrupts",
			     "%1 was interrupted: its CPU served devices and "
			     "timers",
			     NULL, "--interrupts" },
	[LINK_KERNEL] = { "kernel",
			  "%1 ran in the kernel, outside system calls", NULL,
			  "--threads" },
	[LINK_TRACER] = { "tracer", "%1 was held up by being recorded", NULL,
			  "--with-tracer --threads" },
	[LINK_GUEST] = { "guest", "%1 ran a virtual machine", NULL,
			 "--threads" },
	[LINK_CPU] = { "cpu", "%1 could run and had no CPU: %2 had it",
		       "%1 could run and had no CPU", "--runqueue" },
	[LINK_IDLE] = { "cpu_idle",
			"%1 could run, and a CPU was idle until it started",
			NULL, "--runqueue" },
	[LINK_THROTTLED] = { "throttled",
			     "%1 was throttled: its cgroup had used up its CPU "
			     "quota",
			     NULL, "--runqueue" },
	[LINK_RECORDER] = { "recorder", "%1 had no CPU: the recorder had it",
			    NULL, "--with-tracer --threads" },
	[LINK_DISK] = { "disk", "%1 waited for the disk", NULL, "--sleeps" },
	[LINK_NETWORK] = { "network", "%1 waited for the network", NULL,
			   "--sleeps" },
	[LINK_TIMER] = { "timer", "%1 slept until a timer expired", NULL,
			 "--sleeps" },
	[LINK_DEVICE] = { "device",
			  "%1 waited for a device, or for work of the kernel",
			  NULL, "--sleeps" },
	[LINK_WAIT] = { "wait", "%1 slept; what would wake it is not known",
			NULL, "--sleeps" },
	[LINK_UNKNOWN] = { "unknown", "what %1 did is not in the recording",
			   NULL, "--threads" },
	[WHY_LOCK] = { "lock", "%1 waited for a lock that %2 held",
		       "%1 waited for a lock", "--sleeps" },
	[WHY_FUTEX] = { "futex", "%1 waited for a lock or a signal of %2",
			"%1 waited for a lock or a signal", "--sleeps" },
	[WHY_REPLY] = { "reply", "%1 waited for %2, another program",
			"%1 waited for another program", "--sleeps" },
	[WHY_HELPER] = { "helper", "%1 waited for work of the kernel's threads",
			 NULL, "--sleeps" },
};

const char *why_name(uint32_t why)
{
	return texts[why].name;
}

/* A line of text, cut at WIDTH. */
struct text_line {
	char text[1024];
	size_t size;
};

static void __attribute__((format(printf, 2, 3)))
add(struct text_line *line, const char *format, ...)
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

/* Adds the start of @name, which is from the recording, with control characters
 * escaped.
 */
static void add_name_part(struct text_line *line, const char *name,
			  size_t length)
{
	char text[NAME_GROWTH * 64 + 1];

	text[name_text(text, NAME_TEXT, name, length < 64 ? length : 64)] =
		'\0';
	add(line, "%s", text);
}

static void add_name(struct text_line *line, const char *name)
{
	add_name_part(line, name, strlen(name));
}

static void end_line(struct text_line *line, FILE *out)
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

static const struct function_table *
functions_of(const struct explanation *explanation)
{
	return symbols_functions(explanation->input->symbols);
}

static bool is_known(const struct explanation *explanation, uint32_t function)
{
	return function != FUNCTION_UNKNOWN &&
	       function < function_count(functions_of(explanation));
}

/* Returns the name of a system call; NULL if unknown. */
static const char *call_name(const struct explanation *explanation,
			     uint32_t function)
{
	const char *name =
		is_known(explanation, function) ?
			system_call_name(
				functions_of(explanation),
				symbols_arch(explanation->input->symbols),
				function) :
			"?";

	return strcmp(name, "?") ? name : NULL;
}

/* Adds " called by save (ledger.c:41)": @relation is " called by ". */
static void add_place(struct text_line *line,
		      const struct explanation *explanation,
		      const char *relation, uint32_t user, uint32_t offset)
{
	const struct function *function;
	struct source_line source;
	const char *file;

	if (!is_known(explanation, user))
		return;
	function = function_at(functions_of(explanation), user);
	add(line, "%s", relation);
	add_name(line, function->name);
	if (!lines_find(explanation->input->lines, function, offset, &source))
		return;
	file = strrchr(source.file, '/');
	add(line, " (");
	add_name(line, file ? file + 1 : source.file);
	add(line, ":%d)", source.line);
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
		if (is_known(explanation, function) &&
		    !strcmp(function_at(functions_of(explanation), function)
				    ->base,
			    works[i].function))
			return works[i].text;
	return NULL;
}

/* Adds where a thread slept: the system call, or the fault or exit that it was
 * in instead, with the place in the program.
 */
static void add_sleep(struct text_line *line,
		      const struct explanation *explanation, uint32_t call,
		      uint32_t inside, uint32_t user, uint32_t user_offset)
{
	const char *name = call_name(explanation, call);
	const char *work = work_text(explanation, inside);

	if (name)
		add(line, "in %s", name);
	else if (work)
		add(line, "%s", work);
	else if (is_known(explanation, inside))
		add(line, "in page faults");
	if (!work)
		add_place(line, explanation, name ? " called by " : " of ",
			  user, user_offset);
}

/* Adds @detail, a part of the work of the thread that the program waited for. */
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
		[LINK_THROTTLED] = "was throttled",
		[LINK_RECORDER] = "had no CPU: the recorder had it",
		[LINK_DISK] = "waited for the disk",
		[LINK_NETWORK] = "waited for the network",
		[LINK_TIMER] = "slept",
		[LINK_DEVICE] = "waited for a device",
		[LINK_WAIT] = "slept",
		[LINK_UNKNOWN] = "is not in the recording",
	};
	const char *call = detail->kind == LINK_CALL ?
				   call_name(explanation, detail->function) :
				   NULL;

	if (call)
		add(line, "was in %s", call);
	else if (detail->kind == LINK_USER &&
		 is_known(explanation, detail->function)) {
		add(line, "ran ");
		add_name(line, function_text(functions_of(explanation),
					     detail->function));
	} else
		add(line, "%s", doing[detail->kind]);
}

/* Returns whether the details of a cause are the work of the thread that the
 * program waited for, not of the program itself.
 */
static bool is_of_actor(uint32_t why)
{
	return why == WHY_LOCK || why == WHY_FUTEX || why == WHY_REPLY;
}

static void add_work(struct text_line *line,
		     const struct explanation *explanation,
		     const struct cause_detail *detail)
{
	const char *work = work_text(explanation, detail->function);

	if (detail->count)
		add(line, "%" PRIu64 " page fault%s", detail->count,
		    detail->count == 1 ? "" : "s");
	else if (work)
		add(line, "%s", work);
	else if (is_known(explanation, detail->function))
		add_name(line, function_text(functions_of(explanation),
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

	if (is_of_actor(why))
		add_meanwhile(line, explanation, detail);
	else if (detail->kind == LINK_CALL)
		add_sleep(line, explanation, detail->function, FUNCTION_NONE,
			  FUNCTION_NONE, 0);
	else if (!is_wait(detail->kind) && why < LINK_KINDS)
		add_work(line, explanation, detail);
	else
		add_sleep(line, explanation, detail->call, detail->inside,
			  detail->user, detail->user_offset);
	return line->size > size;
}

static const struct cause_detail *
details_of(const struct explanation *explanation, size_t *count)
{
	const struct array *items = &explanation->causes.details.items;

	*count = items->count;
	return items->items;
}

static bool has_user(const struct explanation *explanation)
{
	return recording_traces_user(explanation->input->recording);
}

/* Adds whose time @detail is, unless it is that of @last (or NULL). */
static void add_actor(struct text_line *line,
		      const struct explanation *explanation,
		      const struct cause_detail *detail,
		      const struct cause_detail *last)
{
	if (last && last->program == detail->program &&
	    last->is_further == detail->is_further)
		return;
	add_name(line, causes_program(&explanation->causes, detail->program));
	add(line, "%s ", detail->is_further ? " (another process)" : "");
}

/* Adds the largest details of @cause to @line. Returns whether any is known. */
static bool add_details(struct text_line *line,
			const struct explanation *explanation,
			const struct cause *cause)
{
	size_t count;
	const struct cause_detail *details = details_of(explanation, &count);
	const struct cause_detail *last = NULL;
	int written = 0;

	if (is_of_actor(cause->why))
		add(line, "in that time ");
	for (size_t i = 0; i < count && written < MOST_DETAILS; i++) {
		struct text_line part = { .size = 0 };

		if (details[i].cause != cause->index)
			continue;
		if (is_of_actor(cause->why))
			add_actor(&part, explanation, &details[i], last);
		if (!add_detail(&part, explanation, cause->why, &details[i]))
			continue;
		add(&part, " %s", duration_text_of(details[i].ns).text);
		if (written && line->size + 2 + part.size > WIDTH)
			break;
		add(line, "%s%s", written ? ", " : "", part.text);
		last = &details[i];
		written++;
	}
	if (!written && cause->why == LINK_USER && !has_user(explanation))
		add(line, "its functions need record --user");
	return written || cause->why == LINK_USER;
}

static void write_details(const struct explanation *explanation,
			  const struct cause *cause, FILE *out)
{
	struct text_line line = { .size = 0 };
	size_t indent;

	add(&line, "%19s", "");
	indent = line.size;
	if (add_details(&line, explanation, cause) && line.size > indent)
		end_line(&line, out);
}

/* Adds the name of the program that spent @cause, and which process spent most of
 * it if there are others.
 */
static void add_program(struct text_line *line,
			const struct explanation *explanation,
			const struct cause *cause)
{
	add_name(line, causes_program(&explanation->causes, cause->program));
	if (!cause->has_pids)
		return;
	if (cause->main_ns > cause->ns / 10 * 8)
		add(line, " (mostly process %" PRId32 ")", cause->pid);
	else
		add(line, " (several processes)");
}

/* Returns whether the name of the program that @cause's program waited for is
 * known.
 */
static bool has_actor(const struct explanation *explanation,
		      const struct cause *cause)
{
	return strcmp(causes_program(&explanation->causes, cause->actor), "?");
}

static void add_sentence(struct text_line *line,
			 const struct explanation *explanation,
			 const struct cause *cause)
{
	const struct why_text *text = &texts[cause->why];
	const char *from = text->sentence;

	if (!has_actor(explanation, cause) && text->unknown_actor)
		from = text->unknown_actor;
	for (const char *mark; (mark = strchr(from, '%')); from = mark + 2) {
		add(line, "%.*s", (int)(mark - from), from);
		if (mark[1] == '1')
			add_program(line, explanation, cause);
		else if (cause->actor == cause->program)
			add(line, "another thread of this name");
		else
			add_name(line, causes_program(&explanation->causes,
						      cause->actor));
	}
	add(line, "%s", from);
}

/* Adds @name so that a shell reads it as one word. */
static void add_word(struct text_line *line, const char *name)
{
	const char *plain = "abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-/:@%,=";

	if (*name && !name[strspn(name, plain)]) {
		add(line, "%s", name);
		return;
	}
	add(line, "'");
	add_name(line, name);
	add(line, "'");
}

static void add_command(struct text_line *line,
			const struct explanation *explanation,
			const struct cause *cause)
{
	add(line, "ktrace-hw report %s --comm ", texts[cause->why].report);
	add_word(line, causes_program(&explanation->causes, cause->program));
}

static double percent_of(const struct explanation *explanation, uint64_t ns)
{
	return explanation->causes.ns ?
		       100. * (double)ns / (double)explanation->causes.ns :
		       0;
}

static void write_cause(const struct explanation *explanation,
			const struct cause *cause, FILE *out)
{
	struct text_line line = { .size = 0 };
	struct text_line command = { .size = 0 };

	add(&line, "%5.1f %%  %8s  ", percent_of(explanation, cause->ns),
	    duration_text_of(cause->ns).text);
	add_sentence(&line, explanation, cause);
	end_line(&line, out);
	write_details(explanation, cause, out);
	add(&command, "%19sSee: ", "");
	add_command(&command, explanation, cause);
	fprintf(out, "%s\n", command.text);
}

static void write_causes(const struct explanation *explanation, FILE *out)
{
	const struct array *items = &explanation->causes.all.items;
	uint64_t rest_ns = 0;
	size_t i;

	for (i = 0; i < items->count && i < MOST_CAUSES; i++) {
		const struct cause *cause = array_at(items, i);

		if (i && percent_of(explanation, cause->ns) < 0.5)
			break;
		write_cause(explanation, cause, out);
	}
	for (size_t j = i; j < items->count; j++)
		rest_ns += ((const struct cause *)array_at(items, j))->ns;
	if (rest_ns)
		fprintf(out,
			"%5.1f %%  %8s  %zu smaller cause%s "
			"(ktrace-hw explain --format=json)\n",
			percent_of(explanation, rest_ns),
			duration_text_of(rest_ns).text, items->count - i,
			items->count - i == 1 ? "" : "s");
}

static const struct cause *cause_at(const struct causes *causes, uint32_t index)
{
	for (size_t i = 0; i < causes->all.items.count; i++) {
		const struct cause *cause = array_at(&causes->all.items, i);

		if (cause->index == index)
			return cause;
	}
	return NULL;
}

/* Adds the cause of a long link, and where the thread slept. */
static void add_long(struct text_line *line,
		     const struct explanation *explanation,
		     const struct long_link *item)
{
	const struct life_sleep *sleep = item->link.sleep;
	struct text_line place = { .size = 0 };

	add_sentence(line, explanation,
		     cause_at(&explanation->causes, item->cause));
	if (sleep)
		add_sleep(&place, explanation, sleep->call, sleep->inside,
			  sleep->user, sleep->user_offset);
	if (place.size)
		add(line, ", %s", place.text + strspn(place.text, " "));
}

static void write_long(const struct explanation *explanation,
		       const struct long_link *item, FILE *out)
{
	const struct path_link *link = &item->link;
	struct text_line line = { .size = 0 };

	add(&line, "%10s  ", duration_text_of(link->ns).text);
	add(&line, "at %.6f: ",
	    (double)(int64_t)(link->begin_ns - explanation->input->origin_ns) /
		    1e9);
	add_long(&line, explanation, item);
	end_line(&line, out);
}

static void write_longest(const struct explanation *explanation, FILE *out)
{
	const struct causes *causes = &explanation->causes;

	if (!causes->long_count)
		return;
	fprintf(out, "\nThe longest waits, at seconds %s:\n",
		explanation->input->origin_ns ? "since the recording's start" :
						"of the recording's clock");
	for (size_t i = 0; i < causes->long_count; i++)
		if (!i ||
		    percent_of(explanation, causes->longest[i].link.ns) > 0.1)
			write_long(explanation, &causes->longest[i], out);
}

/* Writes which time is not known, and why. */
static void write_unknown(const struct explanation *explanation, FILE *out)
{
	static const char *const reasons[UNKNOWN_REASONS] = {
		[UNKNOWN_GAP] = "in gaps of the trace",
		[UNKNOWN_FILTERED] = "outside the recorded functions",
		[UNKNOWN_OFF] = "while the trace unit was off",
		[UNKNOWN_UNTRACED] = "on CPUs that were not recorded",
		[UNKNOWN_NO_EVENTS] = "without scheduler events",
		[UNKNOWN_LOST_EVENTS] = "where records were lost",
	};
	const struct causes *causes = &explanation->causes;
	uint64_t rest_ns = causes->unknown_ns;
	struct text_line line = { .size = 0 };

	add(&line, "Not known: %s (%.1f %%):",
	    duration_text_of(causes->unknown_ns).text,
	    percent_of(explanation, causes->unknown_ns));
	for (int i = 0; i < UNKNOWN_REASONS; i++) {
		uint64_t ns = causes->reasons_ns[i];

		rest_ns -= ns;
		if (ns)
			add(&line, " %s %s;", duration_text_of(ns).text,
			    reasons[i]);
	}
	if (rest_ns)
		add(&line, " %s in waits whose end was not recorded;",
		    duration_text_of(rest_ns).text);
	line.text[line.size - 1] = '.';
	end_line(&line, out);
}

static void write_certainty(const struct explanation *explanation, FILE *out)
{
	const struct causes *causes = &explanation->causes;

	fputc('\n', out);
	if (!causes->inferred_ns && !causes->unknown_ns)
		fputs("All of this was measured.\n", out);
	if (causes->inferred_ns)
		fprintf(out, "Inferred, not measured: %s (%.1f %%).\n",
			duration_text_of(causes->inferred_ns).text,
			percent_of(explanation, causes->inferred_ns));
	if (causes->unknown_ns)
		write_unknown(explanation, out);
}

static const struct table_need needs[] = {
	{ .columns = "waits", .event = EVENT_SCHED_SWITCH },
	{ .columns = "what ended waits", .event = EVENT_SCHED_WAKING },
};

static void write_missing(const struct explanation *explanation, FILE *out)
{
	const struct recorded recorded = recorded_of(
		explanation->input->recording, explanation->input->events);

	recorded_explain(&recorded, needs, sizeof(needs) / sizeof(*needs), out);
}

/* Adds the subject of the explanation, or why there is none. */
static void add_head(struct text_line *line,
		     const struct explanation *explanation)
{
	static const char *const nothing[] = {
		[SUBJECT_COMMAND] = "The command did not run in this time.",
		[SUBJECT_CHOSEN] = "No thread that the options choose ran in "
				   "this time.",
		[SUBJECT_ALL] = "No program ran in this time.",
		[SUBJECT_REQUEST] = "There is no request with this number "
				    "(ktrace-hw report --requests).",
	};

	if (!explanation->program) {
		add(line, "%s", nothing[explanation->subject]);
		return;
	}
	if (explanation->subject == SUBJECT_REQUEST)
		add(line, "Request %" PRIu64 " of ", explanation->request);
	add_name(line, explanation->program);
	add(line, " (process %" PRId32 ") took %s%s.", explanation->pid,
	    duration_text_of(explanation->end_ns - explanation->begin_ns).text,
	    explanation->is_cut ? " and had not ended" : "");
	add(line, " What had to happen for it to end:");
}

static void write_head(const struct explanation *explanation, FILE *out)
{
	const char *path = recording_path(explanation->input->recording);
	struct text_line line = { .size = 0 };

	add_head(&line, explanation);
	end_line(&line, out);
	if (!explanation->program)
		return;
	if (strcmp(path, "ktrace.data"))
		fprintf(out, "(The commands need -i %s.)\n", path);
	fputc('\n', out);
}

/* Adds the innermost function of the program when it crashed, if it was
 * recorded: the last but one of the stack, which ends with the kernel's entry.
 */
static bool add_crash_place(struct text_line *line, const struct crash *crash)
{
	const char *end = strrchr(crash->stack, ';');
	const char *begin = end;

	if (!end)
		return false;
	while (begin > crash->stack && begin[-1] != ';')
		begin--;
	add_name_part(line, begin, (size_t)(end - begin));
	return true;
}

static void write_crash(const struct explanation *explanation,
			const struct crash *crash, FILE *out)
{
	struct text_line line = { .size = 0 };
	struct text_line place = { .size = 0 };

	add_name(&line, task_names_last(explanation->input->names, crash->tid));
	add(&line, " (process %" PRId32 ") was ended by ", crash->pid);
	add_name(&line, crash->signal);
	add(&line, ", at %.6f s",
	    (double)(int64_t)(crash->time_ns - explanation->input->origin_ns) /
		    1e9);
	if (add_crash_place(&place, crash))
		add(&line, ", in %s", place.text);
	end_line(&line, out);
}

static void write_crashes(const struct explanation *explanation, FILE *out)
{
	const struct crash *crashes = explanation->crashes.items;
	size_t count = explanation->crashes.count;

	for (size_t i = 0; i < count && i < MOST_CRASHES; i++)
		write_crash(explanation, &crashes[i], out);
	if (count > MOST_CRASHES)
		fprintf(out, "%zu more processes were ended by signals\n",
			count - MOST_CRASHES);
	if (count)
		fputs("    See: ktrace-hw report --crashes\n\n", out);
}

void explanation_write_text(const struct explanation *explanation, FILE *out)
{
	write_head(explanation, out);
	if (explanation->program) {
		write_crashes(explanation, out);
		write_causes(explanation, out);
		write_longest(explanation, out);
		write_certainty(explanation, out);
	}
	write_missing(explanation, out);
}

/* Writes a member with a name of the recording; nothing if it is NULL. */
static void write_member(FILE *out, const char *member, const char *name)
{
	if (!name)
		return;
	fprintf(out, ",\"%s\":", member);
	json_string(out, name);
}

static const char *name_of(const struct explanation *explanation,
			   uint32_t function)
{
	return is_known(explanation, function) ?
		       function_text(functions_of(explanation), function) :
		       NULL;
}

static void write_line_member(const struct explanation *explanation,
			      uint32_t user, uint32_t offset, FILE *out)
{
	struct source_line source;
	char text[600];

	if (!is_known(explanation, user) ||
	    !lines_find(explanation->input->lines,
			function_at(functions_of(explanation), user), offset,
			&source))
		return;
	snprintf(text, sizeof(text), "%s:%d", source.file, source.line);
	write_member(out, "line", text);
}

static void write_json_details(const struct explanation *explanation,
			       const struct cause *cause, FILE *out)
{
	size_t count;
	const struct cause_detail *details = details_of(explanation, &count);
	const char *separator = "";

	fputs(",\"parts\":[", out);
	for (size_t i = 0; i < count; i++) {
		const struct cause_detail *detail = &details[i];

		if (detail->cause != cause->index)
			continue;
		fprintf(out, "%s\n  {\"ns\":%" PRIu64 ",\"kind\":\"%s\"",
			separator, detail->ns, why_name(detail->kind));
		write_member(out, "function",
			     name_of(explanation, detail->function));
		write_member(out, "call",
			     call_name(explanation, detail->kind == LINK_CALL ?
							    detail->function :
							    detail->call));
		write_member(out, "inside",
			     name_of(explanation, detail->inside));
		if (detail->count)
			fprintf(out, ",\"faults\":%" PRIu64, detail->count);
		if (detail->program != LIFE_NONE)
			write_member(out, "program",
				     causes_program(&explanation->causes,
						    detail->program));
		write_member(out, "user", name_of(explanation, detail->user));
		write_line_member(explanation, detail->user,
				  detail->user_offset, out);
		fputs("}", out);
		separator = ",";
	}
	fputs("]", out);
}

/* Writes the time, duration and thread of @moment. */
static void write_json_moment(const struct explanation *explanation,
			      const struct cause_moment *moment, FILE *out)
{
	const struct life *life =
		lives_at(explanation->causes.lives, moment->thread);

	fprintf(out, "\"begin_ns\":%" PRIu64 ",\"ns\":%" PRIu64,
		moment->begin_ns, moment->ns);
	if (life)
		fprintf(out, ",\"tid\":%" PRId32, life->tid);
}

static void write_json_cause(const struct explanation *explanation,
			     const struct cause *cause, FILE *out)
{
	struct text_line command = { .size = 0 };
	struct text_line sentence = { .size = 0 };
	struct text_line details = { .size = 0 };

	fprintf(out, "{\"cause\":\"%s\",\"ns\":%" PRIu64 ",\"links\":%" PRIu64,
		why_name(cause->why), cause->ns, cause->count);
	write_member(out, "program",
		     causes_program(&explanation->causes, cause->program));
	fprintf(out, ",\"pid\":%" PRId32 ",\"pid_ns\":%" PRIu64, cause->pid,
		cause->main_ns);
	if (cause->actor != LIFE_NONE)
		write_member(out, "actor",
			     causes_program(&explanation->causes,
					    cause->actor));
	add_command(&command, explanation, cause);
	write_member(out, "evidence", command.text);
	add_sentence(&sentence, explanation, cause);
	write_member(out, "sentence", sentence.text);
	if (add_details(&details, explanation, cause) && details.size)
		write_member(out, "details", details.text);
	fputs(",\"longest\":{", out);
	write_json_moment(explanation, &cause->longest, out);
	fputs("}", out);
	write_json_details(explanation, cause, out);
	fputs("}", out);
}

static void write_json_long(const struct explanation *explanation,
			    const struct long_link *item, FILE *out)
{
	const struct path_link *link = &item->link;
	const struct cause *cause = cause_at(&explanation->causes, item->cause);
	struct text_line sentence = { .size = 0 };

	fprintf(out, "{\"cause\":\"%s\",", why_name(cause->why));
	write_json_moment(explanation, &item->moment, out);
	add_long(&sentence, explanation, item);
	write_member(out, "sentence", sentence.text);
	write_member(out, "program",
		     causes_program(&explanation->causes, cause->program));
	if (link->sleep)
		write_member(out, "call",
			     call_name(explanation, link->sleep->call));
	fputs("}", out);
}

static void write_json_crash(const struct explanation *explanation,
			     const struct crash *crash, FILE *out)
{
	struct text_line place = { .size = 0 };

	fprintf(out, "{\"pid\":%" PRId32 ",\"time_ns\":%" PRIu64, crash->pid,
		crash->time_ns);
	write_member(out, "program",
		     task_names_last(explanation->input->names, crash->tid));
	write_member(out, "signal", crash->signal);
	if (add_crash_place(&place, crash))
		write_member(out, "function", place.text);
	fputs("}", out);
}

/* Writes the lines that text has above and below the causes. */
static void write_json_notes(const struct explanation *explanation, FILE *out)
{
	struct text_line head = { .size = 0 };
	char *notes = NULL;
	size_t size;
	FILE *text = open_memstream(&notes, &size);

	add_head(&head, explanation);
	write_member(out, "sentence", head.text);
	if (!text)
		return;
	if (explanation->program)
		write_certainty(explanation, text);
	write_missing(explanation, text);
	if (fclose(text) != EOF)
		write_member(out, "notes", notes);
	free(notes);
}

void explanation_write_json(const struct explanation *explanation, FILE *out)
{
	const struct causes *causes = &explanation->causes;

	fputs("{\"version\":1", out);
	write_member(out, "program", explanation->program);
	fprintf(out,
		",\"pid\":%" PRId32 ",\"begin_ns\":%" PRIu64
		",\"end_ns\":%" PRIu64 ",\"wall_ns\":%" PRIu64
		",\"ended\":%s,\"inferred_ns\":%" PRIu64
		",\"unknown_ns\":%" PRIu64 ",\"links\":%" PRIu64
		",\n\"causes\":[",
		explanation->program ? explanation->pid : -1,
		explanation->begin_ns, explanation->end_ns,
		explanation->end_ns - explanation->begin_ns,
		explanation->is_cut ? "false" : "true", causes->inferred_ns,
		causes->unknown_ns, causes->links);
	for (size_t i = 0; i < causes->all.items.count; i++) {
		fputs(i ? ",\n" : "\n", out);
		write_json_cause(explanation, array_at(&causes->all.items, i),
				 out);
	}
	fputs("\n],\n\"crashes\":[", out);
	for (size_t i = 0; i < explanation->crashes.count; i++) {
		fputs(i ? ",\n" : "\n", out);
		write_json_crash(explanation,
				 array_at(&explanation->crashes, i), out);
	}
	fputs("\n],\n\"longest\":[", out);
	for (size_t i = 0; i < causes->long_count; i++) {
		fputs(i ? ",\n" : "\n", out);
		write_json_long(explanation, &causes->longest[i], out);
	}
	fputs("\n]", out);
	write_json_notes(explanation, out);
	fputs("}\n", out);
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct explanation *explanation = ctx;
	const struct cause *cause =
		array_at(&explanation->causes.all.items, index);

	record_text(writer, "cause", why_name(cause->why));
	record_text(writer, "program",
		    causes_program(&explanation->causes, cause->program));
	if (cause->actor == LIFE_NONE)
		record_absent(writer, "actor");
	else
		record_text(writer, "actor",
			    causes_program(&explanation->causes, cause->actor));
	record_number(writer, "total_ns", cause->ns);
	record_number(writer, "links", cause->count);
}

void explanation_write_csv(const struct explanation *explanation,
			   const struct attribution_output *output)
{
	struct record_writer writer =
		record_writer_of(output->out, output->format);

	record_writer_table(&writer, write_row, explanation,
			    explanation->causes.all.items.count);
}
