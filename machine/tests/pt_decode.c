/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/pt_decode.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { MANY = 4096 };

/* Returns the size of the Event Trace packet at @at, which ends before @end; 0
 * if it is another packet. Source: Intel SDM volume 3, "Control Flow Event
 * (CFE) Packet" and "Event Data (EVD) Packet".
 */
static int event_packet_size(const uint8_t *at, const uint8_t *end)
{
	if (end - at < 2 || at[0] != 0x02)
		return 0;
	if (at[1] == 0x13)
		return 4;
	return at[1] == 0x53 ? 11 : 0;
}

/* libipt calls this for packets that it does not know: before release 2.1,
 * Event Trace's.
 */
static int event_packet(struct pt_packet_unknown *unknown,
			const struct pt_config *config, const uint8_t *at,
			void *context)
{
	int size = event_packet_size(at, config->end);

	(void)context;
	unknown->packet = at;
	return size ? size : -pte_bad_opc;
}

/* Makes @packet at @at unknown if it belongs to Event Trace: libipt 2.1 and
 * later return it as ppt_cfe or ppt_evd, 2.0 as unknown with event_packet().
 */
static void forget_event_packet(struct pt_packet *packet, const uint8_t *at)
{
	int size = event_packet_size(at, at + packet->size);

	if (!size)
		return;
	ck_assert_int_eq(packet->size, size);
	packet->type = ppt_unknown;
	packet->payload.unknown = (struct pt_packet_unknown){ .packet = at };
}

static struct pt_packet_decoder *open_decoder(const uint8_t *bytes, size_t size)
{
	struct pt_config config;

	pt_config_init(&config);
	config.begin = (uint8_t *)(uintptr_t)bytes;
	config.end = config.begin + size;
	config.decode.callback = event_packet;

	struct pt_packet_decoder *decoder = pt_pkt_alloc_decoder(&config);

	ck_assert_ptr_nonnull(decoder);
	ck_assert_int_eq(pt_pkt_sync_set(decoder, 0), 0);
	return decoder;
}

size_t pt_decode(const uint8_t *bytes, size_t size, struct pt_packet *packets,
		 size_t max)
{
	struct pt_packet_decoder *decoder = open_decoder(bytes, size);
	struct pt_packet packet;
	const uint8_t *at = bytes;
	size_t count = 0;
	int status;

	while ((status = pt_pkt_next(decoder, &packet, sizeof(packet))) > 0) {
		forget_event_packet(&packet, at);
		at += packet.size;
		if (packet.type == ppt_pad)
			continue;
		ck_assert_uint_lt(count, max);
		packets[count++] = packet;
	}
	ck_assert_int_eq(status, -pte_eos);
	pt_pkt_free_decoder(decoder);
	return count;
}

static const struct {
	enum pt_packet_type type;
	const char *name;
} packet_names[] = {
	{ ppt_psb, "psb" },	    { ppt_psbend, "psbend" },
	{ ppt_fup, "fup" },	    { ppt_tip, "tip" },
	{ ppt_tip_pge, "tip.pge" }, { ppt_tip_pgd, "tip.pgd" },
	{ ppt_tnt_8, "tnt" },	    { ppt_tnt_64, "tnt64" },
	{ ppt_mode, "mode" },	    { ppt_pip, "pip" },
	{ ppt_cbr, "cbr" },	    { ppt_tsc, "tsc" },
	{ ppt_tma, "tma" },	    { ppt_mtc, "mtc" },
	{ ppt_cyc, "cyc" },	    { ppt_stop, "stop" },
	{ ppt_ovf, "ovf" },	    { ppt_ptw, "ptw" },
	{ ppt_mwait, "mwait" },	    { ppt_pwre, "pwre" },
	{ ppt_pwrx, "pwrx" },	    { ppt_exstop, "exstop" },
};

const char *pt_packet_name(enum pt_packet_type type)
{
	for (size_t i = 0; i < sizeof(packet_names) / sizeof(*packet_names);
	     i++)
		if (packet_names[i].type == type)
			return packet_names[i].name;
	return "other";
}

static const char *name_of(const struct pt_packet *packet)
{
	if (packet->type == ppt_unknown)
		return packet->payload.unknown.packet[1] == 0x13 ? "cfe" :
								   "evd";
	return pt_packet_name(packet->type);
}

void pt_decode_names(const uint8_t *bytes, size_t count, char *names,
		     size_t size)
{
	static struct pt_packet packets[MANY];
	size_t found = pt_decode(bytes, count, packets, MANY);
	size_t used = 0;

	names[0] = '\0';
	for (size_t i = 0; i < found; i++) {
		used += (size_t)snprintf(names + used, size - used, "%s%s",
					 i ? " " : "", name_of(&packets[i]));
		ck_assert_uint_lt(used, size);
	}
}
