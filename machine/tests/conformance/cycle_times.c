/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/conformance/cycle_times.h"

#include <intel-pt.h>
#include <stdlib.h>

static void add(struct cycle_times *times, uint64_t offset, uint64_t tsc)
{
	size_t count = times->count;

	if (!(count & (count - 1)))
		times->times = reallocarray(times->times,
					    count ? 2 * count : 1,
					    sizeof(*times->times));
	if (!times->times)
		abort();
	times->times[count] = (struct cycle_time){ offset, tsc };
	times->count++;
}

static void read_packets(struct cycle_times *times,
			 struct pt_packet_decoder *decoder)
{
	struct pt_packet packet;
	uint64_t offset, tsc = 0;

	while (pt_pkt_next(decoder, &packet, sizeof(packet)) >= 0) {
		if (packet.type == ppt_tsc)
			tsc = packet.payload.tsc.tsc;
		else if (packet.type == ppt_cyc)
			tsc += packet.payload.cyc.value;
		else
			continue;
		pt_pkt_get_offset(decoder, &offset);
		add(times, offset, tsc);
	}
}

void cycle_times_init(struct cycle_times *times, uint8_t *bytes, size_t size)
{
	struct pt_packet_decoder *decoder;
	struct pt_config config;

	*times = (struct cycle_times){ 0 };
	pt_config_init(&config);
	config.begin = bytes;
	config.end = bytes + size;
	decoder = pt_pkt_alloc_decoder(&config);
	if (decoder && pt_pkt_sync_forward(decoder) >= 0)
		read_packets(times, decoder);
	pt_pkt_free_decoder(decoder);
}

void cycle_times_fini(struct cycle_times *times)
{
	free(times->times);
}

uint64_t cycle_times_at(struct cycle_times *times, uint64_t offset)
{
	while (times->at + 1 < times->count &&
	       times->times[times->at + 1].offset <= offset)
		times->at++;
	return times->count ? times->times[times->at].tsc : 0;
}
