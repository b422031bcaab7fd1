/* SPDX-License-Identifier: MIT */
#include "decoder/cpu_frequency.h"

#include "common/error.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/recording/aux_stream.h"
#include "decoder/recording/recording.h"

#include <stdlib.h>

struct cpu_frequency {
	const struct time_conversion *conversion;
	struct stream_bytes bytes;
	struct intel_packet_context context;
	struct intel_clock clock;
	size_t at;	/* position of the next packet */
	double bus_khz; /* the frequency at a ratio of 1 */
	uint64_t last;	/* the last ratio; 0: none yet */
};

void cpu_frequency_close(struct cpu_frequency *frequency)
{
	if (!frequency)
		return;
	stream_bytes_close(&frequency->bytes);
	free(frequency);
}

/* Returns the bus clock's frequency in kHz, 0 if it is unknown. */
static double bus_khz(const struct time_conversion *conversion,
		      const struct intel_clock_setup *setup)
{
	if (!conversion->known || !conversion->mult ||
	    !setup->max_nonturbo_ratio)
		return 0;
	return 1e6 * (double)(UINT64_C(1) << conversion->shift) /
	       (double)conversion->mult / (double)setup->max_nonturbo_ratio;
}

int cpu_frequency_open(const struct recording *recording,
		       const struct aux_stream *stream,
		       struct cpu_frequency **opened)
{
	const struct intel_clock_setup setup = intel_clock_setup_of(recording);
	struct cpu_frequency *frequency;
	int error;

	if (recording_trace(recording) != RECORDING_TRACE_INTEL_PT ||
	    !bus_khz(recording_time_conversion(recording), &setup))
		return -ERROR_UNSUPPORTED;
	frequency = calloc(1, sizeof(*frequency));
	if (!frequency)
		return -ERROR_MEMORY;
	frequency->conversion = recording_time_conversion(recording);
	frequency->clock = intel_clock_of(&setup);
	frequency->bus_khz = bus_khz(frequency->conversion, &setup);
	error = stream_bytes_open(&frequency->bytes, stream, NULL);
	if (error) {
		cpu_frequency_close(frequency);
		return error;
	}
	*opened = frequency;
	return 0;
}

/* Returns the time of the last packet. */
static uint64_t time_of(const struct cpu_frequency *frequency)
{
	const struct intel_clock *clock = &frequency->clock;

	return time_conversion_ns(frequency->conversion,
				  (clock->anchor + clock->elapsed) >>
					  INTEL_TICK_SHIFT);
}

/* Consumes a packet. Returns whether it changes the frequency. */
static bool consume(struct cpu_frequency *frequency,
		    const struct intel_packet *packet)
{
	uint64_t anchor;

	if (intel_clock_consume(&frequency->clock, packet, &anchor))
		intel_clock_set_anchor(&frequency->clock, anchor);
	if (packet->kind != INTEL_PACKET_CBR || !frequency->clock.has_anchor ||
	    packet->payload == frequency->last)
		return false;
	frequency->last = packet->payload;
	return true;
}

int cpu_frequency_next(struct cpu_frequency *frequency, uint64_t *time_ns,
		       uint64_t *khz)
{
	const struct stream_bytes *bytes = &frequency->bytes;
	struct intel_packet packet;

	while (frequency->at < bytes->size) {
		if (intel_packet_read_in(
			    &frequency->context, bytes->bytes + frequency->at,
			    bytes->size - frequency->at, &packet) <= 0) {
			frequency->at = intel_psb_find(
				bytes->bytes, bytes->size, frequency->at + 1);
			frequency->context = (struct intel_packet_context){ 0 };
			continue;
		}
		frequency->at += packet.size;
		if (!consume(frequency, &packet))
			continue;
		*time_ns = time_of(frequency);
		*khz = (uint64_t)(frequency->bus_khz * (double)frequency->last +
				  0.5);
		return 1;
	}
	return 0;
}
