/* SPDX-License-Identifier: MIT */
#include "collector/chosen_calls_internal.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "collector/recording_output_internal.h"
#include "collector/recording_setup_internal.h"
#include "collector/records/record_bytes.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct trigger_setup setup_of(struct chosen_calls *calls,
				     struct kernel_symbols *symbols)
{
	struct trigger_setup setup =
		recording_setup_triggers(calls->setup, symbols);

	setup.option = "--only";
	setup.sequel = "";
	setup.can_pause = true;
	return setup;
}

int chosen_calls_open(struct chosen_calls *calls)
{
	const struct collector_options *options = calls->setup->options;
	struct kernel_symbols symbols = { 0 };
	struct trigger_setup setup = setup_of(calls, &symbols);
	int error;

	if (!options->only)
		return 0;
	error = event_rings_open_notes(&calls->setup->events, GATE_CHOICE_EVENT,
				       &calls->choice_spec);
	if (!error)
		error = gate_open(&calls->gate, &setup, options->only,
				  options->only_line);
	kernel_symbols_free(&symbols);
	return error;
}

/* Adds a record: of all calls that start from now on, only those of @list are
 * traced.
 */
static int note_choice(const struct chosen_calls *calls, const char *list)
{
	const int *cpus = calls->setup->target.cpus.items;
	const struct event *event = event_list_find(
		&calls->setup->events.list, calls->choice_spec, cpus[0]);
	const struct trace_clock clock = recording_setup_clock(calls->setup);
	const struct sample_origin origin = {
		.pid = UINT32_MAX,
		.tid = UINT32_MAX,
		.time_ns = trace_clock_ns(&clock),
		.cpu = cpus[0],
	};
	struct gate_choice choice = { .list = "" };
	const struct sample_content content = {
		.bytes = &choice,
		.size = sizeof(choice),
	};
	struct byte_buffer record = { 0 };

	if (!event)
		return -ERROR_NOT_FOUND;
	snprintf(choice.list, sizeof(choice.list), "%s", list);
	sample_record_add(&record, event, &origin, &content);
	return recording_output_add(calls->output, &record);
}

/* Restarts the trace of each CPU while the recorder runs on that CPU: no chosen
 * call can run there then, so the trace stays paused.
 */
static int restart_on_each_cpu(const struct chosen_calls *calls)
{
	const int *cpus = calls->setup->target.cpus.items;
	int error = 0;

	for (size_t i = 0; !error && i < calls->setup->target.cpus.count; i++) {
		cpu_set_t one;

		CPU_ZERO(&one);
		CPU_SET((size_t)cpus[i], &one);
		/* A CPU that is switched off traces nothing. */
		if (!sched_setaffinity(0, sizeof(one), &one))
			error = event_list_restart_cpu(
				&calls->setup->events.list,
				calls->setup->trace_spec, cpus[i]);
	}
	return error;
}

static int restart_traces(const struct chosen_calls *calls)
{
	cpu_set_t before;
	int error;

	CPU_ZERO(&before);
	error = sched_getaffinity(0, sizeof(before), &before);
	if (!error)
		error = restart_on_each_cpu(calls);
	if (error)
		log_message(calls->setup->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "--only: the trace cannot be restarted, so the "
			    "choice is unchanged: %s",
			    strerror(errno));
	sched_setaffinity(0, sizeof(before), &before);
	return error;
}

/* Switches to the calls of @list. Copies the code of new probes' programs
 * before it can be traced. Returns 1; 0 if that failed for a logged reason and
 * the choice is unchanged; or an error that ends the recording.
 */
static int choose(struct chosen_calls *calls, struct trigger_setup *setup,
		  const char *list)
{
	const size_t probes = calls->gate.set.probes;
	int error = gate_prepare(&calls->gate, setup, list);

	if (error)
		return error == -ERROR_MEMORY ? error : 0;
	if (calls->gate.set.probes != probes) {
		if (restart_traces(calls))
			return 0;
		error = ring_drain_all(calls->drain);
	}
	return error ? error : !gate_choose(&calls->gate, setup);
}

static int consume_line(struct chosen_calls *calls, const char *list,
			bool is_cut)
{
	const char *wanted = is_cut ? "fewer or shorter names" :
				      gate_list_check(list);
	struct kernel_symbols symbols = { 0 };
	struct trigger_setup setup = setup_of(calls, &symbols);
	int status;

	setup.sequel = "; the choice is unchanged";
	if (wanted) {
		log_message(calls->setup->log, LOG_ERROR,
			    calls->setup->options->only_line, LOG_NO_OFFSET,
			    "'%.40s' cannot be chosen: give %s, or none%s",
			    list, wanted, setup.sequel);
		return 0;
	}
	status = choose(calls, &setup, list);
	kernel_symbols_free(&symbols);
	if (status <= 0)
		return status;
	log_message(calls->setup->log, LOG_NOTE, NULL, LOG_NO_OFFSET,
		    "--only: from now on %s", list);
	return note_choice(calls, list);
}

int chosen_calls_take(struct chosen_calls *calls)
{
	int line = calls->gate.own.line;
	char bytes[4096];
	ssize_t got = line < 0 ? 0 : read(line, bytes, sizeof(bytes));
	size_t at = 0;
	int error = 0;
	bool is_cut;

	while (!error && got > 0) {
		const char *list = gate_lines_next(&calls->lines, bytes,
						   (size_t)got, &at, &is_cut);

		if (!list)
			return 0;
		error = consume_line(calls, list, is_cut);
	}
	return error;
}

/* Adds a mark with an empty call chain and without a task. */
static void add_mark(struct byte_buffer *records, const struct event *event,
		     enum gate_mark_kind kind, uint64_t time_ns)
{
	const struct gate_mark mark = { .kind = kind };
	const struct sample_origin origin = {
		.pid = UINT32_MAX,
		.tid = UINT32_MAX,
		.time_ns = time_ns,
		.cpu = event->cpu,
	};
	const struct sample_content content = {
		.bytes = &mark,
		.size = sizeof(mark),
		.has_chain = true,
	};

	sample_record_add(records, event, &origin, &content);
}

/* Each CPU gets a stream, even if no chosen call runs on it: readers then see
 * that its trace is empty, not missing.
 */
int chosen_calls_begin_streams(struct chosen_calls *calls)
{
	const struct cpu_rings *rings = calls->setup->events.cpus.items;
	const struct ring_bytes nothing = { 0 };
	int error = 0;

	for (size_t i = 0; calls->setup->options->only && !error &&
			   i < calls->setup->target.cpus.count;
	     i++)
		error = recording_writer_add_trace(calls->output->writer,
						   (uint32_t)i, rings[i].cpu,
						   -1, &nothing);
	return error;
}

int chosen_calls_mark(struct chosen_calls *calls, enum gate_mark_kind kind)
{
	const struct event *events = calls->setup->events.list.events.items;
	const struct trace_clock clock = recording_setup_clock(calls->setup);
	uint64_t now_ns = trace_clock_ns(&clock);
	struct byte_buffer records = { 0 };
	int error;

	if (!calls->setup->options->only)
		return 0;
	for (size_t i = 0; i < calls->setup->events.list.events.count; i++)
		if (events[i].spec == calls->gate.own.hit_spec)
			add_mark(&records, &events[i], kind, now_ns);
	error = recording_output_add(calls->output, &records);
	if (!error && kind == GATE_FIRST)
		error = note_choice(calls, calls->setup->options->only);
	return error;
}
