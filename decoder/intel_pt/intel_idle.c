/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_idle.h"
#include "decoder/intel_pt/intel_packet.h"

bool intel_is_idle(const uint8_t *bytes, size_t size)
{
	for (size_t at = 0; at < size;) {
		struct intel_packet packet;

		if (intel_packet_read(bytes + at, size - at, &packet) <= 0 ||
		    intel_packet_is_flow(&packet))
			return false;
		at += packet.size;
	}
	return true;
}
