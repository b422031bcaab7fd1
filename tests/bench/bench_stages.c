/* SPDX-License-Identifier: MIT */
/* Measures the time per event of the stages after the decoder: a recording is
 * decoded once, into memory, and then sent through them.
 *
 * 	bench_stages [-n EVENTS] [-r RUNS] [-s STAGE] RECORDING...
 *
 * Uses the first EVENTS (8,000,000) of each stream. Each line is the best of
 * RUNS (3), in nanoseconds of CPU time per event, including all earlier stages
 * except "read", the copying of the events out of that memory.
 */
#include "attribution/events/known_events.h"
#include "attribution/events/step_join.h"
#include "attribution/trackers.h"
#include "cmd/pipeline/session.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/profile/profile.h"
#include "report/profile/profile_report.h"
#include "report/steps/event_merge.h"
#include "report/steps/task_stacks.h"
#include "symbolize/elf/lines.h"
#include "symbolize/events/function_event.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tests/bench/tape_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAME_WIDTH = 16 };

struct bench {
	struct session session;
	struct tape *tapes;
	size_t tape_count;
	size_t event_count;
	double read_ns; /* of an event */
	int runs;
	const char *only; /* stage; NULL: all */
};

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void check(int status, const char *what)
{
	if (status >= 0)
		return;
	fprintf(stderr, "bench_stages: %s: %s\n", what, error_text(status));
	exit(1);
}

static void *need(void *object, const char *what)
{
	check(object ? 0 : -ERROR_MEMORY, what);
	return object;
}

static bool never_wait(void *ctx, uint32_t index,
		       const struct function_event *event, uint32_t *where)
{
	(void)ctx;
	(void)index;
	(void)event;
	(void)where;
	return false;
}

static struct event_merge *rewind_tapes(const struct bench *bench,
					event_merge_holds *holds, void *ctx)
{
	struct event_merge *merge = need(event_merge_new(holds, ctx), "merge");

	for (size_t i = 0; i < bench->tape_count; i++) {
		tape_rewind(&bench->tapes[i]);
		check(event_merge_add(merge, tape_replay, &bench->tapes[i],
				      false),
		      "merge");
	}
	return merge;
}

static double time_read(const struct bench *bench, const void *ctx)
{
	const struct function_event *batch;
	double begin = cpu_ns();

	(void)ctx;
	for (size_t i = 0; i < bench->tape_count; i++) {
		tape_rewind(&bench->tapes[i]);
		while (tape_replay(&bench->tapes[i], &batch))
			;
	}
	return cpu_ns() - begin;
}

static double time_merge(const struct bench *bench, const void *ctx)
{
	(void)ctx;
	struct event_merge *merge = rewind_tapes(bench, never_wait, NULL);
	const struct function_event *events;
	double begin = cpu_ns();
	double end;
	uint32_t index;

	while (event_merge_next(merge, &index, &events) > 0)
		;
	end = cpu_ns();
	event_merge_free(merge);
	return end - begin;
}

/* Sends all events through merge and stacks to @callback. */
static double time_steps(const struct bench *bench,
			 struct step_callback *callback,
			 struct task_stacks **stacks)
{
	struct event_merge *merge;
	struct applied_run run;
	double begin;
	int status;

	*stacks = need(task_stacks_new(TIME_WINDOW_ALL, callback), "stacks");
	for (size_t i = 0; i < bench->tape_count; i++) {
		const struct cpu_pipeline *from = &bench->tapes[i].from;

		check(task_stacks_add_cpu(*stacks, from->cpu, from->pid,
					  from->tid),
		      "stacks");
	}
	merge = rewind_tapes(bench, task_stacks_holds, *stacks);
	begin = cpu_ns();
	do
		status = task_stacks_advance(*stacks, merge, &run);
	while (status > 0);
	check(status, "steps");
	task_stacks_close(*stacks);
	begin = cpu_ns() - begin;
	event_merge_free(merge);
	return begin;
}

static void drop(struct step_callback *callback, const struct call_step *step)
{
	(void)callback;
	(void)step;
}

static double time_null(const struct bench *bench, const void *ctx)
{
	(void)ctx;
	struct step_callback callback = { .consume = drop };
	struct task_stacks *stacks;
	double time = time_steps(bench, &callback, &stacks);

	task_stacks_free(stacks);
	return time;
}

static double time_render(const struct bench *bench,
			  const struct profile *profile,
			  const struct task_stacks *stacks,
			  const struct profile_renderer *renderer)
{
	const struct profile_report report = {
		.recording = bench->session.recording,
		.functions = symbols_functions(bench->session.symbols),
		.names = bench->session.names,
		.stacks = stacks,
		.tree = profile_tree(profile),
		.filter = &bench->session.filter,
		.top = UINT64_MAX,
		.colors = bench->session.colors,
	};
	double begin = cpu_ns();

	renderer->render(&report, bench->session.out);
	return cpu_ns() - begin;
}

/* The profile, shown as the report that @ctx names shows it. */
static double time_profile(const struct bench *bench, const void *ctx)
{
	const char *report = ctx;
	const struct profile_options options = {
		.filter = &bench->session.filter,
		.window = TIME_WINDOW_ALL,
	};
	struct profile *profile = need(profile_new(&options), "profile");
	struct task_stacks *stacks;
	double time = time_steps(bench, profile_callback(profile), &stacks);

	if (report)
		time += time_render(bench, profile, stacks,
				    profile_renderer_find(report, "text"));
	task_stacks_free(stacks);
	profile_free(profile);
	return time;
}

/* Times one stage: the best of all runs, as the clock includes other load of
 * the machine.
 */
static void show(struct bench *bench, const char *name,
		 double (*time)(const struct bench *bench, const void *ctx),
		 const void *ctx)
{
	double best = 0;

	if (bench->only && bench->read_ns > 0 && strcmp(bench->only, name))
		return;
	for (int i = 0; i < bench->runs; i++) {
		double passed = time(bench, ctx);

		if (!i || passed < best)
			best = passed;
	}
	best /= (double)bench->event_count;
	printf("  %-*s %6.1f ns\n", NAME_WIDTH, name, best - bench->read_ns);
	fflush(stdout);
	if (time == time_read)
		bench->read_ns = best;
}

static const char *argument_of(const struct attribution_table *table)
{
	if (!strcmp(table->name, "between"))
		return "ksys_read,vfs_read";
	return strcmp(table->name, "function") ? NULL : "vfs_read";
}

struct table_run {
	const struct attribution_table *table;
	const struct attribution_input *input;
};

static double time_table(const struct bench *bench, const void *ctx)
{
	const struct attribution_table *table =
		((const struct table_run *)ctx)->table;
	struct attribution_input input =
		*((const struct table_run *)ctx)->input;
	struct trackers *trackers = need(trackers_new(&input), "trackers");
	struct event_handler *handler;
	struct step_join *join;
	struct task_stacks *stacks;
	double time;

	input.trackers = trackers;
	handler = need(attribution_table_open(table, &input), table->name);
	join = need(trackers_join(trackers), "join");
	time = time_steps(bench, step_join_callback(join), &stacks);
	task_stacks_free(stacks);
	step_join_free(join);
	attribution_table_close(table, handler);
	trackers_free(trackers);
	return time;
}

static void time_tables(struct bench *bench)
{
	const struct session *session = &bench->session;
	struct known_events *events = known_events_new(session->recording);
	struct context_kinds *kinds =
		context_kinds_new(symbols_functions(session->symbols),
				  symbols_arch(session->symbols));
	struct attribution_input input = {
		.recording = session->recording,
		.symbols = session->symbols,
		.lines = lines_new(NULL),
		.names = session->names,
		.events = events,
		.kinds = kinds,
		.filter = &session->filter,
		.window = TIME_WINDOW_ALL,
	};
	const struct attribution_table *table;
	char message[1024];

	for (size_t i = 0; (table = attribution_table_at(i)); i++) {
		input.argument = argument_of(table);
		if (!table->check ||
		    table->check(&input, message, sizeof(message)))
			show(bench, table->name, time_table,
			     &(struct table_run){ table, &input });
	}
	lines_free(input.lines);
	known_events_free(events);
	context_kinds_free(kinds);
}

static void time_all(struct bench *bench)
{
	show(bench, "read", time_read, NULL);
	show(bench, "merge", time_merge, NULL);
	show(bench, "steps", time_null, NULL);
	show(bench, "profile", time_profile, NULL);
	show(bench, "flat", time_profile, "flat");
	show(bench, "callgraph", time_profile, "callgraph");
	time_tables(bench);
}

static void bench_recording(const char *path, size_t limit, int runs,
			    const char *only)
{
	const struct report_options options = {
		.input = path,
		.output = "/dev/null",
		.top = UINT64_MAX,
	};
	struct bench bench = { .runs = runs, .only = only };

	if (session_open(&bench.session, &options))
		exit(1);
	bench.tape_count = recording_stream_count(bench.session.recording);
	bench.tapes = need(calloc(bench.tape_count + 1, sizeof(*bench.tapes)),
			   "tapes");
	for (size_t i = 0; i < bench.tape_count; i++) {
		check(tape_record(&bench.tapes[i], &bench.session, i, limit),
		      "decoding");
		bench.event_count += bench.tapes[i].events.count;
	}
	printf("%s: %zu events in %zu streams\n", path, bench.event_count,
	       bench.tape_count);
	time_all(&bench);
	for (size_t i = 0; i < bench.tape_count; i++)
		tape_free(&bench.tapes[i]);
	free(bench.tapes);
	session_close(&bench.session);
}

int main(int argc, char **argv)
{
	size_t limit = 8000000;
	int runs = 3;
	const char *only = NULL;
	int option;

	while ((option = getopt(argc, argv, "n:r:s:")) != -1) {
		if (option == 'n')
			limit = strtoul(optarg, NULL, 0);
		else if (option == 'r')
			runs = atoi(optarg);
		else if (option == 's')
			only = optarg;
		else
			return 2;
	}
	for (; optind < argc; optind++)
		bench_recording(argv[optind], limit, runs, only);
	return 0;
}
