/* SPDX-License-Identifier: MIT */
#include "collector/late_cpus_internal.h"

#include "collector/events/event_list.h"
#include "collector/function_graph/function_graph.h"
#include "collector/recording_output_internal.h"
#include "collector/recording_setup_internal.h"
#include "collector/records/record_bytes.h"
#include "collector/records/start_records.h"
#include "collector/target/cpu_list.h"
#include "common/array.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Adds records that mark the losses on the CPU since it was switched off: lost
 * records, and if whole CPUs are traced, lost trace. The kernel leaves the
 * events of threads open, so their trace has no loss.
 */
static int add(struct recording_output *output, const struct away_cpu *away)
{
	const struct recording_setup *setup = output->setup;
	const struct event_list *events = &setup->events.list;
	const struct event *trace =
		event_list_find(events, setup->trace_spec, away->cpu);
	const struct event *switches =
		event_list_find(events, setup->switch_spec, away->cpu);
	const struct cpu_rings *rings =
		event_rings_of(&setup->events, away->cpu);
	uint64_t now = setup->tracer->now_ns(rings->ring[RING_TRACE].page);
	struct byte_buffer records = { 0 };
	bool is_whole = setup->target.whole_cpus;

	log_message(setup->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    "CPU %d was switched off %.3f s before the end; later "
		    "%s on it %s not recorded, even if it was switched on "
		    "again",
		    away->cpu, (double)away->missing_ns / 1e9,
		    is_whole ? "execution" : "events", is_whole ? "is" : "are");
	loss_record_add_records(&records, switches, 1, now);
	if (is_whole)
		loss_record_add(&records, trace, aux_ring_head(&rings->aux),
				now);
	return recording_output_add(output, &records);
}

int away_records_add(struct recording_output *output, unsigned int *count)
{
	const struct recording_setup *setup = output->setup;
	struct array away = ARRAY_OF(struct away_cpu);
	int error;

	*count = 0;
	/* Without whole-CPU events, the kernel closes none. */
	if (!setup->wide)
		return 0;
	error = away_cpus_find(&setup->events.list, setup->switch_spec, &away);
	for (size_t i = 0; i < away.count && !error; i++)
		error = add(output, array_at(&away, i));
	*count = (unsigned int)away.count;
	array_free(&away);
	return error;
}

/* A CPU that came online and whose trace cannot be recorded. */
struct untraced_cpu {
	int cpu;
	struct late_mark since;
};

/* Returns whether events may be opened during the recording. */
static bool can_open(const struct recording_setup *setup)
{
	const struct collector_options *options = setup->options;

	return !options->snapshot && !options->only && !options->trigger_count;
}

static bool can_trace(const struct recording_setup *setup)
{
	return setup->target.whole_cpus && can_open(setup) &&
	       (setup->graph || setup->tracer->write_blank);
}

struct late_cpus late_cpus_open(struct recording_setup *setup,
				struct recording_output *output,
				struct ring_drain *drain)
{
	return (struct late_cpus){
		.setup = setup,
		.output = output,
		.drain = drain,
		.fd = setup->options->cpus ? -1 : cpu_reports_open(),
		.untraced = ARRAY_OF(struct untraced_cpu),
	};
}

void late_cpus_close(struct late_cpus *late)
{
	if (late->fd >= 0)
		close(late->fd);
	late->fd = -1;
	array_free(&late->untraced);
}

static uint64_t now_ns(const struct recording_setup *setup)
{
	return setup->tracer->now_ns(event_rings_page(&setup->events));
}

static int write_events(const struct late_cpus *late, size_t first)
{
	const struct event_list *events = &late->setup->events.list;
	struct byte_buffer records = { 0 };
	int error = recording_writer_add_events(late->output->writer, events);

	start_records_ids(&records, events, first, &late->setup->target);
	if (error)
		byte_buffer_free(&records);
	return error ? error : recording_output_add(late->output, &records);
}

static int set_filter(const struct late_cpus *late, int cpu)
{
	return late->output->filter.size ?
		       event_list_control_cpu(&late->setup->events.list,
					      late->setup->trace_spec, cpu,
					      PERF_EVENT_IOC_SET_FILTER,
					      late->output->filter.bytes) :
		       0;
}

/* Stores in the events from number @first on that they were opened @late_ns
 * after the others.
 */
static void note_time(const struct recording_setup *setup, size_t first,
		      uint64_t late_ns)
{
	const struct event_list *events = &setup->events.list;

	for (size_t i = first; i < events->events.count; i++)
		((struct event *)array_at(&events->events, i))->late_ns =
			late_ns;
}

/* Adds records of the losses on @cpu since it came online, like those of
 * away_records_add(): reports then do not conclude from a missing wake-up that
 * there was none.
 */
static int write_losses(const struct late_cpus *late, int cpu)
{
	const struct recording_setup *setup = late->setup;
	const struct event_list *events = &setup->events.list;
	const struct event *trace =
		event_list_find(events, setup->trace_spec, cpu);
	const struct event *switches =
		event_list_find(events, setup->switch_spec, cpu);
	uint64_t time_ns = now_ns(setup);
	struct byte_buffer records = { 0 };

	loss_record_add_records(&records, switches, 1, time_ns);
	/* The kernel's own tracer writes to rings that are always there. */
	if (!setup->graph)
		loss_record_add(&records, trace, 0, time_ns);
	return recording_output_add(late->output, &records);
}

/* Logs, unless @error is 0, that the events of @cpu could not be opened, with
 * @what as the consequence. Returns @error.
 */
static int log_refusal(const struct late_cpus *late, int cpu, const char *what,
		       int error)
{
	if (error)
		log_message(late->setup->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
			    "CPU %d was switched on and %s: %s", cpu, what,
			    error == -ERROR_SYSTEM ? strerror(errno) :
						     error_text(error));
	return error;
}

/* Opens the events of @cpu. An error means that the CPU is not traced. */
static int open_events(struct late_cpus *late, int cpu)
{
	struct recording_setup *setup = late->setup;
	int error = event_rings_open_late(
		&setup->events, cpu, setup->trace_spec,
		setup->graph ? 0 : setup->options->buffer_bytes);

	return log_refusal(late, cpu, "cannot be traced", error);
}

static int note_untraced(struct late_cpus *late, int cpu)
{
	const struct untraced_cpu untraced = { cpu, late->mark };

	return array_append(&late->untraced, &untraced);
}

static bool is_known(const struct late_cpus *late, int cpu)
{
	const struct untraced_cpu *untraced = late->untraced.items;

	for (size_t i = 0; i < late->untraced.count; i++)
		if (untraced[i].cpu == cpu)
			return true;
	return cpu_list_has(&late->setup->target.cpus, cpu);
}

/* Opens the events of @cpu, which came online. The CPUs' rings have the order
 * of target.cpus. If the events cannot be opened, the CPU becomes a gap. A
 * returned error ends the recording: the recording would have records of events
 * that it does not list.
 */
static int trace(struct late_cpus *late, int cpu)
{
	struct recording_setup *setup = late->setup;
	size_t first = setup->events.list.events.count;
	/* Read before the events are opened, because they count time from then
	 * on.
	 */
	uint64_t late_ns =
		away_cpus_longest(&setup->events.list, setup->switch_spec);
	int error;

	if (open_events(late, cpu))
		return note_untraced(late, cpu);
	note_time(setup, first, late_ns);
	error = array_append(&setup->target.cpus, &cpu);
	if (!error)
		error = write_events(late, first);
	if (!error)
		error = set_filter(late, cpu);
	if (!error)
		error = write_losses(late, cpu);
	if (!error)
		error = ring_drain_start_writers(late->drain,
						 setup->events.cpus.count - 1);
	if (!error)
		error = event_list_enable_cpu(&setup->events.list, cpu);
	if (error)
		return error;
	late->count++;
	log_message(setup->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    "CPU %d was switched on during the recording; %s since, "
		    "except for its first milliseconds",
		    cpu,
		    setup->graph ? "its functions are traced, its events" :
				   "it is traced");
	return 0;
}

/* Returns how long @cpu has been away; 0: it has not. */
static uint64_t away_ns(const struct recording_setup *setup, int cpu)
{
	struct array away = ARRAY_OF(struct away_cpu);
	const struct away_cpu *found;
	uint64_t missing_ns = 0;

	away_cpus_find(&setup->events.list, setup->switch_spec, &away);
	found = away.items;
	for (size_t i = 0; i < away.count; i++)
		if (found[i].cpu == cpu)
			missing_ns = found[i].missing_ns;
	array_free(&away);
	return missing_ns;
}

/* Writes two records of losses on @cpu: at its switch-off, @missing_ns ago, and
 * now. The first one's time is up to CERTAIN_NS later than the switch-off, so
 * that it follows the CPU's last record.
 */
static int write_absence(const struct late_cpus *late, int cpu,
			 uint64_t missing_ns)
{
	enum { CERTAIN_NS = 1000000 };
	const struct recording_setup *setup = late->setup;
	const struct event *switches =
		event_list_find(&setup->events.list, setup->switch_spec, cpu);
	uint64_t time_ns = now_ns(setup);
	uint64_t certain_ns = missing_ns / 2 < CERTAIN_NS ? missing_ns / 2 :
							    CERTAIN_NS;
	struct byte_buffer records = { 0 };

	loss_record_add_records(&records, switches, 1,
				time_ns - missing_ns + certain_ns);
	loss_record_add_records(&records, switches, 1, time_ns);
	return recording_output_add(late->output, &records);
}

/* Opens the events of @cpu again if it was switched off and on during a
 * recording of threads: the threads' trace goes on there, and without records
 * of switches it would have no tasks.
 */
static int bring_back(struct late_cpus *late, int cpu)
{
	struct recording_setup *setup = late->setup;
	size_t first = setup->events.list.events.count;
	bool is_possible = setup->wide && !setup->target.whole_cpus &&
			   can_open(setup);
	uint64_t late_ns;
	uint64_t missing_ns = is_possible ? away_ns(setup, cpu) : 0;
	int error;

	/* If they cannot be opened, away_records_add() reports the losses. */
	if (!missing_ns ||
	    log_refusal(late, cpu, "its events cannot be recorded",
			event_rings_reopen(&setup->events, cpu)))
		return 0;
	late_ns = away_cpus_longest(&setup->events.list, setup->switch_spec);
	note_time(setup, first, late_ns);
	error = write_events(late, first);
	if (!error)
		error = write_absence(late, cpu, missing_ns);
	if (!error)
		error = event_list_enable_cpu(&setup->events.list, cpu);
	if (error)
		return error;
	late->count++;
	log_message(setup->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    "CPU %d was switched off for %.3f s; events on it until "
		    "now are not recorded",
		    cpu, (double)missing_ns / 1e9);
	return 0;
}

/* Adds function_graph's ring of @cpu, which has all functions since the CPU
 * came online, so that only records of perf events may be missing.
 */
static int add_graph(struct late_cpus *late, int cpu)
{
	const struct recording_setup *setup = late->setup;

	return setup->graph ? function_graph_add_cpu(setup->graph, cpu) : 0;
}

static int consume_cpu(struct late_cpus *late, int cpu)
{
	int error = add_graph(late, cpu);

	if (error)
		return error;
	return can_trace(late->setup) ? trace(late, cpu) :
					note_untraced(late, cpu);
}

/* Reads the pending reports into @cpus. If the kernel dropped reports, adds all
 * CPUs that are online.
 */
static int read_reports(struct late_cpus *late, struct array *cpus)
{
	bool is_lost;
	int error = cpu_reports_read(late->fd, cpus, &is_lost);

	late->has_lost |= is_lost;
	/* If only the list of online CPUs cannot be read, late_cpus_finish()
	 * finds the CPUs.
	 */
	if (!error && is_lost && cpu_list_online(cpus) == -ERROR_MEMORY)
		error = -ERROR_MEMORY;
	return error;
}

/* Stores the current time, at which all reports are handled. */
static void mark(struct late_cpus *late)
{
	const struct recording_setup *setup = late->setup;
	struct late_mark *mark = &late->mark;

	mark->time_ns = now_ns(setup);
	if (setup->tracer->write_blank)
		mark->size = setup->tracer->write_blank(mark->bytes, true);
}

int late_cpus_take(struct late_cpus *late, bool *is_news)
{
	struct array cpus = ARRAY_OF(int);
	int error = read_reports(late, &cpus);

	*is_news = false;
	for (size_t i = 0; i < cpus.count && !error; i++) {
		int cpu = *(const int *)array_at(&cpus, i);

		if (is_known(late, cpu)) {
			error = bring_back(late, cpu);
			continue;
		}
		error = consume_cpu(late, cpu);
		*is_news = true;
	}
	array_free(&cpus);
	mark(late);
	return error;
}

/* Adds the CPUs that came online since the last turn to the untraced ones. */
static int consume_last(struct late_cpus *late)
{
	struct array cpus = ARRAY_OF(int);
	int error = read_reports(late, &cpus);

	/* Adds all CPUs that are online, as there may be no reports. */
	if (!error && cpu_list_online(&cpus) == -ERROR_MEMORY)
		error = -ERROR_MEMORY;
	for (size_t i = 0; i < cpus.count && !error; i++) {
		int cpu = *(const int *)array_at(&cpus, i);

		if (!is_known(late, cpu))
			error = note_untraced(late, cpu);
	}
	array_free(&cpus);
	return error;
}

/* Adds an event that is not open, for the losses of @cpu. Its id is greater
 * than any of the kernel, which counts from 1.
 */
static int add_event(struct recording_setup *setup, int cpu)
{
	const struct event event = {
		.fd = -1,
		.spec = setup->trace_spec,
		.cpu = cpu,
		.thread = -1,
		.id = UINT64_MAX - (uint64_t)cpu,
	};
	int error = array_append(&setup->target.cpus, &cpu);

	return error ? error : array_append(&setup->events.list.events, &event);
}

/* Writes the blank trace of a CPU that is not traced, from its mark until now,
 * if the trace unit can have one.
 */
static int write_trace(const struct late_cpus *late,
		       struct untraced_cpu *untraced)
{
	const struct recording_setup *setup = late->setup;
	struct late_mark *since = &untraced->since;
	uint8_t *end = since->bytes + since->size;
	size_t size;
	struct ring_bytes bytes;
	size_t index = setup->target.cpus.count - 1;

	if (!setup->tracer->write_blank)
		return 0;
	size = since->size + setup->tracer->write_blank(end, false);
	bytes = (struct ring_bytes){
		.part = { { since->bytes, size } },
		.size = size,
	};
	return recording_writer_add_trace(late->output->writer, (uint32_t)index,
					  untraced->cpu, -1, &bytes);
}

/* Writes the gap of a CPU: its event, its blank trace, and a loss record at the
 * gap's end. Without a blank trace readers need a loss record at the start,
 * too.
 */
static int write_gap(struct late_cpus *late, struct untraced_cpu *untraced)
{
	struct recording_setup *setup = late->setup;
	const struct event_list *events = &setup->events.list;
	size_t first = events->events.count;
	struct byte_buffer records = { 0 };
	const struct event *event;
	int error = add_event(setup, untraced->cpu);

	if (!error)
		error = write_events(late, first);
	if (!error)
		error = write_trace(late, untraced);
	if (error)
		return error;
	event = array_at(&events->events, first);
	if (!setup->graph && !setup->tracer->write_blank)
		loss_record_add_records(&records, event, 1,
					untraced->since.time_ns);
	loss_record_add_records(&records, event, 1, now_ns(setup));
	return recording_output_add(late->output, &records);
}

static void log_untraced(const struct recording_setup *setup, int cpu)
{
	log_message(setup->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    setup->graph ?
			    "CPU %d was switched on during the recording; its "
			    "functions are recorded, its events are not" :
			    "CPU %d was switched on during the recording; what "
			    "ran there is not recorded",
		    cpu);
}

int late_cpus_finish(struct late_cpus *late)
{
	const struct recording_setup *setup = late->setup;
	struct untraced_cpu *untraced;
	int error = setup->options->cpus ? 0 : consume_last(late);

	untraced = late->untraced.items;
	for (size_t i = 0; i < late->untraced.count && !error; i++) {
		log_untraced(setup, untraced[i].cpu);
		error = write_gap(late, &untraced[i]);
		late->count++;
	}
	if (!late->has_lost)
		return error;
	late->count++;
	log_message(setup->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    "reports of CPUs that were switched on were lost: one that "
		    "was on for a short time may be missing");
	return error;
}
