/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_whole.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/recording/intel_psb.h"

/* Returns the position of a PSB near the end, @size if there is none. */
static size_t find_late_psb(const uint8_t *bytes, size_t size)
{
	size_t distance = 1 << 12;
	size_t from = size;
	size_t psb = size;

	while (psb == size && from) {
		from = distance < size ? size - distance : 0;
		psb = intel_psb_find(bytes, size, from);
		distance *= 2;
	}
	return psb;
}

size_t intel_whole_size(const uint8_t *bytes, size_t size)
{
	struct intel_packet_context context = { 0 };
	struct intel_packet packet;
	size_t at = find_late_psb(bytes, size);
	int status;

	if (at == size)
		return size;
	while ((status = intel_packet_read_in(&context, bytes + at, size - at,
					      &packet)) > 0)
		at += packet.size;
	return status < 0 ? size : at;
}
