/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/libipt/intel_tokens_internal.h"
#include "tests/fixtures/packet.h"
#include "tests/run_suite.h"

#include <intel-pt.h>

#define PLAIN(name) \
	{ \
		.type = ppt_##name \
	}
#define TSC(value) \
	{ \
		.type = ppt_tsc, .payload.tsc.tsc = (value) \
	}
#define TMA(count, since) \
	{ \
		.type = ppt_tma, .payload.tma = { \
			.ctc = (count), \
			.fc = (since) \
		} \
	}
#define MTC(count) \
	{ \
		.type = ppt_mtc, .payload.mtc.ctc = (count) \
	}
#define CYC(count) \
	{ \
		.type = ppt_cyc, .payload.cyc.value = (count) \
	}
#define CBR(value) \
	{ \
		.type = ppt_cbr, .payload.cbr.ratio = (value) \
	}
#define TNT(bits) \
	{ \
		.type = ppt_tnt_8, .payload.tnt = {.bit_size = (bits) } \
	}
#define IP_PACKET(name) \
	{ \
		.type = ppt_##name, .payload.ip = { \
			.ipc = pt_ipc_sext_48, \
			.ip = 0x1000 \
		} \
	}
#define TIP IP_PACKET(tip)

/* An MTC is every 8 counts of 50 ticks.  The counter was 0x7f8 = 255 * 8 ten
 * ticks before this TSC, so that 256 * 8 comes at 100390, and so on.
 */
#define SYNC PLAIN(psb), TSC(100000), TMA(0x7f8, 10), PLAIN(psbend)

static const struct intel_clock_setup without_rates = {
	.max_nonturbo_ratio = 10,
};
static const struct intel_clock_setup with_mtc = {
	.mtc_shift = 3,
	.tsc_ctc_n = 100,
	.tsc_ctc_d = 2,
};
static const struct intel_clock_setup with_cycles = {
	.mtc_shift = 3,
	.tsc_ctc_n = 100,
	.tsc_ctc_d = 2,
	.counts_cycles = true,
};

#define UNKNOWN 0

/* A token, in ticks; UNKNOWN: it has no estimate. */
struct expected {
	uint8_t kind;
	uint64_t low;
	uint64_t high;
	uint64_t estimate;
};

#define T(kind, ...) \
	{ \
		INTEL_PACKET_##kind, __VA_ARGS__ \
	}

static const struct {
	const struct intel_clock_setup *setup;
	struct pt_packet packets[16];
	struct expected tokens[8];
} rows[] = {
	/* At ratio 20 of 10 two cycles are a tick: 10 and 30 ticks after the
	 * first TSC, which leaves 70 ticks asleep somewhere before the second.
	 */
	{ &without_rates,
	  { PLAIN(psb), TSC(1000), CBR(20), PLAIN(psbend), CYC(20), TIP, TNT(2),
	    CYC(40), TIP, TSC(1100) },
	  { T(TIP, 1010, 1080, 1010), T(TNT, 1010, 1100, UNKNOWN),
	    T(TIP, 1030, 1100, 1030) } },
	/* Cycle counts continue from TMA. */
	{ &with_mtc,
	  { SYNC, TIP, MTC(0), TIP, MTC(2) },
	  { T(TIP, 100000, 100440, 100195), T(TIP, 100390, 101240, 100790) } },
	/* The trace stops with an MTC and continues much later. With CYC
	 * enabled, no CYC since the MTC means no cycle since; otherwise the
	 * stop may be at any time until the next packet.
	 */
	{ &with_cycles,
	  { SYNC, CYC(390), MTC(0), PLAIN(tip_pgd), TSC(110000) },
	  { T(TIP_PGD, 100390, 110000, 100390) } },
	{ &with_mtc,
	  { SYNC, CYC(390), MTC(0), PLAIN(tip_pgd), TSC(110000) },
	  { T(TIP_PGD, 100390, 110000, 105195) } },
	/* CYCs of execution during the loss are lost, too: OVF is written when
	 * the loss ends, at the time of the TSC after it.
	 */
	{ &with_cycles,
	  { SYNC, CYC(390), MTC(0), PLAIN(ovf), TSC(110000), TMA(0x8c0, 10),
	    IP_PACKET(fup), CYC(7), TIP, TSC(110010) },
	  { T(OVF, 100390, 110000, 110000), T(TIP, 110007, 110010, 110007) } },
	{ &with_mtc,
	  { SYNC, MTC(0), PLAIN(ovf), TSC(110000), IP_PACKET(fup), TIP,
	    TSC(110010) },
	  { T(OVF, 100390, 110000, 110000), T(TIP, 110000, 110010, 110005) } },
	/* The same holds for tracing that starts after the loss. */
	{ &with_cycles,
	  { SYNC, CYC(390), MTC(0), PLAIN(ovf), TSC(110000), IP_PACKET(tip_pge),
	    CYC(7), TIP, TSC(110010) },
	  { T(OVF, 100390, 110000, 110000), T(TIP_PGE, 110000, 110010, 110000),
	    T(TIP, 110007, 110010, 110007) } },
	/* With just an MTC, which may be written any time after the OVF. */
	{ &with_cycles,
	  { SYNC, CYC(390), MTC(0), PLAIN(ovf), IP_PACKET(fup), MTC(2) },
	  { T(OVF, 100390, 101240, UNKNOWN) } },
	/* Hardware keeps counting while it loses packets (SDM, "Internal Buffer
	 * Overflow"): the CYC before OVF includes the loss.
	 */
	{ &with_cycles,
	  { SYNC, CYC(390), MTC(0), CYC(100), PLAIN(ovf), IP_PACKET(fup),
	    MTC(1) },
	  { T(OVF, 100490, 100840, 100490) } },
	/* A full TNT was written because it was full, not for the OVF. */
	{ &with_cycles,
	  { SYNC, CYC(100), TNT(6), PLAIN(ovf), MTC(1) },
	  { T(TNT, 100100, 100840, 100100), T(OVF, 100100, 100840, UNKNOWN) } },
	/* Time that decreases is damage, which does not change the length of a
	 * cycle.
	 */
	{ &with_cycles,
	  { SYNC, CYC(100), TIP, CYC(100), TIP, CYC(100), TIP, TSC(99000) },
	  { T(TIP, 98800, 100100, 100100), T(TIP, 98900, 100200, 100200),
	    T(TIP, 99000, 100300, 100300) } },
	/* More cycles than ticks: they were shorter than CBR indicates. */
	{ &with_cycles,
	  { PLAIN(psb), TSC(100), PLAIN(psbend), CYC(10), TIP, CYC(1000), TIP,
	    TSC(200) },
	  { T(TIP, 0, 110, 100), T(TIP, 200, 1110, 200) } },
	/* A TSC whose TMA is lost, a whole wrap of the MTC counter and a little
	 * later: the next MTC does not go back before the TSC.
	 */
	{ &with_cycles,
	  { SYNC, TSC(210000), CYC(10), TIP, MTC(19), CYC(10), TIP,
	    TSC(211000) },
	  { T(TIP, 210010, 210440, 210010), T(TIP, 210400, 211000, 210400) } },
	{ &with_cycles,
	  { SYNC, TSC(210000), CYC(10), TIP, MTC(9), CYC(10), TIP,
	    TSC(210040) },
	  { T(TIP, 210010, 210030, 210010), T(TIP, 210020, 210040, 210020) } },
};

static void check(const struct intel_token *token,
		  const struct expected *expected)
{
	uint64_t estimate = token->has_estimate ? token->estimate : UNKNOWN;

	ck_assert_uint_eq(token->kind, expected->kind);
	ck_assert_uint_eq(token->low >> INTEL_TICK_SHIFT, expected->low);
	ck_assert_uint_eq(token->high >> INTEL_TICK_SHIFT, expected->high);
	ck_assert_uint_eq(estimate >> INTEL_TICK_SHIFT, expected->estimate);
}

START_TEST(each_token_has_its_time)
{
	const struct pt_packet *packets = rows[_i].packets;
	const struct expected *expected = rows[_i].tokens;
	const struct intel_token *token;
	struct intel_tokens *tokens;
	uint8_t bytes[256];
	size_t count = 0;

	while (packets[count].type)
		count++;
	tokens = intel_tokens_new(
		bytes, fixture_encode(packets, count, bytes, sizeof(bytes)),
		rows[_i].setup);
	for (; expected->kind; expected++) {
		token = intel_tokens_peek(tokens, 0);
		ck_assert_ptr_nonnull(token);
		check(token, expected);
		intel_tokens_drop(tokens, 1);
	}
	intel_tokens_free(tokens);
}
END_TEST

/* At a PSB where reading starts, the position is that of the PSB's time, not
 * that of a later packet.
 */
START_TEST(the_start_of_reading_is_known)
{
	static const struct pt_packet packets[] = {
		SYNC, CYC(390), MTC(0), TIP, MTC(1), CYC(7), TIP, TSC(101000),
	};
	static const uint64_t begins[] = { 100000, 100790 };
	uint8_t bytes[256];
	struct intel_tokens *tokens = intel_tokens_new(
		bytes,
		fixture_encode(packets, sizeof(packets) / sizeof(*packets),
			       bytes, sizeof(bytes)),
		&with_cycles);

	ck_assert_ptr_nonnull(tokens);
	for (int i = 0; i < 2; i++) {
		const struct intel_token *token = intel_tokens_peek(tokens, 0);

		ck_assert_ptr_nonnull(token);
		ck_assert_uint_eq(token->begin >> INTEL_TICK_SHIFT, begins[i]);
		intel_tokens_drop(tokens, 1);
	}
	intel_tokens_free(tokens);
}
END_TEST

SUITE("intel_tokens")
{
	TEST_EACH(each_token_has_its_time, rows);
	TEST(the_start_of_reading_is_known);
}
