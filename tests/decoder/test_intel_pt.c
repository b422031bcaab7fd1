/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/packet.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include "common/array.h"
#include <intel-pt.h>
#include <linux/perf_event.h>
#include <string.h>

/*	0x1000	call 0x1008
 *	0x1005	nop
 *	0x1006	jne 0x1000
 *	0x1008	nop
 *	0x1009	ret
 *	0x100a	jmp *%rax
 *	0x100c	wrmsr
 */
static const uint8_t code[] = {
	0xe8, 0x03, 0,	  0,	0,    0x90, 0x75, 0xf8,
	0x90, 0xc3, 0xff, 0xe0, 0x0f, 0x30, 0x90, 0x90,
};
enum { CODE = 0x1000 };

static struct recording_fixture fixture;
static struct flow_run run;
static struct array items; /* struct flow_item */
static struct flow_totals totals;

static struct pt_packet ip_packet(enum pt_packet_type type, uint64_t ip)
{
	return (struct pt_packet){
		.type = type,
		.payload.ip = { .ipc = pt_ipc_sext_48, .ip = ip },
	};
}

static struct pt_packet tnt_packet(uint8_t bits, uint64_t payload)
{
	return (struct pt_packet){
		.type = ppt_tnt_8,
		.payload.tnt = { .bit_size = bits, .payload = payload },
	};
}

static struct pt_packet tsc_packet(uint64_t tsc)
{
	return (struct pt_packet){ .type = ppt_tsc, .payload.tsc.tsc = tsc };
}

static struct pt_packet cyc_packet(uint64_t cycles)
{
	return (struct pt_packet){ .type = ppt_cyc,
				   .payload.cyc.value = cycles };
}

static struct pt_packet plain_packet(enum pt_packet_type type)
{
	return (struct pt_packet){ .type = type };
}

/* PSB+ at @ip, @tsc. */
static size_t psb(struct pt_packet *packets, uint64_t ip, uint64_t tsc)
{
	const struct pt_packet all[] = {
		plain_packet(ppt_psb),
		tsc_packet(tsc),
		{ .type = ppt_cbr, .payload.cbr.ratio = 10 },
		{ .type = ppt_mode,
		  .payload.mode = { .leaf = pt_mol_exec, .bits.exec.csl = 1 } },
		ip_packet(ppt_fup, ip),
		plain_packet(ppt_psbend),
	};

	memcpy(packets, all, sizeof(all));
	return sizeof(all) / sizeof(*all);
}

static void set_up(void)
{
	recording_fixture_begin(&fixture);
	recording_fixture_code(&fixture, CODE, code, sizeof(code));
}

/* Decodes the stream of CPU 0 into items. */
static void decode(void)
{
	flow_run_of(&run, &fixture);
	ck_assert_uint_eq(recording_stream_count(run.recording), 1);
	items = ARRAY_OF(struct flow_item);
	flow_run_stream(&run, 0, &totals, &items);
}

static void tear_down(void)
{
	array_free(&items);
	flow_run_close(&run);
	recording_fixture_end(&fixture);
}

static const struct flow_item *item_at(size_t index)
{
	ck_assert_uint_lt(index, items.count);
	return array_at(&items, index);
}

/* Returns the index of the only item of @kind. */
static size_t only(enum flow_kind kind)
{
	size_t index = 0;

	ck_assert_uint_eq(totals.kinds[kind], 1);
	while (item_at(index)->kind != kind)
		index++;
	return index;
}

static void expect(size_t index, enum flow_kind kind, uint8_t detail,
		   uint64_t ip)
{
	ck_assert_str_eq(flow_kind_text(item_at(index)->kind),
			 flow_kind_text((uint8_t)kind));
	ck_assert_uint_eq(item_at(index)->detail, detail);
	ck_assert_uint_eq(item_at(index)->ip, ip);
}

START_TEST(call_and_compressed_return)
{
	struct pt_packet packets[16];
	size_t count = psb(packets, CODE, 1000);

	packets[count++] = cyc_packet(7);
	packets[count++] = tnt_packet(2, 2);	       /* ret, jne not taken */
	packets[count++] = ip_packet(ppt_tip, 0x100c); /* ret */
	recording_fixture_packets(&fixture, 0, packets, count);
	decode();
	expect(0, FLOW_MODE, 2, 0);
	expect(1, FLOW_BLOCK, FLOW_EXIT_CALL, CODE);
	ck_assert_uint_eq(flow_return_address(item_at(1)), 0x1005);
	expect(2, FLOW_BLOCK, FLOW_EXIT_RETURN, 0x1008);
	ck_assert_uint_eq(item_at(2)->instructions, 2);
	expect(3, FLOW_BLOCK, FLOW_EXIT_CONDITIONAL, 0x1005);
	expect(4, FLOW_BLOCK, FLOW_EXIT_RETURN, 0x1008);
	expect(items.count - 1, FLOW_END, 0, 0);
}
END_TEST

START_TEST(times_hold_the_truth)
{
	struct pt_packet packets[16];
	size_t count = psb(packets, CODE, 1000);

	packets[count++] = cyc_packet(7);
	packets[count++] = tnt_packet(1, 1);
	packets[count++] = ip_packet(ppt_fup, 0x1005);
	packets[count++] = ip_packet(ppt_tip, 0x100a);
	packets[count++] = cyc_packet(3);
	packets[count++] = ip_packet(ppt_tip, 0x1008);
	packets[count++] = ip_packet(ppt_tip, 0x100e);
	packets[count++] = tsc_packet(1020);
	recording_fixture_packets(&fixture, 0, packets, count);
	decode();
	expect(3, FLOW_ASYNC, 0, 0x1005);
	ck_assert_uint_eq(item_at(3)->time_ns, 1007);
	expect(4, FLOW_BLOCK, FLOW_EXIT_JUMP, 0x100a);
	ck_assert_uint_eq(item_at(4)->time_ns, 1007);
	ck_assert_uint_eq(item_at(4)->early_ns, 0);
	expect(5, FLOW_BLOCK, FLOW_EXIT_RETURN, 0x1008);
	ck_assert_uint_eq(item_at(5)->time_ns, 1010);
}
END_TEST

START_TEST(overflow_is_a_gap)
{
	struct pt_packet packets[16];
	size_t count = psb(packets, CODE, 1000);

	packets[count++] = plain_packet(ppt_ovf);
	packets[count++] = ip_packet(ppt_fup, 0x1008);
	packets[count++] = ip_packet(ppt_tip, 0x100e);
	recording_fixture_packets(&fixture, 0, packets, count);
	decode();
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_OVERFLOW], 1);
	expect(only(FLOW_GAP) + 1, FLOW_BLOCK, FLOW_EXIT_RETURN, 0x1008);
}
END_TEST

/* The blocks executed before the loss take the usual time; the loss takes the
 * rest, up to the TSC.
 */
START_TEST(a_gap_takes_the_time_of_the_loss)
{
	struct pt_packet packets[32];
	size_t count = psb(packets, CODE, 1000);

	packets[count++] = cyc_packet(24);
	packets[count++] = tnt_packet(2, 3); /* ret, jne */
	packets[count++] = plain_packet(ppt_ovf);
	packets[count++] = tsc_packet(90000);
	packets[count++] = ip_packet(ppt_fup, 0x100a);
	packets[count++] = cyc_packet(5);
	packets[count++] = ip_packet(ppt_tip, 0x1008);
	packets[count++] = ip_packet(ppt_tip, 0x100e);
	packets[count++] = tsc_packet(90020);
	recording_fixture_packets(&fixture, 0, packets, count);
	decode();

	size_t gap = only(FLOW_GAP);

	ck_assert_uint_lt(item_at(gap)->time_ns, 1100);
	expect(gap + 1, FLOW_BLOCK, FLOW_EXIT_JUMP, 0x100a);
	ck_assert_uint_eq(item_at(gap + 1)->time_ns, 90000);
	expect(gap + 2, FLOW_BLOCK, FLOW_EXIT_RETURN, 0x1008);
	ck_assert_uint_eq(item_at(gap + 2)->time_ns, 90005);
}
END_TEST

START_TEST(missing_code_is_a_gap_to_the_next_psb)
{
	struct pt_packet packets[32];
	size_t count = psb(packets, 0x5000, 1000);

	packets[count++] = ip_packet(ppt_tip, 0x6000);
	count += psb(packets + count, CODE, 2000);
	packets[count++] = ip_packet(ppt_tip, 0x100e);
	recording_fixture_packets(&fixture, 0, packets, count);
	decode();
	expect(1, FLOW_GAP, FLOW_GAP_NO_CODE, item_at(1)->ip);
	ck_assert_uint_gt(item_at(1)->last, 0);
	expect(2, FLOW_BLOCK, FLOW_EXIT_CALL, CODE);
	ck_assert_uint_ge(item_at(2)->time_ns, 2000);
}
END_TEST

/* Between two copies that lie near each other: zeros without a copy. */
START_TEST(a_hole_between_copies_is_a_gap)
{
	struct pt_packet packets[32];
	size_t count = psb(packets, CODE, 1000);

	recording_fixture_more_code(&fixture, CODE + 0x1000, code,
				    sizeof(code));
	packets[count++] = ip_packet(ppt_tip, CODE + 0x800);
	count += psb(packets + count, CODE, 2000);
	packets[count++] = ip_packet(ppt_tip, CODE + 0x1008);
	packets[count++] = tnt_packet(1, 1);
	recording_fixture_packets(&fixture, 0, packets, count);
	decode();
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 1);
	expect(only(FLOW_GAP), FLOW_GAP, FLOW_GAP_NO_CODE,
	       item_at(only(FLOW_GAP))->ip);
	for (size_t i = 0; i < items.count; i++)
		ck_assert(item_at(i)->kind != FLOW_BLOCK ||
			  item_at(i)->ip < CODE + sizeof(code) ||
			  item_at(i)->ip >= CODE + 0x1000);
}
END_TEST

START_TEST(wrmsr_switches_the_unit_off)
{
	struct pt_packet packets[16];
	size_t count = psb(packets, 0x100c, 1000);

	packets[count++] = ip_packet(ppt_fup, 0x100e);
	packets[count++] = (struct pt_packet){
		.type = ppt_tip_pgd,
		.payload.ip.ipc = pt_ipc_suppressed,
	};
	packets[count++] = ip_packet(ppt_tip_pge, 0x1008);
	packets[count++] = ip_packet(ppt_tip, 0x100e);
	recording_fixture_packets(&fixture, 0, packets, count);
	decode();
	expect(1, FLOW_BLOCK, FLOW_EXIT_NONE, 0x100c);
	expect(2, FLOW_STOP, FLOW_STOP_OFF, 0);
	expect(3, FLOW_START, 0, 0x1008);
	expect(4, FLOW_BLOCK, FLOW_EXIT_RETURN, 0x1008);
}
END_TEST

/* Two chunks with a hole, and an AUX record that reports a loss. */
START_TEST(lost_trace_is_a_gap_at_its_place)
{
	struct pt_packet packets[16];
	const struct fixture_origin origin = { 7, 7, 1500 };
	size_t count = psb(packets, CODE, 1000);

	packets[count++] = ip_packet(ppt_tip, 0x100e);

	size_t size = recording_fixture_packets(&fixture, 0, packets, count);
	uint64_t aux[3] = { 0, size, SIDEBAND_AUX_TRUNCATED };

	recording_fixture_record(&fixture, PERF_RECORD_AUX, 0, aux, sizeof(aux),
				 &origin);
	count = psb(packets, 0x1008, 3000);
	packets[count++] = ip_packet(ppt_tip, 0x100e);
	recording_fixture_packets(&fixture, size + 4096, packets, count);
	decode();
	expect(only(FLOW_GAP), FLOW_GAP, FLOW_GAP_LOST, size);
	ck_assert_uint_eq(recording_counts(run.recording)->aux_truncated, 1);
}
END_TEST

START_TEST(switches_lie_among_the_blocks)
{
	struct pt_packet packets[32];
	const struct fixture_origin origin = { 7, 8, 1500 };
	const uint32_t next[2] = { 20, 21 };
	size_t count = psb(packets, CODE, 1000);
	size_t at;

	packets[count++] = ip_packet(ppt_tip, 0x1008);
	count += psb(packets + count, 0x1008, 2000);
	packets[count++] = ip_packet(ppt_tip, 0x100e);
	recording_fixture_packets(&fixture, 0, packets, count);
	recording_fixture_record(&fixture, PERF_RECORD_SWITCH_CPU_WIDE,
				 PERF_RECORD_MISC_SWITCH_OUT, next,
				 sizeof(next), &origin);
	decode();
	at = only(FLOW_SWITCH);
	ck_assert_int_eq(flow_switch_tid(item_at(at)), 21);
	ck_assert_int_eq(flow_switch_pid(item_at(at)), 20);
	ck_assert_uint_eq(item_at(at)->time_ns, 1500);
	ck_assert_uint_lt(at, items.count - 1);
}
END_TEST

START_TEST(trace_without_a_psb_is_a_gap)
{
	const uint8_t bytes[] = { 0x59, 1, 0x59, 2, 0x59, 3, 0x59, 4 };

	recording_fixture_trace(&fixture, 0, bytes, sizeof(bytes));
	decode();
	ck_assert_uint_eq(items.count, 2);
	expect(0, FLOW_GAP, FLOW_GAP_UNSYNCED, 0);
	ck_assert_uint_eq(item_at(0)->last, sizeof(bytes));
	expect(1, FLOW_END, 0, 0);
}
END_TEST

SUITE("intel_pt")
{
	FIXTURE(set_up, tear_down);
	TEST(call_and_compressed_return);
	TEST(times_hold_the_truth);
	TEST(overflow_is_a_gap);
	TEST(a_gap_takes_the_time_of_the_loss);
	TEST(missing_code_is_a_gap_to_the_next_psb);
	TEST(a_hole_between_copies_is_a_gap);
	TEST(wrmsr_switches_the_unit_off);
	TEST(lost_trace_is_a_gap_at_its_place);
	TEST(switches_lie_among_the_blocks);
	TEST(trace_without_a_psb_is_a_gap);
}
