/* SPDX-License-Identifier: MIT */
#include "collector/away_records.h"
#include "collector/events/event_list.h"
#include "collector/recording_output.h"
#include "collector/recording_setup.h"
#include "collector/records/loss_record.h"
#include "common/array.h"
#include "common/error.h"
#include "common/log.h"

/* Adds records of the losses on the CPU since it was switched off: records of
 * all kinds, and trace. The kernel leaves the events of threads open, so their
 * trace goes on.
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
