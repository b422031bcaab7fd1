/* SPDX-License-Identifier: MIT */
#include "explain/explanation_internal.h"

#include "decoder/recording/recording.h"
#include "explain/crash_lines_internal.h"
#include "explain/sentences_internal.h"
#include "report/text/duration_text.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "report/text/record_writer.h"
#include "report/text/task_names.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/function_table.h"
#include "tables/calls/crashes_table.h"
#include "tables/text/recorded.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes an explanation as text for people (at most one screen: the largest
 * causes, each with its largest parts and a command that shows the evidence;
 * the longest waits; how much is inferred or unknown), as JSON (everything),
 * and as CSV (the causes). The sentences are those of sentences_internal.h.
 * Names from the recording are untrusted: they are escaped for terminals,
 * shells and JSON.
 */

enum {
	MOST_CAUSES = 7, /* causes shown in text */
	/* least percent of the path from which on text names the kinds of the
	 * smaller causes
	 */
	LARGE_REST = 5,
};

static void write_details(const struct explanation *explanation,
			  const struct cause *cause, FILE *out)
{
	struct text_line line = { .size = 0 };
	size_t indent;

	text_line_add(&line, "%19s", "");
	indent = line.size;
	if (sentence_details(&line, explanation, cause) && line.size > indent)
		text_line_write(&line, out);
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

	text_line_add(&line, "%5.1f %%  %8s  ",
		      percent_of(explanation, cause->ns),
		      duration_text_of(cause->ns).text);
	sentence_cause(&line, explanation, cause);
	text_line_write(&line, out);
	write_details(explanation, cause, out);
	text_line_add(&command, "%19sSee: ", "");
	sentence_command(&command, explanation, cause);
	fprintf(out, "%s\n", command.text);
}

/* Writes the causes from number @first on as one sum and, if it is large, the
 * kinds of these causes.
 */
static void write_rest(const struct explanation *explanation, size_t first,
		       FILE *out)
{
	const struct array *items = &explanation->causes.all.items;
	struct text_line line = { .size = 0 };
	uint64_t rest_ns = 0;

	for (size_t i = first; i < items->count; i++)
		rest_ns += ((const struct cause *)array_at(items, i))->ns;
	if (!rest_ns)
		return;
	fprintf(out,
		"%5.1f %%  %8s  %zu smaller cause%s "
		"(ktrace-hw explain --format=json)\n",
		percent_of(explanation, rest_ns),
		duration_text_of(rest_ns).text, items->count - first,
		items->count - first == 1 ? "" : "s");
	if (percent_of(explanation, rest_ns) < LARGE_REST)
		return;
	text_line_add(&line, "%19s", "");
	sentence_rest(&line, explanation, first);
	text_line_write(&line, out);
}

/* Writes the largest causes: fewer if other lines report processes ended by
 * signals, an event loop or the last worker, so that all lines fit on one
 * screen.
 */
static void write_causes(const struct explanation *explanation, FILE *out)
{
	const struct array *items = &explanation->causes.all.items;
	const size_t most =
		(size_t)MOST_CAUSES -
		(crash_lines_count(explanation, false) > 0) -
		(crash_lines_count(explanation, true) > 0) -
		(explanation->held != LIFE_NONE) -
		(causes_short_processes(&explanation->causes, explanation->pid)
			 .count > 0) -
		(explanation->last_worker.workers > 0);
	size_t i;

	for (i = 0; i < items->count && i < most; i++) {
		const struct cause *cause = array_at(items, i);

		if (i && percent_of(explanation, cause->ns) < 0.5)
			break;
		write_cause(explanation, cause, out);
	}
	write_rest(explanation, i, out);
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
	struct text_line place = { .style = line->style };

	sentence_cause(line, explanation,
		       cause_at(&explanation->causes, item->cause));
	if (sleep)
		sentence_sleep(&place, explanation, sleep->call, sleep->inside,
			       sleep->user, sleep->user_offset);
	if (place.size)
		text_line_add(line, ", %s",
			      place.text + strspn(place.text, " "));
}

static void add_long_line(struct text_line *line,
			  const struct explanation *explanation,
			  const struct long_link *item)
{
	const struct path_link *link = &item->link;

	text_line_add(line, "%10s  ", duration_text_of(link->ns).text);
	text_line_add(line, "at %.6f: ",
		      sentence_seconds(explanation, link->begin_ns));
	add_long(line, explanation, item);
}

/* Writes a long wait. Files are shortened, or omitted, if the line does not fit
 * otherwise.
 */
static void write_long(const struct explanation *explanation,
		       const struct long_link *item, FILE *out)
{
	struct text_line line = { .size = WIDTH + 1 };

	for (int style = FILE_WHOLE; style <= FILE_NONE && line.size > WIDTH;
	     style++) {
		line = (struct text_line){ .style = (enum file_style)style };
		add_long_line(&line, explanation, item);
	}
	text_line_write(&line, out);
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

	text_line_add(&line, "Not known: %s (%.1f %%):",
		      duration_text_of(causes->unknown_ns).text,
		      percent_of(explanation, causes->unknown_ns));
	for (int i = 0; i < UNKNOWN_REASONS; i++) {
		uint64_t ns = causes->reasons_ns[i];

		rest_ns -= ns;
		if (ns)
			text_line_add(&line, " %s %s;",
				      duration_text_of(ns).text, reasons[i]);
	}
	if (rest_ns)
		text_line_add(&line, " %s in waits whose end was not recorded;",
			      duration_text_of(rest_ns).text);
	line.text[line.size - 1] = '.';
	text_line_write(&line, out);
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

/* Writes which files lack the names of functions, if these ran for a tenth of
 * the path.
 */
static void write_nameless(const struct explanation *explanation, FILE *out)
{
	struct text_line line = { .size = 0 };
	size_t count;
	const struct cause_detail *details =
		explanation_details(explanation, &count);

	if (sentence_nameless(&line, explanation_functions(explanation),
			      details, count, explanation->causes.ns / 10))
		text_line_write(&line, out);
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

/* Writes how certain the explanation is, and what it lacks. */
static void write_notes(const struct explanation *explanation, FILE *out)
{
	if (explanation->program) {
		write_certainty(explanation, out);
		write_nameless(explanation, out);
	}
	write_missing(explanation, out);
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
		[SUBJECT_REQUEST] = "Neither its client nor its server ran in "
				    "this time.",
	};

	if (!explanation->program) {
		text_line_add(line, "%s", nothing[explanation->subject]);
		return;
	}
	if (explanation->subject == SUBJECT_REQUEST)
		text_line_add(line, "Request %" PRIu64 " of ",
			      explanation->request);
	text_line_name(line, explanation->program);
	text_line_add(
		line, " (process %" PRId32 ") took %s%s.", explanation->pid,
		duration_text_of(explanation->end_ns - explanation->begin_ns)
			.text,
		explanation->is_cut ? " and had not ended" : "");
	text_line_add(line, " What had to happen for it to end:");
}

static void add_process(struct text_line *line,
			const struct explanation *explanation, uint32_t thread)
{
	const struct life *life = lives_at(explanation->causes.lives, thread);

	text_line_name(line,
		       task_names_last(explanation->input->names, life->tid));
	text_line_add(line, " (pid %" PRId32 ")", life->pid);
}

/* Adds "It waits for its child make (pid 7), still running, and that for cc
 * (pid 8)."
 */
static void add_waited_for(struct text_line *line,
			   const struct explanation *explanation)
{
	const struct waited_for *waited = explanation->waited_for.items;
	size_t count = explanation->waited_for.count;

	if (!count)
		return;
	text_line_add(line, "It waits for %s",
		      waited->is_pipe ? "" : "its child ");
	add_process(line, explanation, waited->thread);
	text_line_add(line, ", still running");
	if (count > 1)
		text_line_add(line, ", and that ");
	if (count > 2)
		text_line_add(line, "through %zu more ", count - 2);
	if (count > 1) {
		text_line_add(line, "for ");
		add_process(line, explanation, waited[count - 1].thread);
	}
	text_line_add(line, ".");
}

static bool has_pipe(const struct explanation *explanation)
{
	const struct waited_for *waited = explanation->waited_for.items;

	for (size_t i = 0; i < explanation->waited_for.count; i++)
		if (waited[i].is_pipe)
			return true;
	return false;
}

static void write_head(const struct explanation *explanation, FILE *out)
{
	struct text_line waits = { .size = 0 };
	const char *path = recording_path(explanation->input->recording);
	struct text_line line = { .size = 0 };

	add_head(&line, explanation);
	text_line_write(&line, out);
	if (!explanation->program)
		return;
	add_waited_for(&waits, explanation);
	if (waits.size)
		text_line_write(&waits, out);
	if (has_pipe(explanation))
		fputs("(Which process is at the other end of its pipe is "
		      "inferred from the order of their start.)\n",
		      out);
	if (strcmp(path, "ktrace.data")) {
		char *word = name_word(path);

		fprintf(out, "(The commands need -i %s.)\n",
			word ? word : path);
		free(word);
	}
	fputc('\n', out);
}

/* Adds "process 7", or "thread 8" if it is not the first of its process. */
static void add_task(struct text_line *line, const struct life *life)
{
	text_line_add(line, "%s %" PRId32,
		      life->tid == life->pid ? "process" : "thread", life->tid);
}

/* Adds "The event loop of server (thread 8) was held for 590 ms at 1.200000 (no
 * epoll_wait)."
 */
static void add_held(struct text_line *line,
		     const struct explanation *explanation,
		     const struct life *life, bool has_time)
{
	const struct life_loop *loop = &life->loop;

	text_line_add(line, "The event loop of ");
	text_line_name(line,
		       task_names_last(explanation->input->names, life->tid));
	text_line_add(line, " (");
	add_task(line, life);
	text_line_add(
		line, ") was held for %s",
		duration_text_of(loop->held_end_ns - loop->held_begin_ns).text);
	if (has_time)
		sentence_time(line, explanation, " at ", loop->held_begin_ns);
	text_line_add(line, " (no %s).",
		      sentence_call_name(explanation, loop->call));
}

/* Writes for how long an event loop was held and why, before the causes: what
 * else the loop did, and waited for, is among these.
 */
static void write_held(const struct explanation *explanation, FILE *out)
{
	const struct causes *causes = &explanation->held_causes;
	const struct life *life = lives_at(causes->lives, explanation->held);
	struct text_line head = { .size = 0 };
	struct text_line why = { .size = 0 };
	struct text_line bare;
	struct explanation held = *explanation;

	if (!life)
		return;
	held.causes = *causes;
	add_held(&head, explanation, life, true);
	text_line_write(&head, out);
	text_line_add(&why, "    ");
	sentence_cause(&why, &held, causes->all.items.items);
	bare = why;
	text_line_add(&why, ": ");
	if (!sentence_details(&why, &held, causes->all.items.items) ||
	    why.size == bare.size + 2)
		why = bare;
	text_line_write(&why, out);
	fprintf(out,
		"    See: ktrace-hw explain --pid %" PRId32
		" --since %.6f --until %.6f\n\n",
		life->tid,
		sentence_seconds(explanation, life->loop.held_begin_ns),
		sentence_seconds(explanation, life->loop.held_end_ns));
}

static void write_short_processes(const struct explanation *explanation,
				  FILE *out)
{
	struct text_line line = { .size = 0 };

	if (!sentence_processes(&line, explanation))
		return;
	text_line_write(&line, out);
	fputs("    See: ktrace-hw report --processes\n\n", out);
}

/* Adds "Only process 9 of 3 gzip processes worked for 450 ms at 1.200000: the
 * others had no work."
 */
static void add_last_worker(struct text_line *line,
			    const struct explanation *explanation,
			    bool has_time)
{
	const struct last_worker *last = &explanation->last_worker;
	const struct life *life =
		lives_at(explanation->causes.lives, last->thread);

	text_line_add(line, "Only ");
	add_task(line, life);
	text_line_add(line, " of %" PRIu32 " ", last->workers);
	text_line_name(line,
		       task_names_last(explanation->input->names, life->tid));
	text_line_add(line, " %s worked for %s",
		      life->tid == life->pid ? "processes" : "threads",
		      duration_text_of(last->end_ns - last->begin_ns).text);
	if (has_time)
		sentence_time(line, explanation, " at ", last->begin_ns);
	text_line_add(line, ": the others had no work.");
}

static void write_last_worker(const struct explanation *explanation, FILE *out)
{
	struct text_line line = { .size = 0 };

	if (!explanation->last_worker.workers)
		return;
	add_last_worker(&line, explanation, true);
	fputc('\n', out);
	text_line_write(&line, out);
	fprintf(out,
		"    See: ktrace-hw report --threads --since %.6f --until %.6f\n",
		sentence_seconds(explanation,
				 explanation->last_worker.begin_ns),
		sentence_seconds(explanation, explanation->last_worker.end_ns));
}

void explanation_write_text(const struct explanation *explanation, FILE *out)
{
	write_head(explanation, out);
	if (explanation->program) {
		crash_lines_write(explanation, false, "", "\n", out);
		write_held(explanation, out);
		write_short_processes(explanation, out);
		write_causes(explanation, out);
		write_last_worker(explanation, out);
		write_longest(explanation, out);
		crash_lines_write(explanation, true, "\n", "", out);
	}
	write_notes(explanation, out);
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
	return explanation_knows(explanation, function) ?
		       function_text(explanation_functions(explanation),
				     function) :
		       NULL;
}

static void write_line_member(const struct explanation *explanation,
			      uint32_t user, uint32_t offset, FILE *out)
{
	struct source_line source;
	char text[600];

	if (!explanation_knows(explanation, user) ||
	    !lines_find(explanation->input->lines,
			function_at(explanation_functions(explanation), user),
			offset, &source))
		return;
	snprintf(text, sizeof(text), "%s:%d", source.file, source.line);
	write_member(out, "line", text);
}

/* Writes the function that had the time, and the system call with its file. */
static void write_call_members(const struct explanation *explanation,
			       const struct cause_detail *detail, FILE *out)
{
	bool is_work = detail->kind == LINK_CALL;
	uint32_t refused = sentence_refused(explanation, detail);
	uint32_t call = is_work ? detail->function : detail->call;
	uint32_t function =
		is_work ? lives_call_function(explanation->causes.lives, call) :
			  detail->function;

	write_member(out, "function", name_of(explanation, function));
	write_member(out, "call", sentence_call_name(explanation, call));
	write_member(out, "file", sentence_call_file(explanation, call));
	write_member(out, "refused_call",
		     sentence_call_name(explanation, refused));
	write_member(out, "refused_file",
		     sentence_call_file(explanation, refused));
}

static void write_json_details(const struct explanation *explanation,
			       const struct cause *cause, FILE *out)
{
	size_t count;
	const struct cause_detail *details =
		explanation_details(explanation, &count);
	const char *separator = "";

	fputs(",\"parts\":[", out);
	for (size_t i = 0; i < count; i++) {
		const struct cause_detail *detail = &details[i];

		if (detail->cause != cause->index)
			continue;
		fprintf(out, "%s\n  {\"ns\":%" PRIu64 ",\"kind\":\"%s\"",
			separator, detail->ns, why_name(detail->kind));
		write_call_members(explanation, detail, out);
		write_member(out, "inside",
			     name_of(explanation, detail->inside));
		if (detail->count)
			fprintf(out, ",\"faults\":%" PRIu64, detail->count);
		if (detail->sleeps)
			fprintf(out, ",\"sleeps\":%" PRIu64, detail->sleeps);
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
	sentence_command(&command, explanation, cause);
	write_member(out, "evidence", command.text);
	sentence_cause(&sentence, explanation, cause);
	write_member(out, "sentence", sentence.text);
	if (sentence_details(&details, explanation, cause) && details.size)
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
	if (link->sleep) {
		write_member(out, "call",
			     sentence_call_name(explanation,
						link->sleep->call));
		write_member(out, "file",
			     sentence_call_file(explanation,
						link->sleep->call));
	}
	fputs("}", out);
}

static void write_json_waited_for(const struct explanation *explanation,
				  FILE *out)
{
	const struct waited_for *waited = explanation->waited_for.items;

	fputs("\n],\n\"waits_for\":[", out);
	for (size_t i = 0; i < explanation->waited_for.count; i++) {
		const struct life *life =
			lives_at(explanation->causes.lives, waited[i].thread);

		fprintf(out, "%s{\"pid\":%" PRId32, i ? "," : "", life->pid);
		write_member(out, "program",
			     task_names_last(explanation->input->names,
					     life->tid));
		fprintf(out, "%s}",
			waited[i].is_pipe ? ",\"inferred\":true" : "");
	}
}

static void write_json_crash(const struct explanation *explanation,
			     const struct crash *crash, FILE *out)
{
	struct text_line place = { .size = 0 };
	struct text_line sentence = { .size = 0 };

	fprintf(out, "{\"pid\":%" PRId32 ",\"time_ns\":%" PRIu64, crash->pid,
		crash->time_ns);
	write_member(out, "program",
		     task_names_last(explanation->input->names, crash->tid));
	write_member(out, "signal", crash->signal);
	if (crash->sender_pid)
		fprintf(out, ",\"sender_pid\":%" PRId32, crash->sender_pid);
	if (crash_lines_add_place(&place, crash))
		write_member(out, "function", place.text);
	crash_lines_add(&sentence, explanation, crash, false);
	if (!crash_is_of_pipe(crash))
		write_member(out, "sentence", sentence.text);
	fputs("}", out);
}

/* Starts the object @member about a thread at a time. */
static void begin_remark(const struct explanation *explanation,
			 const char *member, uint32_t thread, uint64_t begin_ns,
			 uint64_t end_ns, FILE *out)
{
	const struct life *life = lives_at(explanation->causes.lives, thread);

	fprintf(out,
		",\n\"%s\":{\"pid\":%" PRId32 ",\"tid\":%" PRId32
		",\"begin_ns\":%" PRIu64 ",\"ns\":%" PRIu64,
		member, life->pid, life->tid, begin_ns, end_ns - begin_ns);
	write_member(out, "program",
		     task_names_last(explanation->input->names, life->tid));
}

static void write_json_held(const struct explanation *explanation, FILE *out)
{
	const struct causes *causes = &explanation->held_causes;
	const struct life *life = lives_at(causes->lives, explanation->held);
	struct explanation held = *explanation;
	struct text_line line = { .size = 0 };

	if (!life)
		return;
	held.causes = *causes;
	begin_remark(explanation, "held_loop", explanation->held,
		     life->loop.held_begin_ns, life->loop.held_end_ns, out);
	add_held(&line, explanation, life, false);
	write_member(out, "sentence", line.text);
	fputs(",\"why\":", out);
	write_json_cause(&held, causes->all.items.items, out);
	fputs("}", out);
}

static void write_json_last_worker(const struct explanation *explanation,
				   FILE *out)
{
	const struct last_worker *last = &explanation->last_worker;
	struct text_line line = { .size = 0 };

	if (!last->workers)
		return;
	begin_remark(explanation, "last_worker", last->thread, last->begin_ns,
		     last->end_ns, out);
	fprintf(out, ",\"workers\":%" PRIu32, last->workers);
	add_last_worker(&line, explanation, false);
	write_member(out, "sentence", line.text);
	fputs("}", out);
}

/* Writes the lines that the text format has above and below the causes. */
static void write_json_notes(const struct explanation *explanation, FILE *out)
{
	struct text_line head = { .size = 0 };
	struct text_line waits = { .size = 0 };
	struct text_line processes = { .size = 0 };
	char *notes = NULL;
	size_t size;
	FILE *text = open_memstream(&notes, &size);

	add_head(&head, explanation);
	write_member(out, "sentence", head.text);
	add_waited_for(&waits, explanation);
	if (waits.size)
		write_member(out, "waits_sentence", waits.text);
	if (sentence_processes(&processes, explanation))
		write_member(out, "processes_sentence", processes.text);
	if (!text)
		return;
	write_notes(explanation, text);
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
	write_json_waited_for(explanation, out);
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
	write_json_held(explanation, out);
	write_json_last_worker(explanation, out);
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
