/* SPDX-License-Identifier: MIT */
#include "decoder/code/text_poke_breakpoint.h"
#include "common/recording_events.h"
#include "decoder/code/code_change.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"

#include <linux/perf_event.h>
#include <string.h>

enum { INSTRUCTION_SIZE = 4 };
_Static_assert(TEXT_POKE_BREAKPOINT_INSTRUCTION_REGISTER ==
		       TEXT_POKE_BREAKPOINT_ADDRESS_REGISTER + 1,
	       "the instruction follows the address in a sample");

static bool is_text_poke_breakpoint(const struct recording_event *event)
{
	return event->type == PERF_TYPE_BREAKPOINT &&
	       !strcmp(event->name, TEXT_POKE_BREAKPOINT_EVENT) &&
	       event->registers == TEXT_POKE_BREAKPOINT_REGISTERS;
}

bool text_poke_breakpoint_is_recorded(const struct recording *recording)
{
	for (size_t i = 0; i < recording_event_count(recording); i++)
		if (is_text_poke_breakpoint(recording_event(recording, i)))
			return true;
	return false;
}

bool text_poke_breakpoint_read(const struct sideband_record *record,
			       struct code_change *change)
{
	const struct sideband_sample *sample = &record->sample;
	uint64_t address;

	if (record->kind != SIDEBAND_SAMPLE ||
	    !is_text_poke_breakpoint(sample->event) ||
	    !sideband_register(&sample->registers,
			       TEXT_POKE_BREAKPOINT_ADDRESS_REGISTER, &address))
		return false;
	*change = (struct code_change){
		.time_ns = record->time_ns,
		.address = address,
		.kind = CODE_PATCH,
		.new_size = INSTRUCTION_SIZE,
		/* The low half of the register that follows the address's. */
		.new_bytes = sample->registers.values + sizeof(address),
	};
	return true;
}

bool text_poke_breakpoint_is_lost(const struct sideband_record *record)
{
	return record->kind == SIDEBAND_LOST && record->event &&
	       is_text_poke_breakpoint(record->event);
}
