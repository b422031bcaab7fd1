/* SPDX-License-Identifier: MIT */
#include "decoder/code/bpf_text_breakpoint.h"
#include "common/recording_events.h"
#include "decoder/code/code_change.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"

#include <linux/perf_event.h>
#include <string.h>

/* No JIT compiler writes more at once (BPF_PROG_PACK_SIZE is 2 MiB a node). */
#define LARGEST (64u << 20)

/* One of the two breakpoints on one architecture. */
static const struct breakpoint {
	const char *name;
	uint64_t registers;
	unsigned int address;
	unsigned int size;
	bool announces;
} breakpoints[] = {
	{ BPF_TEXT_COPY_EVENT, BPF_TEXT_X86_COPY_REGISTERS,
	  BPF_TEXT_X86_ADDRESS, BPF_TEXT_X86_COPY_SIZE, true },
	{ BPF_TEXT_WIPE_EVENT, BPF_TEXT_X86_WIPE_REGISTERS,
	  BPF_TEXT_X86_ADDRESS, BPF_TEXT_X86_WIPE_SIZE, false },
	{ BPF_TEXT_COPY_EVENT, BPF_TEXT_ARM64_COPY_REGISTERS,
	  BPF_TEXT_ARM64_ADDRESS, BPF_TEXT_ARM64_COPY_SIZE, true },
	{ BPF_TEXT_WIPE_EVENT, BPF_TEXT_ARM64_WIPE_REGISTERS,
	  BPF_TEXT_ARM64_ADDRESS, BPF_TEXT_ARM64_WIPE_SIZE, false },
};

/* Returns which breakpoint @event is, or NULL. */
static const struct breakpoint *
breakpoint_of(const struct recording_event *event)
{
	for (size_t i = 0; i < sizeof(breakpoints) / sizeof(*breakpoints); i++)
		if (event && event->type == PERF_TYPE_BREAKPOINT &&
		    event->registers == breakpoints[i].registers &&
		    !strcmp(event->name, breakpoints[i].name))
			return &breakpoints[i];
	return NULL;
}

bool bpf_text_breakpoint_is_recorded(const struct recording *recording)
{
	for (size_t i = 0; i < recording_event_count(recording); i++)
		if (breakpoint_of(recording_event(recording, i)))
			return true;
	return false;
}

bool bpf_text_breakpoint_read(const struct sideband_record *record,
			      struct code_change *change)
{
	const struct sideband_sample *sample = &record->sample;
	const struct breakpoint *breakpoint;
	uint64_t address;
	uint64_t size;

	if (record->kind != SIDEBAND_SAMPLE)
		return false;
	breakpoint = breakpoint_of(sample->event);
	if (!breakpoint ||
	    !sideband_register(&sample->registers, breakpoint->address,
			       &address) ||
	    !sideband_register(&sample->registers, breakpoint->size, &size) ||
	    size > LARGEST)
		return false;
	*change = (struct code_change){
		.kind = CODE_LOSS,
		.announces = breakpoint->announces,
		.time_ns = record->time_ns,
		.address = address,
		.new_size = size,
	};
	return true;
}
