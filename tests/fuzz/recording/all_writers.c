/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/recording/all_writers.h"

#include "attribution/events/known_events.h"
#include "attribution/events/step_join.h"
#include "attribution/trackers.h"
#include "cmd/pipeline/pipeline.h"
#include "cmd/pipeline/session.h"
#include "decoder/recording/recording.h"
#include "explain/explain.h"
#include "report/profile/profile.h"
#include "report/profile/profile_report.h"
#include "report/steps/step_select.h"
#include "report/steps/task_stacks.h"
#include "report/text/duration_text.h"
#include "report/timeline/timeline.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"

#include <stdio.h>
#include <stdlib.h>

static const struct timeline_renderer *const timelines[] = {
	&timeline_text, &timeline_raw, &timeline_csv,  &timeline_json,
	&export_csv,	&export_json,  &export_chrome, &export_perfetto,
};

static const char *const profiles[][2] = {
	{ "flat", "text" },	    { "flat", "csv" },
	{ "flat", "json" },	    { "callgraph", "text" },
	{ "callgraph", "csv" },	    { "callgraph", "json" },
	{ "flamegraph", "svg" },    { "flamegraph", "folded" },
	{ "export", "gmon" },	    { "export", "pprof" },
	{ "export", "speedscope" }, { "export", "callgrind" },
};

enum {
	TIMELINES = sizeof(timelines) / sizeof(*timelines),
	PROFILES = sizeof(profiles) / sizeof(*profiles),
	TABLES = 16,
};

/* An output that an input may select alone: most of its time is spent in
 * writers.
 */
enum writer_part {
	PART_ALL,
	PART_TIMELINES,
	PART_PROFILES,
	PART_TABLES, /* from here on each part has some of the tables */
	PARTS = 8,
};

/* All consumers of steps, as one callback. */
struct writers {
	struct step_callback callback;
	const struct session *session;
	const struct writer_choice *choice;
	const struct time_unit *unit;
	struct step_select_options selection;
	struct step_select *selects[TIMELINES]; /* NULL: needs times */
	struct step_callback *lines[TIMELINES];
	struct profile *profile; /* NULL: not chosen */
	struct known_events *events;
	struct context_kinds *kinds;
	struct lines *source_lines;
	struct call_records_choice calls;
	const struct attribution_table *tables[TABLES];
	struct attribution_input inputs[TABLES];
	struct trackers *trackers;
	struct event_handler *handlers[TABLES];
	size_t table_count;
	struct step_join *join; /* NULL: no times */
	char functions[2][256]; /* arguments of tables */
};

static void *need(void *made)
{
	if (!made)
		abort();
	return made;
}

static void consume(struct step_callback *callback,
		    const struct call_step *step)
{
	struct writers *writers = (struct writers *)callback;
	struct step_callback *next;

	if (writers->profile) {
		next = profile_callback(writers->profile);
		next->consume(next, step);
	}
	for (size_t i = 0; i < TIMELINES; i++) {
		if (!writers->selects[i])
			continue;
		next = step_select_callback(writers->selects[i]);
		next->consume(next, step);
	}
	if (!writers->join)
		return;
	next = step_join_callback(writers->join);
	next->consume(next, step);
}

static bool is_chosen(const struct writers *writers, enum writer_part part)
{
	uint8_t chosen = writers->choice->part;

	return !chosen || 1 + (chosen - 1) % (PARTS - 1) == (int)part;
}

static void open_timelines(struct writers *writers)
{
	const struct session *session = writers->session;
	const struct timeline_context context = {
		.functions = symbols_functions(session->symbols),
		.names = session->names,
		.unit = writers->unit,
		.colors = session->colors,
		.out = session->out,
	};

	writers->selection = (struct step_select_options){
		.filter = &session->filter,
		.window = session->window,
		.max_depth = writers->choice->max_depth ?
				     writers->choice->max_depth :
				     UINT32_MAX,
		.min_ns = writers->choice->min_duration ?
				  UINT64_C(1)
					  << (writers->choice->min_duration &
					      31) :
				  0,
		.max_count = writers->choice->top ? writers->choice->top :
						    UINT64_MAX,
	};
	for (size_t i = 0; i < TIMELINES; i++) {
		if (!is_chosen(writers, PART_TIMELINES) ||
		    (timelines[i]->needs_time && !writers->unit->is_time))
			continue;
		writers->lines[i] = need(timelines[i]->open(&context));
		writers->selects[i] = need(step_select_new(&writers->selection,
							   context.functions,
							   writers->lines[i]));
	}
}

/* Returns the argument of a table that needs one: the last function's name or,
 * for the latency table, that and the middle one's. Optional arguments are
 * omitted.
 */
static const char *argument_of(struct writers *writers,
			       const struct attribution_table *table)
{
	const struct function_table *functions =
		symbols_functions(writers->session->symbols);
	uint32_t count = function_count(functions);
	const char *first = function_at(functions, count / 2)->name;
	const char *last = function_at(functions, count - 1)->name;

	if (!table->argument || *table->argument == '[')
		return NULL;
	snprintf(writers->functions[0], sizeof(writers->functions[0]), "%s",
		 last);
	snprintf(writers->functions[1], sizeof(writers->functions[1]), "%s,%s",
		 last, first);
	return writers->functions[table == &latency_table];
}

static void open_table(struct writers *writers,
		       const struct attribution_table *table)
{
	const struct session *session = writers->session;
	size_t index = writers->table_count;
	struct attribution_input *input = &writers->inputs[index];
	char message[1024];

	*input = (struct attribution_input){
		.recording = session->recording,
		.symbols = session->symbols,
		.lines = writers->source_lines,
		.names = session->names,
		.events = writers->events,
		.kinds = writers->kinds,
		.filter = &session->filter,
		.window = session->window,
		.argument = argument_of(writers, table),
		.trackers = writers->trackers,
		.calls = table == &call_records_table ? &writers->calls : NULL,
	};
	if (table->check && !table->check(input, message, sizeof(message)))
		return;
	writers->tables[index] = table;
	writers->handlers[index] = need(attribution_table_open(table, input));
	writers->table_count++;
}

/* Returns a table that cannot be in this pass, or NULL: for a window, servers
 * need the requests in it, but the table of requests needs those before it,
 * too.
 */
static const struct attribution_table *left_out(const struct writers *writers)
{
	if (time_window_is_all(writers->session->window))
		return NULL;
	return writers->choice->format & 2 ? &servers_table : &requests_table;
}

static void open_tables(struct writers *writers)
{
	const struct session *session = writers->session;
	const struct attribution_table *table;

	writers->events = need(known_events_new(session->recording));
	writers->kinds =
		need(context_kinds_new(symbols_functions(session->symbols),
				       symbols_arch(session->symbols)));
	writers->source_lines = need(lines_new(NULL));
	if (!writers->unit->is_time)
		return;
	writers->calls = (struct call_records_choice){
		.max_count = UINT64_MAX,
		.max_depth = UINT32_MAX,
		.format = writers->choice->format & 1 ? RECORD_JSON :
							RECORD_TABLE,
		.out = session->out,
	};
	writers->trackers = need(trackers_new(&(struct attribution_input){
		.recording = session->recording,
		.symbols = session->symbols,
		.names = session->names,
		.events = writers->events,
		.kinds = writers->kinds,
		.window = session->window,
	}));
	if (is_chosen(writers, PART_TABLES))
		open_table(writers, &call_records_table);
	if (is_chosen(writers, PARTS - 1))
		open_table(writers, &explain_table);
	for (size_t i = 0; (table = attribution_table_at(i)); i++)
		if (is_chosen(writers,
			      PART_TABLES + i % (PARTS - PART_TABLES)) &&
		    table != left_out(writers))
			open_table(writers, table);
	if (!writers->table_count)
		return;
	writers->join = need(trackers_join(writers->trackers));
}

static void render_profiles(struct writers *writers,
			    const struct task_stacks *stacks)
{
	const struct session *session = writers->session;
	const struct profile_report report = {
		.recording = session->recording,
		.functions = symbols_functions(session->symbols),
		.names = session->names,
		.stacks = stacks,
		.tree = profile_tree(writers->profile),
		.filter = &session->filter,
		.top = writers->selection.max_count,
		.colors = session->colors,
	};

	profile_end(writers->profile);
	for (size_t i = 0; i < PROFILES; i++) {
		const struct profile_renderer *renderer =
			profile_renderer_find(profiles[i][0], profiles[i][1]);

		if (renderer->needs_time && !writers->unit->is_time)
			continue;
		renderer->render(&report, session->out);
		if (renderer->render_second)
			renderer->render_second(&report, session->out);
	}
}

static void render_tables(struct writers *writers,
			  const struct task_stacks *stacks)
{
	const struct attribution_output output = {
		.out = writers->session->out,
		.format = writers->choice->format % 3,
		.top = writers->selection.max_count,
		.stacks = stacks,
	};

	for (size_t i = 0; i < writers->table_count; i++)
		writers->tables[i]->render(writers->handlers[i], &output);
}

static void render(struct writers *writers, const struct task_stacks *stacks)
{
	for (size_t i = 0; i < TIMELINES; i++)
		if (writers->selects[i])
			step_select_end(writers->selects[i]);
	if (writers->join) {
		step_join_end(writers->join);
		trackers_end(writers->trackers);
	}
	if (writers->profile)
		render_profiles(writers, stacks);
	render_tables(writers, stacks);
}

/* Stacks exist even if no user of them was chosen. */
static void decode(struct writers *writers)
{
	struct task_stacks *stacks = NULL;

	if (!run_pipeline(writers->session, &writers->callback, &stacks))
		render(writers, stacks);
	task_stacks_free(stacks);
}

static void close_all(struct writers *writers)
{
	step_join_free(writers->join);
	for (size_t i = 0; i < writers->table_count; i++)
		attribution_table_close(writers->tables[i],
					writers->handlers[i]);
	trackers_free(writers->trackers);
	for (size_t i = 0; i < TIMELINES; i++) {
		if (writers->lines[i])
			timelines[i]->close(writers->lines[i]);
		step_select_free(writers->selects[i]);
	}
	profile_free(writers->profile);
	known_events_free(writers->events);
	context_kinds_free(writers->kinds);
	lines_free(writers->source_lines);
}

void all_writers_run(struct session *session,
		     const struct writer_choice *choice)
{
	struct writers writers = {
		.callback.consume = consume,
		.session = session,
		.choice = choice,
		.unit = time_unit_of(session->recording),
	};

	if (is_chosen(&writers, PART_PROFILES))
		writers.profile = need(profile_new(&(struct profile_options){
			.filter = &session->filter,
			.window = session->window,
		}));
	open_timelines(&writers);
	open_tables(&writers);
	decode(&writers);
	close_all(&writers);
}
