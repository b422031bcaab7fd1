/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/recording/snapshot_overlap.h"
#include "tests/packet_fixture.h"
#include "tests/run_suite.h"

#include <intel-pt.h>
#include <string.h>

#define IP(value) { .ipc = pt_ipc_sext_48, .ip = (value) }

/* One kind a row; libipt's encoder is the referee. */
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
	{ { .type = ppt_stop }, INTEL_PACKET_OTHER, 0 },
	/* CR3 from its bit 5 on, above the NR bit. */
	{ { .type = ppt_pip, .payload.pip.cr3 = 0x1000 },
	  INTEL_PACKET_PIP, 0x1000 >> 4 },
	{ { .type = ppt_vmcs, .payload.vmcs.base = 0x1000 },
	  INTEL_PACKET_OTHER, 0 },
	{ { .type = ppt_mnt }, INTEL_PACKET_OTHER, 0 },
	{ { .type = ppt_exstop }, INTEL_PACKET_OTHER, 0 },
	{ { .type = ppt_mwait }, INTEL_PACKET_OTHER, 0 },
	{ { .type = ppt_pwre }, INTEL_PACKET_OTHER, 0 },
	{ { .type = ppt_pwrx }, INTEL_PACKET_OTHER, 0 },
	{ { .type = ppt_ptw,
	    .payload.ptw = { .payload = 7, .plc = 0, .ip = 1 } },
	  INTEL_PACKET_PTW, 7 },
	{ { .type = ppt_ptw, .payload.ptw = { .payload = 7, .plc = 1 } },
	  INTEL_PACKET_PTW, 7 },
	{ { .type = ppt_mode,
	    .payload.mode = { .leaf = pt_mol_exec, .bits.exec.csl = 1 } },
	  INTEL_PACKET_MODE, 1 },
};

START_TEST(reads_what_libipt_writes)
{
	uint8_t bytes[32] = { 0 };
	struct intel_packet packet = { 0 };
	size_t size =
		fixture_encode(&rows[_i].packet, 1, bytes, sizeof(bytes));

	ck_assert_int_eq(intel_packet_read(bytes, size, &packet), 1);
	ck_assert_uint_eq(packet.kind, rows[_i].kind);
	ck_assert_uint_eq(packet.size, size);
	if (packet.kind != INTEL_PACKET_OTHER &&
	    packet.kind != INTEL_PACKET_PSB)
		ck_assert_uint_eq(packet.payload, rows[_i].payload);
	if (packet.kind == INTEL_PACKET_TNT)
		ck_assert_uint_eq(packet.bits,
				  rows[_i].packet.payload.tnt.bit_size);
	for (size_t cut = 0; cut < size; cut++)
		ck_assert_int_eq(intel_packet_read(bytes, cut, &packet), 0);
}
END_TEST

/* A cycle count ends with 02, and TNT 82 comes after it. */
START_TEST(a_psb_begins_where_it_is_whole)
{
	const struct pt_packet psb = { .type = ppt_psb };
	uint8_t bytes[64] = { 0x47, 0x02, 0x82 };

	ck_assert_int_eq(fixture_encode(&psb, 1, bytes + 3, 16), 16);
	ck_assert_uint_eq(intel_packet_find_psb(bytes, 64, 0), 3);
	ck_assert_uint_eq(intel_packet_find_psb(bytes, 19, 0), 3);
	ck_assert_uint_eq(intel_packet_find_psb(bytes, 18, 0), 1);
	ck_assert_uint_eq(intel_packet_find_psb(bytes, 64, 4), 64);
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

int main(void)
{
	Suite *suite = suite_create("intel_packet");
	TCase *tcase = tcase_create("packets");

	tcase_add_loop_test(tcase, reads_what_libipt_writes, 0,
			    sizeof(rows) / sizeof(*rows));
	tcase_add_test(tcase, a_psb_begins_where_it_is_whole);
	tcase_add_test(tcase, snapshots_overlap_by_their_bytes);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
