/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/intel_pt/intel_packet_dump_internal.h"
#include "decoder/recording/aux_stream.h"
#include "tests/fixtures/packet.h"
#include "tests/run_suite.h"

#include <intel-pt.h>
#include <string.h>

#define IP(value) \
	{ \
		.ipc = pt_ipc_sext_48, .ip = (value) \
	}

/* One kind a row; libipt's encoder is the referee. */
/* clang-format off */
static const struct {
	struct pt_packet packet;
	uint8_t kind;
	uint64_t payload;
} rows[] = {
	{ { .type = ppt_pad }, INTEL_PACKET_PAD, 0 },
	{ { .type = ppt_psb }, INTEL_PACKET_PSB, 0 },
	{ { .type = ppt_psbend }, INTEL_PACKET_PSBEND, 0 },
	{ { .type = ppt_tnt_8,
	    .payload.tnt = { .bit_size = 5, .payload = 0x15 } },
	  INTEL_PACKET_TNT, 0x15 },
	{ { .type = ppt_tnt_8, .payload.tnt = { .bit_size = 6 } },
	  INTEL_PACKET_TNT, 0 },
	{ { .type = ppt_tnt_64,
	    .payload.tnt = { .bit_size = 47, .payload = 0x412345678901 } },
	  INTEL_PACKET_TNT, 0x412345678901 },
	{ { .type = ppt_tip, .payload.ip = IP(0x1234) }, INTEL_PACKET_TIP,
	  0x1234 },
	{ { .type = ppt_tip_pge, .payload.ip = IP(0x1234) },
	  INTEL_PACKET_TIP_PGE, 0x1234 },
	{ { .type = ppt_tip_pgd }, INTEL_PACKET_TIP_PGD, 0 },
	{ { .type = ppt_fup, .payload.ip = IP(0x99) }, INTEL_PACKET_FUP,
	  0x99 },
	{ { .type = ppt_tsc, .payload.tsc.tsc = 0x12345678 },
	  INTEL_PACKET_TSC, 0x12345678 },
	{ { .type = ppt_tma, .payload.tma = { .ctc = 0x1234, .fc = 0x156 } },
	  INTEL_PACKET_TMA, 0x1561234 },
	{ { .type = ppt_mtc, .payload.mtc.ctc = 0x42 }, INTEL_PACKET_MTC,
	  0x42 },
	{ { .type = ppt_cyc, .payload.cyc.value = 3 }, INTEL_PACKET_CYC, 3 },
	{ { .type = ppt_cyc, .payload.cyc.value = 0x123456789 },
	  INTEL_PACKET_CYC, 0x123456789 },
	{ { .type = ppt_cbr, .payload.cbr.ratio = 12 }, INTEL_PACKET_CBR,
	  12 },
	{ { .type = ppt_ovf }, INTEL_PACKET_OVF, 0 },
	{ { .type = ppt_stop }, INTEL_PACKET_STOP, 0 },
	{ { .type = ppt_pip, .payload.pip = { .cr3 = 0x1000, .nr = 1 } },
	  INTEL_PACKET_PIP, 0x101 },
	{ { .type = ppt_vmcs, .payload.vmcs.base = 0x1000 },
	  INTEL_PACKET_VMCS, 1 },
	{ { .type = ppt_mnt, .payload.mnt.payload = 0x1234 },
	  INTEL_PACKET_MNT, 0x1234 },
	{ { .type = ppt_exstop }, INTEL_PACKET_EXSTOP, 0 },
	{ { .type = ppt_exstop, .payload.exstop.ip = 1 },
	  INTEL_PACKET_EXSTOP, 0 },
	{ { .type = ppt_mwait, .payload.mwait = { .hints = 5, .ext = 1 } },
	  INTEL_PACKET_MWAIT, 0x100000005 },
	{ { .type = ppt_pwre, .payload.pwre = { .state = 2 } },
	  INTEL_PACKET_PWRE, 0x2000 },
	{ { .type = ppt_pwrx, .payload.pwrx = { .last = 1 } },
	  INTEL_PACKET_PWRX, 0x10 },
	{ { .type = ppt_ptw,
	    .payload.ptw = { .payload = 7, .plc = 0, .ip = 1 } },
	  INTEL_PACKET_PTW, 7 },
	{ { .type = ppt_ptw, .payload.ptw = { .payload = 7, .plc = 1 } },
	  INTEL_PACKET_PTW, 7 },
	{ { .type = ppt_mode,
	    .payload.mode = { .leaf = pt_mol_exec, .bits.exec.csl = 1 } },
	  INTEL_PACKET_MODE, 1 },
};
/* clang-format on */

START_TEST(reads_the_packets_that_libipt_writes)
{
	uint8_t bytes[32] = { 0 };
	struct intel_packet packet = { 0 };
	size_t size = fixture_encode(&rows[_i].packet, 1, bytes, sizeof(bytes));

	ck_assert_int_eq(intel_packet_read(bytes, size, &packet), 1);
	ck_assert_uint_eq(packet.kind, rows[_i].kind);
	ck_assert_uint_eq(packet.size, size);
	if (packet.kind != INTEL_PACKET_PSB)
		ck_assert_uint_eq(packet.payload, rows[_i].payload);
	if (packet.kind == INTEL_PACKET_TNT)
		ck_assert_uint_eq(packet.bits,
				  rows[_i].packet.payload.tnt.bit_size);
	for (size_t cut = 0; cut < size; cut++)
		ck_assert_int_eq(intel_packet_read(bytes, cut, &packet), 0);
}
END_TEST

/* Packets that libipt does not decode, by the manual and perf. */
/* clang-format off */
static const struct {
	uint8_t size;
	uint8_t bytes[12];
	uint8_t kind;
	uint8_t detail;
	bool is_followed;
	uint64_t payload;
	const char *text;
} newer[] = {
	{ 4, { 2, 0x13, 0x01, 0x0e }, INTEL_PACKET_CFE, 0, false, 0xe01,
	  "type=1 vector=14" },
	{ 4, { 2, 0x13, 0x82, 0 }, INTEL_PACKET_CFE, 0, true, 2,
	  "type=2 vector=0 with fup" },
	{ 11, { 2, 0x53, 0x02, 0xaa, 0x0b, 0xf0 }, INTEL_PACKET_EVD, 2, false,
	  0xf00baa, "type=2 0xf00baa" },
	{ 3, { 0xd9, 0x20, 0x81 }, INTEL_PACKET_TRIG, 0x20, false, 0x81,
	  "trbv=0x81 mult" },
	{ 5, { 0xd9, 0xc0, 0x02, 0x34, 0x12 }, INTEL_PACKET_TRIG, 0xc0, true,
	  0x123402, "trbv=0x2 icnt=4660 with fup" },
	{ 3, { 2, 0x63, 0x84 }, INTEL_PACKET_BBP, 4, false, 4, "type=4 0x4" },
	{ 2, { 2, 0x33 }, INTEL_PACKET_BEP, 0, false, 0, "" },
	{ 2, { 2, 0xb3 }, INTEL_PACKET_BEP, 0, true, 0, "with fup" },
};
/* clang-format on */

START_TEST(reads_the_packets_of_the_manual)
{
	uint8_t size = newer[_i].size;
	struct intel_packet packet;
	char text[80];

	ck_assert_int_eq(intel_packet_read(newer[_i].bytes, size, &packet), 1);
	ck_assert_uint_eq(packet.kind, newer[_i].kind);
	ck_assert_uint_eq(packet.size, size);
	ck_assert_uint_eq(packet.detail, newer[_i].detail);
	ck_assert_uint_eq(packet.payload, newer[_i].payload);
	ck_assert_int_eq(packet.is_followed, newer[_i].is_followed);
	intel_packet_text(&packet, text, sizeof(text));
	ck_assert_str_eq(text, newer[_i].text);
	for (size_t cut = 0; cut < size; cut++)
		ck_assert_int_eq(
			intel_packet_read(newer[_i].bytes, cut, &packet), 0);
}
END_TEST

/* A byte that is a TNT's elsewhere is an item's within a block. */
START_TEST(items_are_items_within_their_block)
{
	static const uint8_t bytes[] = {
		0x14,				 /* tnt */
		2,    0x63, 0x84,		 /* bbp, 4 bytes an item */
		0x14, 1,    2,	  3, 4,		 /* bip */
		0x03,				 /* cyc */
		0x1c, 5,    6,	  7, 8, 2, 0xb3, /* bep */
		0x14,				 /* tnt */
	};
	static const uint8_t kinds[] = {
		INTEL_PACKET_TNT, INTEL_PACKET_BBP, INTEL_PACKET_BIP,
		INTEL_PACKET_CYC, INTEL_PACKET_BIP, INTEL_PACKET_BEP,
		INTEL_PACKET_TNT,
	};
	struct intel_packet_context context = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < sizeof(kinds); i++) {
		struct intel_packet packet;

		ck_assert_int_eq(intel_packet_read_in(&context, bytes + at,
						      sizeof(bytes) - at,
						      &packet),
				 1);
		ck_assert_uint_eq(packet.kind, kinds[i]);
		if (packet.kind == INTEL_PACKET_BIP)
			ck_assert_uint_eq(packet.payload,
					  at < 9 ? 0x04030201 : 0x08070605);
		at += packet.size;
	}
	ck_assert_uint_eq(at, sizeof(bytes));
}
END_TEST

/* A cycle count ends with 02, and TNT 82 comes after it. */
START_TEST(a_psb_begins_where_it_is_whole)
{
	const struct pt_packet psb = { .type = ppt_psb };
	uint8_t bytes[64] = { 0x47, 0x02, 0x82 };

	ck_assert_int_eq(fixture_encode(&psb, 1, bytes + 3, 16), 16);
	ck_assert_uint_eq(intel_psb_find(bytes, 64, 0), 3);
	ck_assert_uint_eq(intel_psb_find(bytes, 19, 0), 3);
	ck_assert_uint_eq(intel_psb_find(bytes, 18, 0), 1);
	ck_assert_uint_eq(intel_psb_find(bytes, 64, 4), 64);
}
END_TEST

START_TEST(snapshots_overlap_by_their_bytes)
{
	uint8_t before[256] = { 0 };
	uint8_t next[256];
	const struct pt_packet psb = { .type = ppt_psb };

	for (int i = 0; i < 256; i++)
		before[i] = (uint8_t)(i * 7);
	fixture_encode(&psb, 1, before + 100, 16);
	memset(next, 0x59, sizeof(next));
	memcpy(next, before + 96, 160);
	ck_assert_uint_eq(snapshot_overlap(before, 256, next, 256), 160);
	next[150] ^= 1;
	ck_assert_uint_eq(snapshot_overlap(before, 256, next, 256), 0);
}
END_TEST

SUITE("intel_packet")
{
	TEST_EACH(reads_the_packets_that_libipt_writes, rows);
	TEST_EACH(reads_the_packets_of_the_manual, newer);
	TEST(items_are_items_within_their_block);
	TEST(a_psb_begins_where_it_is_whole);
	TEST(snapshots_overlap_by_their_bytes);
}
