/* SPDX-License-Identifier: MIT */
/* Measures the time that writers of timelines take for each step, without
 * making it.
 *
 * 	bench_writers [RECORDING]
 *
 * The steps are the first ones of a recording, or made up; each writer gets
 * them several times over and writes to /dev/null. No figure is a failure.
 */
#include "cmd/pipeline/pipeline.h"
#include "cmd/pipeline/session.h"
#include "common/array.h"
#include "report/steps/task_stacks.h"
#include "report/text/duration_text.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "report/timeline/timeline.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	MOST_STEPS = 1 << 16,
	ROUNDS = 20,
	FUNCTIONS = 2000,
	TASKS = 8,
	DEEPEST = 24,
	STEPS_PER_SWITCH = 500,
	OUTPUT_BYTES = 1 << 18,
};

/* Keeps the first steps. */
struct step_store {
	struct step_callback callback;
	struct array steps; /* struct call_step */
	struct array tasks; /* struct task *, copies, by index */
};

static const struct {
	const char *command;
	const char *format;
} writers[] = {
	{ "timeline", "text" },	  { "timeline", "raw" },
	{ "timeline", "csv" },	  { "timeline", "json" },
	{ "export", "perfetto" }, { "export", "chrome" },
};

static const struct time_unit nanoseconds = {
	.is_time = true,
	.name = "ns",
	.suffix = "_ns",
	.kind = "",
	.note = "",
};

static void die(const char *why)
{
	fprintf(stderr, "writers: %s\n", why);
	exit(1);
}

static void *must(void *memory)
{
	if (!memory)
		die("out of memory");
	return memory;
}

/* The recording's own tasks are gone when its steps are written. */
static const struct task *keep_task(struct step_store *store,
				    const struct task *task)
{
	struct task **kept = must(array_reach(&store->tasks, task->index));

	if (!*kept)
		*kept = must(calloc(1, sizeof(**kept)));
	**kept = *task;
	return *kept;
}

static void consume(struct step_callback *callback,
		    const struct call_step *step)
{
	struct step_store *store = (struct step_store *)callback;
	struct call_step *kept;

	if (store->steps.count == MOST_STEPS || step->kind == STEP_COUNT)
		return;
	kept = must(array_add(&store->steps));
	*kept = *step;
	kept->task = keep_task(store, step->task);
}

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(*state >> 33);
}

struct story {
	uint64_t random;
	uint64_t now_ns;
	struct task task;
	uint32_t depth[TASKS];
	uint32_t functions[TASKS][DEEPEST];
};

static void tell_step(struct story *story, struct step_store *store)
{
	uint32_t *depth = &story->depth[story->task.index];
	uint32_t *functions = story->functions[story->task.index];
	bool enters = *depth == 0 ||
		      (*depth < DEEPEST && next_random(&story->random) % 2);
	struct call_step step = {
		.time_ns = story->now_ns,
		.kind = enters ? STEP_ENTER : STEP_EXIT,
		.task = &story->task,
		.early_ns = next_random(&story->random) % 50,
	};

	if (!enters)
		--*depth;
	else
		functions[*depth] = next_random(&story->random) % FUNCTIONS;
	step.function = functions[*depth];
	step.depth = *depth;
	*depth += enters;
	if (!enters)
		step.wall_ns = step.on_cpu_ns =
			next_random(&story->random) % 20000;
	consume(&store->callback, &step);
}

static void make_steps(struct step_store *store)
{
	struct story story = { .random = 1, .now_ns = 1700000000 };

	for (uint32_t i = 0; i < MOST_STEPS; i++) {
		story.now_ns += next_random(&story.random) % 300;
		if (i % STEPS_PER_SWITCH) {
			tell_step(&story, store);
			continue;
		}
		story.task.index = next_random(&story.random) % TASKS;
		story.task.tid = story.task.pid =
			100 + (int32_t)story.task.index;
		consume(&store->callback,
			&(struct call_step){ .time_ns = story.now_ns,
					     .kind = STEP_SWITCH,
					     .task = &story.task });
	}
}

static void make_functions(struct function_table *functions)
{
	const char *module = must(
		(void *)(uintptr_t)function_table_module(functions, "", 0));
	char name[64];

	for (int i = 0; i < FUNCTIONS; i++) {
		int length = snprintf(name, sizeof(name),
				      "__made_function_%.*s%d", i % 16,
				      "_of_some_length", i);

		function_table_add(functions, name, (size_t)length, module,
				   'k');
	}
}

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Passes all steps on, shifted by their total length each round. */
static void replay(const struct step_store *store,
		   struct step_callback *callback)
{
	const struct call_step *steps = store->steps.items;
	size_t count = store->steps.count;
	uint64_t length_ns = steps[count - 1].time_ns - steps[0].time_ns + 1;

	for (uint64_t round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < count; i++) {
			struct call_step step = steps[i];

			step.time_ns += round * length_ns;
			callback->consume(callback, &step);
		}
	}
}

static void drop(struct step_callback *callback, const struct call_step *step)
{
	(void)callback;
	__asm__ volatile("" : : "r"(step) : "memory");
}

static double measure_nothing(const struct step_store *store)
{
	struct step_callback callback = { .consume = drop };
	double begin = cpu_ns();

	replay(store, &callback);
	return cpu_ns() - begin;
}

static double measure(const struct step_store *store,
		      const struct timeline_context *context,
		      const struct timeline_renderer *renderer)
{
	struct step_callback *callback = must(renderer->open(context));
	double begin = cpu_ns();

	replay(store, callback);
	if (renderer->close(callback) < 0 || fflush(context->out))
		die("not all was written");
	return cpu_ns() - begin;
}

static void measure_all(const struct step_store *store,
			struct timeline_context *context)
{
	double steps = (double)store->steps.count * ROUNDS;
	double nothing = measure_nothing(store);

	context->out = must(fopen("/dev/null", "we"));
	setvbuf(context->out, NULL, _IOFBF, OUTPUT_BYTES);
	printf("%zu steps, %d times\n", store->steps.count, ROUNDS);
	for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++) {
		double ns = measure(store, context,
				    timeline_renderer_find(writers[i].command,
							   writers[i].format));

		printf("%-9s %-9s %6.1f ns a step\n", writers[i].command,
		       writers[i].format, (ns - nothing) / steps);
	}
	fclose(context->out);
}

static void measure_made_up(struct step_store *store)
{
	struct function_table *functions = must(function_table_new());
	struct task_names *names = must(task_names_empty());
	struct timeline_context context = {
		.functions = functions,
		.names = names,
		.unit = &nanoseconds,
		.colors = &colors_none,
	};

	make_functions(functions);
	make_steps(store);
	measure_all(store, &context);
	task_names_close(names);
	function_table_free(functions);
}

static void measure_recording(struct step_store *store, const char *path)
{
	const struct report_options options = { .input = path };
	struct task_stacks *stacks = NULL;
	struct timeline_context context;
	struct session session;

	if (session_open(&session, &options) ||
	    run_pipeline(&session, &store->callback, &stacks))
		die("the recording is not read");
	context = (struct timeline_context){
		.functions = symbols_functions(session.symbols),
		.names = session.names,
		.unit = time_unit_of(session.recording),
		.colors = &colors_none,
	};
	if (store->steps.count)
		measure_all(store, &context);
	task_stacks_free(stacks);
	session_close(&session);
}

int main(int argc, char **argv)
{
	struct step_store store = {
		.callback.consume = consume,
		.steps = ARRAY_OF(struct call_step),
		.tasks = ARRAY_OF(struct task *),
	};

	if (argc > 1)
		measure_recording(&store, argv[1]);
	else
		measure_made_up(&store);
	for (size_t i = 0; i < store.tasks.count; i++)
		free(*(struct task **)array_at(&store.tasks, i));
	array_free(&store.tasks);
	array_free(&store.steps);
	return 0;
}
