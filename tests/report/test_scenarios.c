/* SPDX-License-Identifier: MIT */
#include "decoder/flow/flow.h"
#include "decoder/goroutine_ids.h"
#include "report/steps/event_merge.h"
#include "report/steps/task_stacks.h"
#include "report/timeline/step_texts.h"
#include "report/timeline/timeline.h"
#include "symbolize/events/function_events.h"
#include "symbolize/symbols/symbols.h"
#include "tests/fixtures/flow.h"
#include "tests/run_suite.h"

#include "symbolize/arch/arch.h"
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Each file in tests/scenarios has the symbols of a kernel (of x86-64 unless it
 * starts with a line "arch arm64"), the branches of its CPUs, lines "goroutine
 * TIME TID ID" for recorded ids of goroutines, and after "steps" the expected
 * steps. KTRACE_SCENARIO_WRITE=1 writes the steps into the file
 * instead of comparing them: read the difference before you commit it.
 */
enum { MAX_CPUS = 4 };

struct scenario {
	const struct arch *arch;
	char symbols[4096];
	char *expected; /* in text */
	char *text;
	size_t prefix; /* of text: up to the steps */
	int32_t pids[MAX_CPUS];
	int32_t tids[MAX_CPUS];
	struct flow_fixture flows[MAX_CPUS];
	int cpus;
	struct goroutine_ids *goroutines; /* NULL: none */
};

struct writer {
	struct step_callback callback;
	const struct symbols *symbols;
	FILE *out;
};

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = calloc(1, 65536);

	ck_assert_msg(file, "%s", path);
	ck_assert_uint_lt(fread(text, 1, 65535, file), 65535);
	fclose(file);
	return text;
}

static void add_line(struct scenario *scenario, const char *line)
{
	struct flow_fixture *flows = scenario->flows;
	uint64_t time_ns;
	uint64_t id;
	int pid;
	int tid;

	if (*line == '#' || !*line)
		return;
	if (!strcmp(line, "arch arm64")) {
		scenario->arch = &arch_arm64;
	} else if (sscanf(line, "cpu %d/%d", &pid, &tid) == 2) {
		scenario->pids[scenario->cpus] = pid;
		scenario->tids[scenario->cpus] = tid;
		flow_fixture_init(&flows[scenario->cpus++]);
	} else if (sscanf(line, "goroutine %" SCNu64 " %d %" SCNu64, &time_ns,
			  &tid, &id) == 3) {
		if (!scenario->goroutines)
			scenario->goroutines = goroutine_ids_new();
		ck_assert_int_eq(goroutine_ids_add(scenario->goroutines, tid,
						   time_ns, id),
				 0);
	} else if (!scenario->cpus) {
		strcat(scenario->symbols, line);
		strcat(scenario->symbols, "\n");
	} else {
		ck_assert_msg(flow_fixture_add(&flows[scenario->cpus - 1],
					       line),
			      "%s", line);
	}
}

static void read_scenario(const char *path, struct scenario *scenario)
{
	char *copy;
	char *line;
	char *rest;

	*scenario = (struct scenario){
		.arch = &arch_x86_64,
		.text = read_file(path),
	};
	scenario->expected = strstr(scenario->text, "\nsteps\n");
	ck_assert_msg(scenario->expected, "%s has no steps", path);
	scenario->expected += strlen("\nsteps\n");
	scenario->prefix = (size_t)(scenario->expected - scenario->text);
	rest = copy = strndup(scenario->text, scenario->prefix - 7);
	while ((line = strsep(&rest, "\n")))
		add_line(scenario, line);
	free(copy);
}

static void write_unseen(FILE *out, uint8_t unseen)
{
	fprintf(out, "%s%s%s\n", unseen & UNSEEN_BEGIN ? " begin-unseen" : "",
		unseen & UNSEEN_END ? " end-unseen" : "",
		unseen & UNSEEN_INSIDE ? " paused" : "");
}

static void write_function(const struct writer *writer,
			   const struct call_step *step)
{
	const char *name =
		function_at(symbols_functions(writer->symbols), step->function)
			->name;

	fprintf(writer->out, "%*s", (int)step->depth * 2, "");
	if (step->kind == STEP_ENTER)
		fprintf(writer->out, "> %s %s", name, call_how_text(step->how));
	else
		fprintf(writer->out, "< %s %" PRIu64, name, step->wall_ns);
	if (step->kind == STEP_EXIT && step->on_cpu_ns != step->wall_ns)
		fprintf(writer->out, " on-cpu %" PRIu64, step->on_cpu_ns);
	if (step->kind == STEP_ENTER && step->fiber)
		fprintf(writer->out, " %s %u", fiber_kind(step->fiber),
			fiber_number(step->fiber));
	write_unseen(writer->out, step->unseen);
}

static void write_step(struct step_callback *callback,
		       const struct call_step *step)
{
	const struct writer *writer = (const struct writer *)callback;
	FILE *out = writer->out;

	if (step->kind == STEP_LEAVE)
		return;
	fprintf(out, "%4" PRIu64 " cpu%u %3d  ", step->time_ns, step->cpu,
		step->task->tid);
	switch ((enum call_step_kind)step->kind) {
	case STEP_ENTER:
	case STEP_EXIT:
		write_function(writer, step);
		break;
	case STEP_COUNT:
		fprintf(out, "= count %s\n", call_how_text(step->how));
		break;
	case STEP_SWITCH:
		fputs("= runs\n", out);
		break;
	case STEP_STATE:
		fprintf(out, "= %s\n", cpu_state_text(step->detail));
		break;
	case STEP_GAP:
		fprintf(out, "= gap %s %" PRIu64 "\n",
			flow_gap_text(step->detail), step->value);
		break;
	case STEP_END:
		fputs("= end\n", out);
		break;
	case STEP_LEAVE:
	case STEP_INTERRUPTS:
		break;
	}
}

static int next_events(void *ctx, const struct function_event **batch)
{
	return function_events_next(ctx, batch);
}

static void run_events(struct scenario *scenario, struct writer *writer)
{
	struct task_stacks *stacks =
		task_stacks_new(TIME_WINDOW_ALL, &writer->callback);
	struct event_merge *merge = event_merge_new(task_stacks_holds, stacks);
	struct function_events *events[MAX_CPUS];
	struct applied_run run;
	int status;

	task_stacks_set_functions(stacks, symbols_functions(writer->symbols));
	if (scenario->goroutines)
		goroutine_ids_finish(scenario->goroutines);
	task_stacks_set_goroutines(stacks, scenario->goroutines);
	for (int i = 0; i < scenario->cpus; i++) {
		int32_t pid = scenario->pids[i];
		int32_t tid = scenario->tids[i];

		events[i] = function_events_new(&scenario->flows[i].source,
						writer->symbols, pid, tid);
		ck_assert_int_eq(task_stacks_add_cpu(stacks, i, pid, tid), i);
		ck_assert_int_eq(event_merge_add(merge, next_events, events[i],
						 false),
				 0);
	}
	do
		status = task_stacks_advance(stacks, merge, &run);
	while (status > 0);
	ck_assert_int_eq(status, 0);
	task_stacks_close(stacks);
	for (int i = 0; i < scenario->cpus; i++) {
		function_events_free(events[i]);
		flow_fixture_free(&scenario->flows[i]);
	}
	event_merge_free(merge);
	task_stacks_free(stacks);
}

static char *run_scenario(struct scenario *scenario)
{
	struct writer writer = { .callback.consume = write_step };
	struct symbols *symbols;
	size_t size;
	char *text;

	ck_assert_int_eq(symbols_from_text(scenario->arch, scenario->symbols,
					   strlen(scenario->symbols), "", 0,
					   &symbols),
			 0);
	writer.symbols = symbols;
	writer.out = open_memstream(&text, &size);
	run_events(scenario, &writer);
	fclose(writer.out);
	symbols_close(symbols);
	return text;
}

static void write_back(const char *path, const struct scenario *scenario,
		       const char *steps)
{
	FILE *file = fopen(path, "we");

	fwrite(scenario->text, 1, scenario->prefix, file);
	fputs(steps, file);
	fclose(file);
}

static void check_scenario(const char *path)
{
	struct scenario scenario;
	char *steps;

	read_scenario(path, &scenario);
	steps = run_scenario(&scenario);
	if (getenv("KTRACE_SCENARIO_WRITE"))
		write_back(path, &scenario, steps);
	else
		ck_assert_msg(strcmp(steps, scenario.expected) == 0,
			      "%s: came out as\n%s", path, steps);
	free(steps);
	goroutine_ids_free(scenario.goroutines);
	free(scenario.text);
}

START_TEST(scenarios_come_out_as_written)
{
	DIR *folder = opendir("tests/scenarios");
	struct dirent *entry;
	char path[512];
	int count = 0;

	ck_assert_msg(folder, "run from the project's folder");
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "tests/scenarios/%s",
			 entry->d_name);
		check_scenario(path);
		count++;
	}
	closedir(folder);
	ck_assert_int_gt(count, 0);
}
END_TEST

SUITE("scenarios")
{
	TEST(scenarios_come_out_as_written);
}
