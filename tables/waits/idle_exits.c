/* SPDX-License-Identifier: MIT */
#include "tables/waits/idle_exits.h"

#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/function_marks.h"
#include "attribution/events/known_events.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "common/error.h"
#include "common/maps.h"
#include "decoder/recording/recording.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/kernel/kernel_symbols.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/histogram.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kinds of interrupts that CPUs send to each other, as function marks: a
 * handler's mark is SENT_KINDS higher than its sender's.
 */
enum sent_kind {
	SENT_NONE,
	SENT_RESCHEDULE,
	SENT_CALL_ONE, /* call a function on one CPU */
	SENT_CALL_MANY,
	SENT_KINDS,
	MARK_READS_CLOCK = 2 * SENT_KINDS, /* of the handler of timers */
};

/* arch/x86/kernel/smp.c, apic/ipi.c, idtentry.h; kernel/time/timekeeping.c */
static const struct name_rule rules[] = {
	{ "native_smp_send_reschedule", false, SENT_RESCHEDULE },
	{ "native_send_call_func_single_ipi", false, SENT_CALL_ONE },
	{ "native_send_call_func_ipi", false, SENT_CALL_MANY },
	{ "asm_sysvec_reschedule_ipi", false, SENT_KINDS + SENT_RESCHEDULE },
	{ "asm_sysvec_call_function_single", false,
	  SENT_KINDS + SENT_CALL_ONE },
	{ "asm_sysvec_call_function", false, SENT_KINDS + SENT_CALL_MANY },
	{ "ktime_get_update_offsets_now", false, MARK_READS_CLOCK },
};

enum idle_phase {
	IDLE_NOT,
	IDLE_ASLEEP,
	IDLE_LEFT,   /* returned from the state, and no handler has begun */
	IDLE_SERVES, /* its first handler runs */
};

/* Interrupts that other CPUs may have sent to a CPU since its last handler of such
 * interrupts began.
 */
struct sent {
	uint64_t count;
	uint64_t last_ns;
	int32_t by_cpu;
};

struct idle_cpu {
	bool is_traced;
	enum idle_phase phase;
	struct idle_exit exit;
	bool misses_senders; /* some CPU was not traced while this one was idle */
	uint32_t depth;	     /* of the handler */
	struct sent sent[SENT_KINDS];
	uint64_t clock_ns;  /* when the handler last read the clock, or 0 */
	uint64_t expiry_ns; /* of the timer that expired first; UINT64_MAX */
};

struct idle_tracker {
	struct event_handler handler;
	struct idle_callback *callback;
	const struct context_kinds *kinds;
	struct function_marks *marks;
	struct array cpus;	  /* struct idle_cpu */
	struct number_map timers; /* the expiry of each hrtimer, by address */
	bool sees_all_cpus;
	int status;
};

const char *idle_cause_name(enum idle_cause cause)
{
	static const char *const names[IDLE_CAUSES] = {
		[IDLE_BY_TIMER] = "timer",
		[IDLE_BY_CPU] = "cpu",
	};

	return names[cause];
}

static struct idle_cpu *cpu_at(struct idle_tracker *tracker, uint32_t cpu)
{
	enum { MOST_CPUS = 1 << 16 }; /* only damaged recordings exceed it */
	struct idle_cpu *found =
		cpu < MOST_CPUS ? array_reach(&tracker->cpus, cpu) : NULL;

	if (!found && cpu < MOST_CPUS)
		tracker->status = -ERROR_MEMORY;
	return found;
}

static uint64_t since(uint64_t time_ns, uint64_t begin_ns)
{
	return time_ns > begin_ns ? time_ns - begin_ns : 0;
}

/* Makes an interrupt that another CPU sent the cause, if there is one:
 * invariant 2.
 */
static void find_sender(const struct idle_tracker *tracker,
			struct idle_cpu *cpu, const struct sent *sent)
{
	struct idle_exit *exit = &cpu->exit;

	if (!sent->count || sent->last_ns < exit->begin_ns)
		return;
	exit->cause = IDLE_BY_CPU;
	exit->is_exact = tracker->sees_all_cpus && !cpu->misses_senders &&
			 sent->count == 1;
	exit->by_cpu = sent->by_cpu;
	exit->delay_ns = since(exit->end_ns, sent->last_ns);
}

/* Makes the timer that expired first the cause, if there is one and no CPU is
 * the cause: invariant 1.
 */
static void find_timer(struct idle_cpu *cpu)
{
	struct idle_exit *exit = &cpu->exit;

	if (exit->cause == IDLE_BY_UNKNOWN &&
	    cpu->expiry_ns >= exit->begin_ns &&
	    cpu->expiry_ns <= exit->end_ns) {
		exit->cause = IDLE_BY_TIMER;
		exit->delay_ns = exit->end_ns - cpu->expiry_ns;
	}
}

static void emit(struct idle_tracker *tracker, struct idle_cpu *cpu)
{
	cpu->phase = IDLE_NOT;
	if (tracker->callback->consume(tracker->callback, &cpu->exit) < 0)
		tracker->status = -ERROR_MEMORY;
}

/* Ends the time idle of @cpu without an interrupt. */
static void end_without(struct idle_tracker *tracker, struct idle_cpu *cpu,
			uint64_t time_ns)
{
	if (cpu->phase == IDLE_ASLEEP)
		cpu->exit.end_ns = time_ns;
	emit(tracker, cpu);
}

static bool is_idle(const struct idle_cpu *cpu)
{
	return cpu->phase == IDLE_ASLEEP || cpu->phase == IDLE_LEFT;
}

static void serve(struct idle_cpu *cpu, const struct call_step *step)
{
	cpu->phase = IDLE_SERVES;
	cpu->depth = step->depth;
	cpu->exit.handler = step->function;
	cpu->exit.end_ns = step->time_ns;
}

/* Notes that the CPU of @step sends an interrupt to one that may be any other. */
static void note_sent(struct idle_tracker *tracker,
		      const struct call_step *step, uint8_t kind)
{
	struct idle_cpu *cpus = tracker->cpus.items;

	for (size_t i = 0; i < tracker->cpus.count; i++) {
		struct sent *sent = &cpus[i].sent[kind];

		if (i == step->cpu)
			continue;
		sent->count++;
		sent->last_ns = step->time_ns;
		sent->by_cpu = (int32_t)step->cpu;
	}
}

static void enter(struct idle_tracker *tracker, struct idle_cpu *cpu,
		  const struct call_step *step)
{
	uint8_t mark = function_marks_at(tracker->marks, step->function);
	bool is_first = is_idle(cpu) &&
			context_kind_of(tracker->kinds, step->function) ==
				CONTEXT_INTERRUPT;

	if (is_first)
		serve(cpu, step);
	if (mark > SENT_KINDS && mark < 2 * SENT_KINDS) {
		struct sent *sent = &cpu->sent[mark - SENT_KINDS];

		if (is_first)
			find_sender(tracker, cpu, sent);
		*sent = (struct sent){ 0 };
	} else if (mark && mark < SENT_KINDS) {
		note_sent(tracker, step, mark);
	}
}

static void leave(struct idle_tracker *tracker, struct idle_cpu *cpu,
		  const struct call_step *step)
{
	if (cpu->phase != IDLE_SERVES)
		return;
	if (function_marks_at(tracker->marks, step->function) ==
	    MARK_READS_CLOCK)
		cpu->clock_ns = step->time_ns;
	if (step->depth > cpu->depth)
		return;
	find_timer(cpu);
	emit(tracker, cpu);
}

static bool are_all_traced(const struct idle_tracker *tracker)
{
	const struct idle_cpu *cpus = tracker->cpus.items;

	for (size_t i = 0; i < tracker->cpus.count; i++)
		if (!cpus[i].is_traced)
			return false;
	return true;
}

/* Applies that the trace of @cpu is interrupted: it may send unseen. */
static void lose(struct idle_tracker *tracker, struct idle_cpu *cpu)
{
	struct idle_cpu *cpus = tracker->cpus.items;

	cpu->is_traced = false;
	cpu->phase = IDLE_NOT;
	for (size_t i = 0; i < tracker->cpus.count; i++)
		cpus[i].misses_senders = true;
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct idle_tracker *tracker = (struct idle_tracker *)handler;
	struct idle_cpu *cpu = cpu_at(tracker, step->cpu);

	if (!cpu)
		return;
	switch ((enum call_step_kind)step->kind) {
	case STEP_ENTER:
		enter(tracker, cpu, step);
		break;
	case STEP_EXIT:
		leave(tracker, cpu, step);
		break;
	case STEP_SWITCH:
		if (cpu->phase != IDLE_NOT && step->task->tid)
			end_without(tracker, cpu, step->time_ns);
		break;
	case STEP_STATE:
		if (step->detail == CPU_TRACED || step->detail == CPU_OUTSIDE)
			cpu->is_traced = true;
		else
			lose(tracker, cpu);
		break;
	case STEP_GAP:
	case STEP_END:
		lose(tracker, cpu);
		break;
	case STEP_COUNT:
	case STEP_LEAVE:
	case STEP_INTERRUPTS:
		break;
	}
}

static void begin(struct idle_tracker *tracker, struct idle_cpu *cpu,
		  const struct event_record *event)
{
	if (cpu->phase != IDLE_NOT)
		end_without(tracker, cpu, event->time_ns);
	cpu->phase = IDLE_ASLEEP;
	cpu->exit = (struct idle_exit){
		.cpu = (uint32_t)event->cpu,
		.state = (int32_t)event->values[IDLE_STATE],
		.begin_ns = event->time_ns,
		.handler = FUNCTION_NONE,
		.by_cpu = -1,
	};
	cpu->misses_senders = !are_all_traced(tracker);
	cpu->clock_ns = 0;
	cpu->expiry_ns = UINT64_MAX;
}

static void change_state(struct idle_tracker *tracker, struct idle_cpu *cpu,
			 const struct event_record *event)
{
	if (!cpu->is_traced)
		return;
	if ((uint32_t)event->values[IDLE_STATE] != UINT32_MAX) {
		begin(tracker, cpu, event);
	} else if (cpu->phase == IDLE_ASLEEP) {
		cpu->phase = IDLE_LEFT;
		cpu->exit.end_ns = event->time_ns;
	}
}

static void start_timer(struct idle_tracker *tracker,
			const struct event_record *event)
{
	uint64_t *expiry = number_map_add(
		&tracker->timers, (uint64_t)event->values[TIMER_ADDRESS]);

	if (expiry)
		*expiry = (uint64_t)event->values[HRTIMER_CLOCK];
	else
		tracker->status = -ERROR_MEMORY;
}

/* Consumes an event of a timer that expired, after the handler has read the clock.
 */
static void expire_timer(const struct idle_tracker *tracker,
			 struct idle_cpu *cpu, const struct event_record *event)
{
	const uint64_t *expiry = number_map_find(
		&tracker->timers, (uint64_t)event->values[TIMER_ADDRESS]);
	uint64_t late_ns;

	if (!expiry || cpu->phase != IDLE_SERVES || !cpu->clock_ns)
		return;
	late_ns = since((uint64_t)event->values[HRTIMER_CLOCK], *expiry);
	if (since(cpu->clock_ns, late_ns) < cpu->expiry_ns)
		cpu->expiry_ns = since(cpu->clock_ns, late_ns);
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	struct idle_tracker *tracker = (struct idle_tracker *)handler;
	struct idle_cpu *cpu;

	if (event->event != EVENT_CPU_IDLE &&
	    event->event != EVENT_HRTIMER_START &&
	    event->event != EVENT_HRTIMER_EXPIRE)
		return;
	cpu = cpu_at(tracker, (uint32_t)event->cpu);
	if (event->event == EVENT_HRTIMER_START)
		start_timer(tracker, event);
	else if (cpu && event->event == EVENT_CPU_IDLE)
		change_state(tracker, cpu, event);
	else if (cpu)
		expire_timer(tracker, cpu, event);
}

static uint8_t needs_function(const struct event_handler *handler,
			      uint32_t function)
{
	const struct idle_tracker *tracker =
		(const struct idle_tracker *)handler;

	return function_marks_has(tracker->marks, function) ||
	       context_kind_of(tracker->kinds, function) == CONTEXT_INTERRUPT;
}

void idle_tracker_free(struct idle_tracker *tracker)
{
	if (!tracker)
		return;
	array_free(&tracker->cpus);
	number_map_free(&tracker->timers);
	free(tracker->marks);
	free(tracker);
}

/* Returns whether each CPU that was online has a trace of its own. */
static bool sees_all_cpus(const struct recording *recording)
{
	return !recording || recording_stream_count(recording) >=
				     recording_info(recording)->cpus_online;
}

struct idle_tracker *idle_tracker_new(const struct attribution_input *input,
				      struct idle_callback *callback)
{
	struct idle_tracker *tracker = calloc(1, sizeof(*tracker));

	if (!tracker)
		return NULL;
	tracker->handler = (struct event_handler){ .step = consume_step,
						   .needs = needs_function,
						   .event = consume_event };
	tracker->callback = callback;
	tracker->kinds = input->kinds;
	tracker->cpus = ARRAY_OF(struct idle_cpu);
	tracker->sees_all_cpus = sees_all_cpus(input->recording);
	tracker->marks =
		function_marks_by_rules(symbols_functions(input->symbols),
					rules, sizeof(rules) / sizeof(*rules));
	if (tracker->marks &&
	    !trackers_follow(input->trackers, &tracker->handler))
		return tracker;
	idle_tracker_free(tracker);
	return NULL;
}

int idle_tracker_status(const struct idle_tracker *tracker)
{
	return tracker->status;
}

struct idle_names {
	struct number_map by_state; /* number in texts */
	struct string_pool *texts;
};

static uint64_t state_key(uint32_t cpu, uint32_t state)
{
	return (uint64_t)cpu << 32 | state;
}

/* Adds the name in a line "idle 0 2 C1E". Returns 0 or -ERROR_MEMORY. */
static int add_name(struct idle_names *names, const char *line, size_t length)
{
	enum { MOST_BYTES = 95 };
	char text[MOST_BYTES + 1];
	uint32_t cpu;
	uint32_t state;
	uint32_t number;
	uint64_t *slot;
	int name = 0;

	if (length > MOST_BYTES)
		return 0;
	snprintf(text, sizeof(text), "%.*s", (int)length, line);
	if (sscanf(text, "idle %" SCNu32 " %" SCNu32 " %n", &cpu, &state,
		   &name) < 2 ||
	    !text[name])
		return 0;
	number =
		string_pool_add(names->texts, text + name, strlen(text + name));
	slot = number_map_add(&names->by_state, state_key(cpu, state));
	if (!slot || number == STRING_POOL_NONE)
		return -ERROR_MEMORY;
	*slot = number;
	return 0;
}

struct idle_names *idle_names_read(const char *text, size_t size)
{
	struct idle_names *names = calloc(1, sizeof(*names));
	int status = 0;

	if (!names)
		return NULL;
	names->texts = string_pool_new();
	while (names->texts && size && !status) {
		const char *line = text;
		size_t length = text_skip_line(&text, &size);

		status = add_name(names, line, length);
	}
	if (names->texts && !status)
		return names;
	idle_names_free(names);
	return NULL;
}

struct idle_names *idle_names_of(const struct attribution_input *input)
{
	const char *path =
		input->recording ? recording_cpus_path(input->recording) : NULL;
	struct text_file file = { .text = NULL };
	struct idle_names *names;

	if (path && text_file_read(path, NULL, &file) < 0)
		file = (struct text_file){ .text = NULL };
	names = idle_names_read(file.text, file.size_bytes);
	text_file_free(&file);
	return names;
}

void idle_names_free(struct idle_names *names)
{
	if (!names)
		return;
	number_map_free(&names->by_state);
	string_pool_free(names->texts);
	free(names);
}

const char *idle_names_find(const struct idle_names *names, uint32_t cpu,
			    int32_t state)
{
	const uint64_t *number = number_map_find(
		&names->by_state, state_key(cpu, (uint32_t)state));

	return number ? string_pool_text(names->texts, (uint32_t)*number) :
			NULL;
}

/* report --idle: the delays of each CPU's wake-ups by idle state and cause. */
struct idle_stat {
	uint32_t cpu;
	int32_t state;
	uint32_t cause; /* enum idle_cause */
	uint64_t count;
	uint64_t idle_ns;
	uint64_t exact;
	uint64_t inferred;
	struct histogram delays; /* none of IDLE_BY_UNKNOWN */
};

struct idle_table {
	struct event_handler handler;
	struct idle_callback callback;
	struct attribution_input input;
	struct idle_tracker *tracker;
	struct idle_names *names;
	struct keyed_array stats; /* struct idle_stat */
};

static int consume_exit(struct idle_callback *callback,
			const struct idle_exit *exit)
{
	struct idle_table *table =
		container_of(callback, struct idle_table, callback);
	struct idle_stat *stat;

	if (!step_filter_cpu(table->input.filter, exit->cpu) ||
	    !time_window_has(table->input.window, exit->begin_ns))
		return 0;
	stat = keyed_array_add(&table->stats, &(struct idle_stat){
						      .cpu = exit->cpu,
						      .state = exit->state,
						      .cause = exit->cause,
						      .delays = HISTOGRAM_EMPTY,
					      });
	if (!stat)
		return -ERROR_MEMORY;
	stat->count++;
	stat->idle_ns += since(exit->end_ns, exit->begin_ns);
	if (exit->cause == IDLE_BY_UNKNOWN)
		return 0;
	stat->exact += exit->is_exact;
	stat->inferred += !exit->is_exact;
	return histogram_add(&stat->delays, exit->delay_ns);
}

static void close_table(struct event_handler *handler)
{
	struct idle_table *table = (struct idle_table *)handler;
	struct idle_stat *stats = table->stats.items.items;

	for (size_t i = 0; i < table->stats.items.count; i++)
		histogram_free(&stats[i].delays);
	keyed_array_free(&table->stats);
	idle_names_free(table->names);
	idle_tracker_free(table->tracker);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct idle_table *table = (struct idle_table *)handler;

	table->callback.consume = consume_exit;
	table->input = *input;
	table->stats = KEYED_ARRAY_OF(struct idle_stat, cause);
	table->names = idle_names_of(input);
	table->tracker = idle_tracker_new(&table->input, &table->callback);
	return table->names && table->tracker;
}

static const char *name_of(const struct column_row *row)
{
	const struct idle_table *table = row->state;
	const struct idle_stat *stat = row->fact;

	return idle_names_find(table->names, stat->cpu, stat->state);
}

static const char *cause_of(const struct column_row *row)
{
	const struct idle_stat *stat = row->fact;

	return idle_cause_name(stat->cause);
}

/* Writes a quantile or the maximum of the delays, unless there are none. */
static void write_delay(struct record_writer *writer, const char *name,
			const struct column_row *row, double quantile)
{
	const struct histogram *delays =
		&((const struct idle_stat *)row->fact)->delays;

	if (!delays->count)
		record_absent(writer, name);
	else
		record_number(writer, name,
			      quantile < 1 ?
				      histogram_quantile(delays, quantile) :
				      delays->max);
}

static void write_median(struct record_writer *writer,
			 const struct column *column,
			 const struct column_row *row)
{
	write_delay(writer, column->name, row, 0.5);
}

static void write_p99(struct record_writer *writer, const struct column *column,
		      const struct column_row *row)
{
	write_delay(writer, column->name, row, 0.99);
}

static void write_max(struct record_writer *writer, const struct column *column,
		      const struct column_row *row)
{
	write_delay(writer, column->name, row, 1);
}

#define OF(member) MEMBER(struct idle_stat, member)

static const struct column columns[] = {
	INT_COLUMN("cpu", "number of the CPU", OF(cpu)),
	INT_COLUMN("state", "number of the idle state", OF(state)),
	TEXT_COLUMN("name", "name of the idle state, if the kernel has one",
		    NAMED(name_of)),
	TEXT_COLUMN("cause",
		    "what woke the CPU: a timer, or an interrupt of another "
		    "cpu",
		    NAMED(cause_of)),
	COUNT_COLUMN(OF(count)),
	NS_COLUMN("idle_ns", "from the start of the state to the handler",
		  OF(idle_ns)),
	INT_COLUMN("exact", "delays whose ends are both in the trace",
		   OF(exact)),
	INT_COLUMN("inferred", "delays of which one end is derived",
		   OF(inferred)),
	MEDIAN_COLUMN(WRITTEN(write_median)),
	P99_COLUMN(WRITTEN(write_p99)),
	MAX_COLUMN(WRITTEN(write_max)),
	END_OF_COLUMNS,
};

static const struct table_need needs[] = {
	{ .columns = "idle states", .event = EVENT_CPU_IDLE, .is_all = true },
	{ .columns = "delays", .event = RECORDED_KERNEL },
	{ .columns = "timers", .event = EVENT_HRTIMER_EXPIRE },
};

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct idle_table *table = (struct idle_table *)handler;
	int status = idle_tracker_status(table->tracker);

	if (status)
		return status;
	array_sort_by(&table->stats.items,
		      KEYS(RISING(struct idle_stat, cpu),
			   RISING(struct idle_stat, state),
			   FALLING(struct idle_stat, cause)));
	return table_rows_show(
		output, &(struct table_rows)TABLE_ROWS(&idle_table, table,
						       &table->stats.items));
}

const struct attribution_table idle_table = {
	.name = "idle",
	.columns = columns,
	TABLE_NEEDS(needs, "No CPU was idle"),
	.help = "how long idle CPUs took to wake up: from a timer's expiry or "
		"another CPU's interrupt to the handler, by idle state",
	.size = sizeof(struct idle_table),
	.open = open_table,
	.render = render,
	.close = close_table,
};
