/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/intel_pt/intel_tokens.h"
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
	{ { .type = ppt_pip, .payload.pip.cr3 = 0x1000 },
	  INTEL_PACKET_OTHER, 0 },
	{ { .type = ppt_vmcs, .payload.vmcs.base = 0x1000 },
	  INTEL_PACKET_OTHER, 0 },
	{ { .type = ppt_mnt }, INTEL_PACKET_OTHER, 0 },
	{ { .type = ppt_exstop }, INTEL_PACKET_OTHER, 0 },
	{ { .type = ppt_mwait }, INTEL_PACKET_OTHER, 0 },
	{ { .type = ppt_pwre }, INTEL_PACKET_OTHER, 0 },
	{ { .type = ppt_pwrx }, INTEL_PACKET_OTHER, 0 },
	{ { .type = ppt_ptw,
	    .payload.ptw = { .payload = 7, .plc = 0, .ip = 1 } },
	  INTEL_PACKET_OTHER, 0 },
	{ { .type = ppt_ptw, .payload.ptw = { .payload = 7, .plc = 1 } },
	  INTEL_PACKET_OTHER, 0 },
	{ { .type = ppt_mode,
	    .payload.mode = { .leaf = pt_mol_exec, .bits.exec.csl = 1 } },
	  INTEL_PACKET_OTHER, 0 },
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

static const struct pt_packet timed[] = {
	{ .type = ppt_psb },
	{ .type = ppt_tsc, .payload.tsc.tsc = 1000 },
	{ .type = ppt_cbr, .payload.cbr.ratio = 20 },
	{ .type = ppt_psbend },
	{ .type = ppt_cyc, .payload.cyc.value = 20 },
	{ .type = ppt_tip, .payload.ip = IP(0x1000) },
	{ .type = ppt_tnt_8, .payload.tnt = { .bit_size = 2 } },
	{ .type = ppt_cyc, .payload.cyc.value = 40 },
	{ .type = ppt_tip, .payload.ip = IP(0x2000) },
	{ .type = ppt_tsc, .payload.tsc.tsc = 1100 },
};

/* At ratio 20 of 10 two cycles are a tick: 10 and 30 ticks after the first
 * TSC, which leaves 70 ticks asleep somewhere before the second.
 */
START_TEST(bounds_allow_for_sleep)
{
	const struct intel_clock_setup setup = { .max_nonturbo_ratio = 10 };
	uint8_t bytes[256];
	size_t size = fixture_encode(timed, sizeof(timed) / sizeof(*timed),
				     bytes, sizeof(bytes));
	struct intel_tokens *tokens = intel_tokens_new(bytes, size, &setup);
	const struct intel_token *token = intel_tokens_peek(tokens, 0);

	ck_assert_ptr_nonnull(token);
	ck_assert_uint_eq(token->kind, INTEL_PACKET_TIP);
	ck_assert_uint_eq(token->low >> INTEL_TICK_SHIFT, 1010);
	ck_assert_uint_eq(token->high >> INTEL_TICK_SHIFT, 1080);
	token = intel_tokens_peek(tokens, 1);
	ck_assert_uint_eq(token->kind, INTEL_PACKET_TNT);
	ck_assert(!token->is_exact);
	ck_assert_uint_eq(token->high >> INTEL_TICK_SHIFT, 1100);
	token = intel_tokens_peek(tokens, 2);
	ck_assert_uint_eq(token->low >> INTEL_TICK_SHIFT, 1030);
	ck_assert_uint_eq(token->high >> INTEL_TICK_SHIFT, 1100);
	ck_assert_ptr_null(intel_tokens_peek(tokens, 3));
	intel_tokens_free(tokens);
}
END_TEST

static const struct pt_packet counted[] = {
	{ .type = ppt_psb },
	{ .type = ppt_tsc, .payload.tsc.tsc = 100000 },
	{ .type = ppt_tma, .payload.tma = { .ctc = 0x7f8, .fc = 10 } },
	{ .type = ppt_psbend },
	{ .type = ppt_tip, .payload.ip = IP(0x1000) },
	{ .type = ppt_mtc, .payload.mtc.ctc = 0x00 },
	{ .type = ppt_tip, .payload.ip = IP(0x2000) },
	{ .type = ppt_mtc, .payload.mtc.ctc = 0x02 },
};

/* An MTC every 8 counts of 50 ticks; the counter was 0x7f8 = 255 * 8 ten ticks
 * before the TSC, so that 256 * 8 comes 400 - 10 after it.
 */
START_TEST(mtc_counts_on_from_tma)
{
	const struct intel_clock_setup setup = {
		.mtc_shift = 3,
		.tsc_ctc_n = 100,
		.tsc_ctc_d = 2,
	};
	uint8_t bytes[256];
	size_t size = fixture_encode(counted,
				     sizeof(counted) / sizeof(*counted),
				     bytes, sizeof(bytes));
	struct intel_tokens *tokens = intel_tokens_new(bytes, size, &setup);
	const struct intel_token *token = intel_tokens_peek(tokens, 0);

	ck_assert_uint_eq(token->low >> INTEL_TICK_SHIFT, 100000);
	ck_assert_uint_eq(token->high >> INTEL_TICK_SHIFT, 100440);
	token = intel_tokens_peek(tokens, 1);
	ck_assert_uint_eq(token->low >> INTEL_TICK_SHIFT, 100390);
	ck_assert_uint_eq(token->high >> INTEL_TICK_SHIFT, 101240);
	intel_tokens_free(tokens);
}
END_TEST

/* The trace stops with an MTC and goes on much later. */
static const struct pt_packet stopped[] = {
	{ .type = ppt_psb },
	{ .type = ppt_tsc, .payload.tsc.tsc = 100000 },
	{ .type = ppt_tma, .payload.tma = { .ctc = 0x7f8, .fc = 10 } },
	{ .type = ppt_psbend },
	{ .type = ppt_cyc, .payload.cyc.value = 390 },
	{ .type = ppt_mtc, .payload.mtc.ctc = 0x00 },
	{ .type = ppt_tip_pgd },
	{ .type = ppt_tsc, .payload.tsc.tsc = 110000 },
};

static uint64_t stopped_at(bool counts_cycles)
{
	const struct intel_clock_setup setup = {
		.mtc_shift = 3,
		.tsc_ctc_n = 100,
		.tsc_ctc_d = 2,
		.counts_cycles = counts_cycles,
	};
	uint8_t bytes[256];
	size_t size = fixture_encode(stopped,
				     sizeof(stopped) / sizeof(*stopped),
				     bytes, sizeof(bytes));
	struct intel_tokens *tokens = intel_tokens_new(bytes, size, &setup);
	const struct intel_token *token = intel_tokens_peek(tokens, 0);
	uint64_t time = token->estimate >> INTEL_TICK_SHIFT;

	ck_assert_uint_eq(token->kind, INTEL_PACKET_TIP_PGD);
	ck_assert(token->has_estimate);
	ck_assert_uint_eq(token->low >> INTEL_TICK_SHIFT, 100390);
	ck_assert_uint_eq(token->high >> INTEL_TICK_SHIFT, 110000);
	intel_tokens_free(tokens);
	return time;
}

/* With CYC on, no CYC since the MTC means no cycle since; else the stop may be
 * at any time until the next packet.
 */
START_TEST(stops_with_the_time_packet_before)
{
	ck_assert_uint_eq(stopped_at(true), 100390);
	ck_assert_uint_eq(stopped_at(false), 105195);
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
	TCase *tcase = tcase_create("packets and time");

	tcase_add_loop_test(tcase, reads_what_libipt_writes, 0,
			    sizeof(rows) / sizeof(*rows));
	tcase_add_test(tcase, bounds_allow_for_sleep);
	tcase_add_test(tcase, mtc_counts_on_from_tma);
	tcase_add_test(tcase, stops_with_the_time_packet_before);
	tcase_add_test(tcase, snapshots_overlap_by_their_bytes);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
