/* SPDX-License-Identifier: MIT */
#include "decoder/cpu_frequency.h"

#include "common/error.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/recording/aux_stream.h"
#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct cpu_frequency {
	const struct time_conversion *conversion;
	struct stream_bytes bytes;
	struct intel_packet_context context;
	struct intel_clock clock;
	size_t at;	/* position of the next packet */
	double bus_khz; /* the frequency at a ratio of 1 */
	uint64_t last;	/* the last ratio; 0: none yet */
	/* there may be another ratio after position at */
	bool may_change;
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
	frequency->may_change = true;
	*opened = frequency;
	return 0;
}

/* Returns whether @size bytes may contain a CBR packet with a ratio other than
 * @last.
 */
static bool has_other_ratio(const uint8_t *bytes, size_t size, uint64_t last)
{
	static const uint8_t head[] = { 0x02, 0x03 };
	const uint8_t *at = bytes;

	while ((at = memmem(at, (size_t)(bytes + size - at), head,
			    sizeof(head)))) {
		at += sizeof(head);
		if (at < bytes + size && *at != last)
			return true;
	}
	return false;
}

/* Returns whether a packet in @size bytes, the first of which is read in
 * @context, is a CBR with a ratio other than @last.
 */
static bool reads_other_ratio(struct intel_packet_context context,
			      const uint8_t *bytes, size_t size, uint64_t last)
{
	struct intel_packet packet;

	for (size_t at = 0;
	     intel_packet_read_in(&context, bytes + at, size - at, &packet) > 0;
	     at += packet.size)
		if (packet.kind == INTEL_PACKET_CBR && packet.payload != last)
			return true;
	return false;
}

/* Returns whether the ratio changes after the present position. Reads packets,
 * without their clock, only between two sync points between which the bytes
 * look like a change: most traces have none after their start.
 */
static bool changes_later(const struct cpu_frequency *frequency)
{
	const uint8_t *bytes = frequency->bytes.bytes;
	size_t size = frequency->bytes.size;
	struct intel_packet_context context = frequency->context;
	size_t at = frequency->at;

	while (at < size) {
		size_t end = intel_psb_find(bytes, size, at + 1);

		if (has_other_ratio(bytes + at, end - at, frequency->last) &&
		    reads_other_ratio(context, bytes + at, end - at,
				      frequency->last))
			return true;
		context = (struct intel_packet_context){ 0 };
		at = end;
	}
	return false;
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

	while (frequency->may_change && frequency->at < bytes->size) {
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
		frequency->may_change = changes_later(frequency);
		*time_ns = time_of(frequency);
		*khz = (uint64_t)(frequency->bus_khz * (double)frequency->last +
				  0.5);
		return 1;
	}
	return 0;
}
