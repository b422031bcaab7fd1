/* SPDX-License-Identifier: MIT */
#include "tests/stack_sample_fixture.h"

#include "decoder/recording/recording.h"

static const struct recording_event event;

struct sideband_record stack_sample(const struct made_sample *made)
{
	return (struct sideband_record){
		.kind = SIDEBAND_SAMPLE,
		.pid = 7,
		.tid = 7,
		.time_ns = 100,
		.sample = {
			.event = &event,
			.user = {
				.registers = {
					made->abi,
					made->mask,
					(const uint8_t *)made->registers,
				},
				.stack = made->stack,
				.stack_size = made->stack_size,
			},
		},
	};
}
