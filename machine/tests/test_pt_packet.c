/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/intel_pt/packet.h"
#include "machine/tests/pt_decode.h"
#include "tests/run_suite.h"

#include <string.h>

/* Decodes the one packet of @size bytes. */
static struct pt_packet only(const uint8_t *bytes, size_t size)
{
	struct pt_packet packet = { .type = ppt_invalid };

	ck_assert_uint_eq(pt_decode(bytes, size, &packet, 1), 1);
	ck_assert_uint_eq(packet.size, size);
	return packet;
}

static const struct {
	size_t (*encode)(uint8_t *bytes);
	enum pt_packet_type type;
} bare[] = {
	{ pt_packet_psb, ppt_psb },
	{ pt_packet_psbend, ppt_psbend },
	{ pt_packet_ovf, ppt_ovf },
	{ pt_packet_trace_stop, ppt_stop },
};

START_TEST(packets_without_payload)
{
	uint8_t bytes[PT_PACKET_MAX];

	ck_assert_int_eq(only(bytes, bare[_i].encode(bytes)).type,
			 bare[_i].type);
}
END_TEST

START_TEST(tsc_keeps_56_bits)
{
	uint8_t bytes[PT_PACKET_MAX];
	struct pt_packet packet =
		only(bytes, pt_packet_tsc(bytes, 0x1122334455667788));

	ck_assert_int_eq(packet.type, ppt_tsc);
	ck_assert_uint_eq(packet.payload.tsc.tsc, 0x22334455667788);
}
END_TEST

START_TEST(tma_holds_crystal_and_fast_counter)
{
	uint8_t bytes[PT_PACKET_MAX];
	struct pt_packet packet =
		only(bytes, pt_packet_tma(bytes, 0xabcd, 0x1a5));

	ck_assert_int_eq(packet.type, ppt_tma);
	ck_assert_uint_eq(packet.payload.tma.ctc, 0xabcd);
	ck_assert_uint_eq(packet.payload.tma.fc, 0x1a5);
}
END_TEST

START_TEST(mtc_cbr_mode_and_pip)
{
	uint8_t bytes[PT_PACKET_MAX];
	struct pt_packet packet = only(bytes, pt_packet_mtc(bytes, 0x7e));

	ck_assert_uint_eq(packet.payload.mtc.ctc, 0x7e);
	packet = only(bytes, pt_packet_cbr(bytes, 42));
	ck_assert_uint_eq(packet.payload.cbr.ratio, 42);
	packet = only(bytes, pt_packet_mode_exec(
				     bytes, (struct pt_mode){ .cs_l = true }));
	ck_assert_int_eq(packet.payload.mode.leaf, pt_mol_exec);
	ck_assert_uint_eq(packet.payload.mode.bits.exec.csl, 1);
	ck_assert_uint_eq(packet.payload.mode.bits.exec.csd, 0);
	packet = only(bytes, pt_packet_mode_exec(
				     bytes, (struct pt_mode){ .cs_d = true }));
	ck_assert_uint_eq(packet.payload.mode.bits.exec.csl, 0);
	ck_assert_uint_eq(packet.payload.mode.bits.exec.csd, 1);
	packet = only(bytes, pt_packet_mode_tsx(bytes, true, false));
	ck_assert_int_eq(packet.payload.mode.leaf, pt_mol_tsx);
	ck_assert_uint_eq(packet.payload.mode.bits.tsx.intx, 1);
	ck_assert_uint_eq(packet.payload.mode.bits.tsx.abrt, 0);
	packet = only(bytes, pt_packet_pip(bytes, 0x000123456789a060));
	ck_assert_uint_eq(packet.payload.pip.cr3, 0x000123456789a060);
	ck_assert_uint_eq(packet.payload.pip.nr, 0);
}
END_TEST

static const uint64_t cycle_counts[] = {
	1, 31, 32, 4095, 4096, 0x80000, 0x123456789abc,
};

START_TEST(cyc_of_any_length)
{
	uint8_t bytes[PT_PACKET_MAX];
	struct pt_packet packet =
		only(bytes, pt_packet_cyc(bytes, cycle_counts[_i]));

	ck_assert_int_eq(packet.type, ppt_cyc);
	ck_assert_uint_eq(packet.payload.cyc.value, cycle_counts[_i]);
}
END_TEST

START_TEST(tnt_of_every_length)
{
	uint8_t bytes[PT_PACKET_MAX];
	unsigned count = (unsigned)_i;
	uint64_t bits = 0x5a5a5a5a5a5a & ((1ull << count) - 1);
	struct pt_packet packet =
		only(bytes, pt_packet_tnt(bytes, bits, count));

	ck_assert_int_eq(packet.type, count <= 6 ? ppt_tnt_8 : ppt_tnt_64);
	ck_assert_uint_eq(packet.payload.tnt.bit_size, count);
	ck_assert_uint_eq(packet.payload.tnt.payload, bits);
}
END_TEST

static const struct {
	enum pt_ip_packet packet;
	enum pt_packet_type type;
} ip_packets[] = {
	{ PT_TIP, ppt_tip },
	{ PT_TIP_PGE, ppt_tip_pge },
	{ PT_TIP_PGD, ppt_tip_pgd },
	{ PT_FUP, ppt_fup },
};

static const struct {
	enum pt_ip_bytes ours;
	enum pt_ip_compression libipt;
	uint64_t mask;
} compressions[] = {
	{ PT_IP_NONE, pt_ipc_suppressed, 0 },
	{ PT_IP_UPDATE_16, pt_ipc_update_16, 0xffff },
	{ PT_IP_UPDATE_32, pt_ipc_update_32, 0xffffffff },
	{ PT_IP_SIGN_EXTEND_48, pt_ipc_sext_48, 0xffffffffffff },
	{ PT_IP_FULL, pt_ipc_full, UINT64_MAX },
};

START_TEST(ip_packets_with_every_compression)
{
	const uint64_t ip = 0xffffffff81234567;
	uint8_t bytes[PT_PACKET_MAX];

	for (size_t i = 0; i < sizeof(compressions) / sizeof(*compressions);
	     i++) {
		struct pt_packet packet =
			only(bytes, pt_packet_ip(bytes, ip_packets[_i].packet,
						 compressions[i].ours, ip));

		ck_assert_int_eq(packet.type, ip_packets[_i].type);
		ck_assert_int_eq(packet.payload.ip.ipc, compressions[i].libipt);
		ck_assert_uint_eq(packet.payload.ip.ip,
				  ip & compressions[i].mask);
	}
}
END_TEST

START_TEST(ptwrite_of_both_sizes)
{
	uint8_t bytes[PT_PACKET_MAX];
	struct pt_packet packet = only(
		bytes, pt_packet_ptwrite(bytes, 0x1122334455667788, 8, true));

	ck_assert_int_eq(packet.type, ppt_ptw);
	ck_assert_uint_eq(packet.payload.ptw.payload, 0x1122334455667788);
	ck_assert_uint_eq(packet.payload.ptw.ip, 1);
	packet = only(bytes, pt_packet_ptwrite(bytes, 0x55667788, 4, false));
	ck_assert_uint_eq(packet.payload.ptw.payload, 0x55667788);
	ck_assert_uint_eq(packet.payload.ptw.ip, 0);
}
END_TEST

START_TEST(power_packets)
{
	uint8_t bytes[PT_PACKET_MAX];
	struct pt_packet packet =
		only(bytes, pt_packet_mwait(bytes, 0x11223344, 0x55667788));

	ck_assert_int_eq(packet.type, ppt_mwait);
	ck_assert_uint_eq(packet.payload.mwait.hints, 0x11223344);
	ck_assert_uint_eq(packet.payload.mwait.ext, 0x55667788);
	packet = only(bytes, pt_packet_pwre(bytes, 6, 2));
	ck_assert_int_eq(packet.type, ppt_pwre);
	ck_assert_uint_eq(packet.payload.pwre.state, 6);
	ck_assert_uint_eq(packet.payload.pwre.sub_state, 2);
	ck_assert_uint_eq(packet.payload.pwre.hw, 0);
	packet = only(bytes, pt_packet_exstop(bytes, false));
	ck_assert_int_eq(packet.type, ppt_exstop);
	ck_assert_uint_eq(packet.payload.exstop.ip, 0);
	packet = only(bytes, pt_packet_exstop(bytes, true));
	ck_assert_uint_eq(packet.payload.exstop.ip, 1);
	packet = only(bytes, pt_packet_pwrx_interrupt(bytes, 6));
	ck_assert_int_eq(packet.type, ppt_pwrx);
	ck_assert_uint_eq(packet.payload.pwrx.last, 6);
	ck_assert_uint_eq(packet.payload.pwrx.deepest, 6);
	ck_assert_uint_eq(packet.payload.pwrx.interrupt, 1);
	ck_assert_uint_eq(packet.payload.pwrx.store, 0);
	ck_assert_uint_eq(packet.payload.pwrx.autonomous, 0);
}
END_TEST

/* Debian's libipt is older than Event Trace: the bytes are the manual's (SDM,
 * "Control Flow Event (CFE) Packet", "Event Data (EVD) Packet").
 */
START_TEST(event_packets)
{
	static const uint8_t interrupt[] = { 0x02, 0x13, 0x01, 0xec };
	static const uint8_t iret[] = { 0x02, 0x13, 0x82, 0x00 };
	static const uint8_t fault[] = { 0x02, 0x53, 0x00, 0x88, 0x77, 0x66,
					 0x55, 0x44, 0x33, 0x22, 0x11 };
	static const uint8_t mode[] = { 0x99, 0x05 };
	const struct pt_mode enabled = { .cs_l = true, .interrupts = true };
	uint8_t bytes[PT_PACKET_MAX];

	ck_assert_uint_eq(pt_packet_cfe(bytes, PT_EVENT_INTERRUPT, 0xec, false),
			  sizeof(interrupt));
	ck_assert_mem_eq(bytes, interrupt, sizeof(interrupt));
	ck_assert_uint_eq(pt_packet_cfe(bytes, PT_EVENT_IRET, 0, true),
			  sizeof(iret));
	ck_assert_mem_eq(bytes, iret, sizeof(iret));
	ck_assert_uint_eq(pt_packet_evd_page_fault(bytes, 0x1122334455667788),
			  sizeof(fault));
	ck_assert_mem_eq(bytes, fault, sizeof(fault));
	ck_assert_uint_eq(pt_packet_mode_exec(bytes, enabled), sizeof(mode));
	ck_assert_mem_eq(bytes, mode, sizeof(mode));
}
END_TEST

SUITE("pt_packet")
{
	TEST_EACH(packets_without_payload, bare);
	TEST(tsc_keeps_56_bits);
	TEST(tma_holds_crystal_and_fast_counter);
	TEST(mtc_cbr_mode_and_pip);
	TEST_EACH(cyc_of_any_length, cycle_counts);
	TEST_RANGE(tnt_of_every_length, 1, PT_LONG_TNT_MAX + 1);
	TEST_EACH(ip_packets_with_every_compression, ip_packets);
	TEST(ptwrite_of_both_sizes);
	TEST(power_packets);
	TEST(event_packets);
}
