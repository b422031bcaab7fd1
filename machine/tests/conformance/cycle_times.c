/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/conformance/cycle_times.h"

#include <intel-pt.h>
#include <stdlib.h>

static void add(struct cycle_time **times, size_t *count, uint64_t offset,
		uint64_t tsc)
{
	if (!(*count & (*count - 1)))
		*times = reallocarray(*times, *count ? 2 * *count : 1,
				      sizeof(**times));
	if (!*times)
		abort();
	(*times)[(*count)++] = (struct cycle_time){ offset, tsc };
}

static void take_packet(struct cycle_times *times,
			const struct pt_packet *packet, uint64_t offset,
			uint64_t *tsc)
{
	if (packet->type == ppt_tip_pgd)
		add(&times->ends, &times->end_count, offset, *tsc);
	else if (packet->type == ppt_tsc)
		*tsc = packet->payload.tsc.tsc;
	else if (packet->type == ppt_cyc)
		*tsc += packet->payload.cyc.value;
	if (packet->type == ppt_tsc || packet->type == ppt_cyc)
		add(&times->times, &times->count, offset, *tsc);
}

static void read_packets(struct cycle_times *times,
			 struct pt_packet_decoder *decoder)
{
	struct pt_packet packet;
	uint64_t offset, tsc = 0;

	while (pt_pkt_next(decoder, &packet, sizeof(packet)) >= 0) {
		pt_pkt_get_offset(decoder, &offset);
		take_packet(times, &packet, offset, &tsc);
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
	free(times->ends);
}

/* Advances @at to the last of @times whose packet ends at or before @offset. */
static uint64_t time_at(const struct cycle_time *times, size_t count,
			size_t *at, uint64_t offset)
{
	while (*at + 1 < count && times[*at + 1].offset <= offset)
		++*at;
	return count ? times[*at].tsc : 0;
}

uint64_t cycle_times_at(struct cycle_times *times, uint64_t offset)
{
	return time_at(times->times, times->count, &times->at, offset);
}

uint64_t cycle_times_at_end(struct cycle_times *times, uint64_t offset)
{
	return time_at(times->ends, times->end_count, &times->end_at, offset);
}
