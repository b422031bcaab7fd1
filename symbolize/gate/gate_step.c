/* SPDX-License-Identifier: MIT */
#include "symbolize/gate/gate_step.h"
#include "common/bytes.h"
#include "common/recording_events.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"

#include <linux/perf_event.h>
#include <string.h>

static bool is_mark(const struct recording_event *event)
{
	return event && event->name && !strcmp(event->name, GATE_MARK_EVENT);
}

static void add_address(struct gate_step *step, uint64_t address)
{
	if (step->count < GATE_CHAIN_MAX)
		step->chain[step->count++] = address;
}

/* Reads the chain, with @caller after the first address, unless it is 0. */
static void read_chain(const struct sideband_sample *sample, uint64_t caller,
		       struct gate_step *step)
{
	struct byte_reader reader =
		byte_reader_of(sample->chain, (size_t)sample->chain_count * 8);

	for (uint64_t i = 0; i < sample->chain_count; i++) {
		uint64_t address = byte_reader_u64(&reader);

		/* Skips the markers of privilege levels, which are no
		 * addresses.
		 */
		if (address >= (uint64_t)PERF_CONTEXT_MAX)
			continue;
		add_address(step, address);
		if (step->count == 1 && caller)
			add_address(step, caller);
	}
}

bool gate_step_read(const struct sideband_record *record,
		    struct gate_step *step)
{
	const struct sideband_sample *sample = &record->sample;
	struct gate_mark mark = { .caller = 0 };

	if (!is_mark(sample->event) || !sample->raw ||
	    sample->raw_size < GATE_MARK_OLD_SIZE)
		return false;
	/* The kernel appends some bytes of padding. */
	memcpy(&mark, sample->raw,
	       sample->raw_size < sizeof(mark) ? GATE_MARK_OLD_SIZE :
						 sizeof(mark));
	if (mark.kind < GATE_BEGIN || mark.kind > GATE_LAST)
		return false;
	*step = (struct gate_step){
		.time_ns = record->time_ns,
		.kind = (uint8_t)mark.kind,
	};
	read_chain(sample, mark.caller, step);
	return true;
}
