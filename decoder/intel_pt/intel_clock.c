/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_clock.h"
#include "common/perf_data.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/time_conversion.h"
#include "decoder/recording/trace_info.h"

/* IA32_RTIT_CTL.CycThresh, at the same position in perf's config: log2 of the
 * minimum number of cycles between two CYCs, plus one; 0 means 1.
 */
#define CYC_THRESHOLD_SHIFT 19
#define CYC_THRESHOLD_BITS 0xfu

static uint64_t trace_config(const struct recording *recording)
{
	for (size_t i = 0; i < recording_event_count(recording); i++) {
		const struct recording_event *event =
			recording_event(recording, i);

		if (event->is_trace)
			return event->config;
	}
	return 0;
}

static bool counts_cycles(const struct recording *recording, uint64_t config)
{
	uint64_t threshold = config >> CYC_THRESHOLD_SHIFT & CYC_THRESHOLD_BITS;

	return (config & recording_trace_word(recording, INTEL_PT_CYC_BIT)) &&
	       threshold <= 1;
}

struct intel_clock_setup intel_clock_setup_of(const struct recording *recording)
{
	uint64_t config = trace_config(recording);
	uint64_t mask = recording_trace_word(recording, INTEL_PT_MTC_FREQ_BITS);
	struct intel_clock_setup setup = {
		.tsc_ctc_n =
			recording_trace_word(recording, INTEL_PT_TSC_CTC_N),
		.tsc_ctc_d =
			recording_trace_word(recording, INTEL_PT_TSC_CTC_D),
		.max_nonturbo_ratio = recording_trace_word(
			recording, INTEL_PT_MAX_NONTURBO_RATIO),
		.origin = recording_time_conversion(recording)->origin,
		.counts_cycles = counts_cycles(recording, config),
	};

	if (mask)
		setup.mtc_shift = (config & mask) >> __builtin_ctzll(mask) &
				  0xf;
	return setup;
}

/* The count in MTC packets has as many bits as the packets show, then wraps.
 * TMA has only its low 16 bits, which may be fewer: the higher bits are then
 * unknown until the first MTC.
 */
static uint64_t counts_since(struct intel_clock *clock, uint8_t payload)
{
	unsigned int shift = clock->setup.mtc_shift;
	unsigned int known_bits = shift + 8 > 16 ? 16 - shift : 8;
	uint8_t mask = (uint8_t)((1u << known_bits) - 1);
	uint8_t counts = (uint8_t)(payload - clock->mtc_payload);

	if (clock->mtc_is_next)
		return counts & mask;
	return counts ? counts : 256;
}

static uint64_t ticks_of_counts(const struct intel_clock_setup *setup,
				uint64_t counts)
{
	unsigned __int128 ticks = (unsigned __int128)counts
				  << (setup->mtc_shift + INTEL_TICK_SHIFT);

	ticks *= setup->tsc_ctc_n;
	/* A processor divides 64-bit numbers much faster. */
	if (ticks <= UINT64_MAX)
		return (uint64_t)ticks / setup->tsc_ctc_d;
	return (uint64_t)(ticks / setup->tsc_ctc_d);
}

struct intel_clock intel_clock_of(const struct intel_clock_setup *setup)
{
	struct intel_clock clock = {
		.setup = *setup,
		.cycle_length = 1 << 16,
	};

	if (setup->tsc_ctc_d) {
		clock.mtc_around = ticks_of_counts(setup, 256);
		/* One tick of the counter. */
		clock.mtc_delay = (setup->tsc_ctc_n << INTEL_TICK_SHIFT) /
				  setup->tsc_ctc_d;
	}
	return clock;
}

/* MTCs stop while the CPU sleeps, and may be lost: assumes the number of wraps
 * that comes nearest to the anchor. An MTC before the anchor, which is possible
 * after a TSC without TMA, is ignored.
 */
bool intel_clock_take_mtc(struct intel_clock *clock, uint8_t payload,
			  uint64_t *anchor)
{
	if (!clock->has_tma)
		return false;
	clock->mtc_count += counts_since(clock, payload);
	clock->mtc_payload = payload;
	clock->mtc_is_next = false;

	uint64_t time = clock->mtc_base +
			ticks_of_counts(&clock->setup, clock->mtc_count);
	uint64_t around = clock->mtc_around;
	uint64_t known = clock->has_anchor ? clock->anchor : 0;

	if (around && time + around / 2 < known) {
		uint64_t missed = (known - time + around / 2) / around;

		clock->mtc_count += 256 * missed;
		time += missed * around;
	}
	*anchor = time;
	return time >= known;
}

/* TMA follows the TSC packet that it belongs to: at that time the counter of
 * MTC was CTC, and had been for FC ticks.
 */
static void take_tma(struct intel_clock *clock, uint64_t payload)
{
	uint64_t ctc = payload & 0xffff;
	uint64_t fast = payload >> 16;
	unsigned int shift = clock->setup.mtc_shift;

	clock->has_tma = clock->has_anchor && clock->setup.tsc_ctc_n &&
			 clock->setup.tsc_ctc_d;
	if (!clock->has_tma)
		return;

	uint64_t below = ctc & ((1u << shift) - 1);

	clock->mtc_base = clock->anchor - (fast << INTEL_TICK_SHIFT) -
			  (below << INTEL_TICK_SHIFT) * clock->setup.tsc_ctc_n /
				  clock->setup.tsc_ctc_d;
	clock->mtc_count = 0;
	clock->mtc_payload = (uint8_t)(ctc >> shift);
	clock->mtc_is_next = true;
}

static void take_cbr(struct intel_clock *clock, uint64_t ratio)
{
	clock->has_ratio = ratio && clock->setup.max_nonturbo_ratio;
	if (clock->has_ratio)
		clock->cycle_length =
			(clock->setup.max_nonturbo_ratio << 16) / ratio;
}

bool intel_clock_take(struct intel_clock *clock,
		      const struct intel_packet *packet, uint64_t *anchor)
{
	switch (packet->kind) {
	case INTEL_PACKET_TSC:
		*anchor = intel_tsc_ticks(packet->payload, clock->setup.origin)
			  << INTEL_TICK_SHIFT;
		return true;
	case INTEL_PACKET_MTC:
		return intel_clock_take_mtc(clock, (uint8_t)packet->payload,
					    anchor);
	case INTEL_PACKET_TMA:
		take_tma(clock, packet->payload);
		return false;
	case INTEL_PACKET_CYC:
		intel_clock_take_cycles(clock, packet->payload);
		return false;
	case INTEL_PACKET_CBR:
		take_cbr(clock, packet->payload);
		return false;
	default:
		return false;
	}
}

/* Without a CBR the length of a cycle is measured between anchors, if these are
 * far enough apart for a precise quotient.
 */
void intel_clock_set_anchor(struct intel_clock *clock, uint64_t anchor)
{
	uint64_t span = anchor - clock->anchor;

	if (!clock->has_ratio && clock->has_anchor && anchor > clock->anchor &&
	    span < (uint64_t)1 << 50 && clock->cycles >= 1000)
		clock->cycle_length =
			(span << (16 - INTEL_TICK_SHIFT)) / clock->cycles;
	clock->anchor = anchor;
	clock->elapsed = 0;
	clock->cycles = 0;
	clock->has_anchor = true;
}
