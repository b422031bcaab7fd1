/* SPDX-License-Identifier: MIT */
#include "decoder/code/text_patch.h"
#include "common/text_patch.h"
#include "decoder/code/code_change.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"

#include <linux/perf_event.h>
#include <string.h>

enum { INSTRUCTION_SIZE = 4 };
_Static_assert(TEXT_PATCH_INSTRUCTION_REGISTER ==
		       TEXT_PATCH_ADDRESS_REGISTER + 1,
	       "the instruction follows the address in a sample");

static bool is_text_patch(const struct recording_event *event)
{
	return event->type == PERF_TYPE_BREAKPOINT &&
	       !strcmp(event->name, TEXT_PATCH_EVENT) &&
	       event->registers == TEXT_PATCH_REGISTERS;
}

bool text_patch_is_recorded(const struct recording *recording)
{
	for (size_t i = 0; i < recording_event_count(recording); i++)
		if (is_text_patch(recording_event(recording, i)))
			return true;
	return false;
}

bool text_patch_read(const struct sideband_record *record,
		     struct code_change *change)
{
	const struct sideband_sample *sample = &record->sample;
	uint64_t address;

	if (record->kind != SIDEBAND_SAMPLE || !is_text_patch(sample->event) ||
	    !sideband_register(&sample->registers, TEXT_PATCH_ADDRESS_REGISTER,
			       &address))
		return false;
	*change = (struct code_change){
		.time_ns = record->time_ns,
		.address = address,
		.is_patch = true,
		.new_size = INSTRUCTION_SIZE,
		/* The low half of the register that follows the address's. */
		.new_bytes = sample->registers.values + sizeof(address),
	};
	return true;
}

bool text_patch_is_lost(const struct sideband_record *record)
{
	return record->kind == SIDEBAND_LOST && record->event &&
	       is_text_patch(record->event);
}
