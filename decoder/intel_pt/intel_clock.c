/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_clock.h"

#include "common/formats/perf_data.h"
#include "decoder/intel_pt/intel_packet.h"

#include <stdio.h>

/* Returns the ticks since @origin at the TSC packet with @payload, which holds
 * the low 56 bits of the counter (Intel SDM, volume 3, "Timestamp Counter (TSC)
 * Packet"). Also correct if these wrap within a recording.
 */
static inline uint64_t intel_tsc_ticks(uint64_t payload, uint64_t origin)
{
	return (payload - origin) & (((uint64_t)1 << 56) - 1);
}

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
		.span = recording_tick_span(recording),
		.counts_cycles = counts_cycles(recording, config),
	};

	if (mask)
		setup.mtc_shift = (config & mask) >> __builtin_ctzll(mask) &
				  0xf;
	return setup;
}

/* Returns the number of MTC's counts since the previous packet. The count in an
 * MTC has 8 bits, then wraps. TMA has only the low 16 bits of the counter. If
 * mtc_shift exceeds 8, these include fewer than 8 bits of the count; the others
 * are unknown until the first MTC.
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
		/* One tick of the CTC. */
		clock.mtc_delay = (setup->tsc_ctc_n << INTEL_TICK_SHIFT) /
				  setup->tsc_ctc_d;
	}
	return clock;
}

/* MTCs stop while the CPU sleeps, and may be lost: assumes the number of wraps
 * that comes nearest to the anchor. An MTC before the anchor, which is possible
 * after a TSC without TMA, is ignored.
 */
bool intel_clock_consume_mtc(struct intel_clock *clock, uint8_t payload,
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

/* Consumes a TMA, which belongs to the TSC before it: at that time the counter
 * of MTC was CTC, and had been for FC ticks.
 */
static void consume_tma(struct intel_clock *clock, uint64_t payload)
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

static void consume_cbr(struct intel_clock *clock, uint64_t ratio)
{
	clock->has_ratio = ratio && clock->setup.max_nonturbo_ratio;
	if (clock->has_ratio)
		clock->cycle_length =
			(clock->setup.max_nonturbo_ratio << 16) / ratio;
}

/* More bytes than there are between PSB and PSBEND. */
enum { HEADER_BYTES = 256 };

/* Returns whether the packets after the TSC at @bytes, up to a PSBEND or a
 * packet of the control flow, contain the PIP of a virtual machine.
 */
static bool is_guest_header(const uint8_t *bytes, size_t size)
{
	struct intel_packet packet = { .kind = INTEL_PACKET_TSC };

	if (size > HEADER_BYTES)
		size = HEADER_BYTES;
	for (size_t at = 0; packet.kind != INTEL_PACKET_PSBEND &&
			    !intel_packet_is_flow(&packet);
	     at += packet.size) {
		if (intel_packet_read(bytes + at, size - at, &packet) <= 0)
			return false;
		if (packet.kind == INTEL_PACKET_PIP)
			return packet.payload & 1;
	}
	return false;
}

static bool has_ticks(const struct intel_clock *clock, uint64_t tsc)
{
	return tick_span_has(&clock->setup.span,
			     intel_tsc_ticks(tsc, clock->setup.origin));
}

bool intel_clock_refuses(const struct intel_clock *clock,
			 const struct intel_packet *packet,
			 const uint8_t *bytes, size_t size)
{
	uint64_t last = clock->setup.span.last;
	uint64_t cycles = packet->payload;

	if (packet->kind == INTEL_PACKET_TSC)
		return !has_ticks(clock, packet->payload) && !clock->is_guest &&
		       !is_guest_header(bytes, size);
	if (packet->kind != INTEL_PACKET_CYC || !clock->has_anchor || !last)
		return false;
	if (cycles > INTEL_CYCLES_LIMIT)
		cycles = INTEL_CYCLES_LIMIT;
	return (clock->anchor + clock->elapsed +
		intel_clock_ticks(clock, cycles)) >>
	       INTEL_TICK_SHIFT > last;
}

/* Consumes a TSC. One that may have a virtual machine's offset is ignored, with
 * its TMA; the MTCs have none.
 */
static bool consume_tsc(struct intel_clock *clock, uint64_t payload,
			uint64_t *anchor)
{
	clock->skips_tma = !has_ticks(clock, payload);
	*anchor = intel_tsc_ticks(payload, clock->setup.origin)
		  << INTEL_TICK_SHIFT;
	return !clock->skips_tma;
}

bool intel_clock_consume(struct intel_clock *clock,
			 const struct intel_packet *packet, uint64_t *anchor)
{
	switch (packet->kind) {
	case INTEL_PACKET_TSC:
		return consume_tsc(clock, packet->payload, anchor);
	case INTEL_PACKET_PIP:
		clock->is_guest = packet->payload & 1;
		return false;
	case INTEL_PACKET_MTC:
		return intel_clock_consume_mtc(clock, (uint8_t)packet->payload,
					       anchor);
	case INTEL_PACKET_TMA:
		if (!clock->skips_tma)
			consume_tma(clock, packet->payload);
		return false;
	case INTEL_PACKET_CYC:
		intel_clock_consume_cycles(clock, packet->payload);
		return false;
	case INTEL_PACKET_CBR:
		consume_cbr(clock, packet->payload);
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

/* The errata of each core. Sources: Intel's specification updates and
 * pt_cpu_errata() of libipt (libipt/src/pt_config.c, January 2026); perf has no
 * such table. APL11, SKD010 and SKL168 need no handling: a TIP.PGD, or a
 * branch, after an OVF without a FUP is accepted on every processor, and the
 * cycles of a dropped CYC are within the time bounds.
 */
enum core {
	BROADWELL = INTEL_ERRATUM_BDM64 | INTEL_ERRATUM_BDM70,
	SKYLAKE = INTEL_ERRATUM_BDM70 | INTEL_ERRATUM_SKD007 |
		  INTEL_ERRATUM_SKD022 | INTEL_ERRATUM_SKL014,
	SKYLAKE_X = INTEL_ERRATUM_BDM70 | INTEL_ERRATUM_SKD022 |
		    INTEL_ERRATUM_SKL014 | INTEL_ERRATUM_SKZ84,
	SAPPHIRE_RAPIDS = INTEL_ERRATUM_BDM70 | INTEL_ERRATUM_SKD022 |
			  INTEL_ERRATUM_SKZ84,
	ICELAKE = INTEL_ERRATUM_BDM70 | INTEL_ERRATUM_SKD022 |
		  INTEL_ERRATUM_SKL014,
	ALDERLAKE = INTEL_ERRATUM_BDM70 | INTEL_ERRATUM_SKD022,
	APOLLO_LAKE = INTEL_ERRATUM_APL12,
};

/* Families and models as reported by CPUID, in hexadecimal. */
static const struct {
	uint8_t family;
	uint8_t model;
	uint32_t errata;
} processors[] = {
	{ 0x06, 0x3d, BROADWELL },	 { 0x06, 0x47, BROADWELL },
	{ 0x06, 0x4f, BROADWELL },	 { 0x06, 0x56, BROADWELL },
	{ 0x06, 0x4e, SKYLAKE },	 { 0x06, 0x5e, SKYLAKE },
	{ 0x06, 0x8e, SKYLAKE },	 { 0x06, 0x9e, SKYLAKE },
	{ 0x06, 0xa5, SKYLAKE },	 { 0x06, 0xa6, SKYLAKE },
	{ 0x06, 0x55, SKYLAKE_X },	 { 0x06, 0x6a, SKYLAKE_X },
	{ 0x06, 0x6c, SKYLAKE_X },	 { 0x06, 0x8f, SAPPHIRE_RAPIDS },
	{ 0x06, 0xcf, SAPPHIRE_RAPIDS }, { 0x06, 0xad, SAPPHIRE_RAPIDS },
	{ 0x06, 0xae, SAPPHIRE_RAPIDS }, { 0x13, 0x01, SAPPHIRE_RAPIDS },
	{ 0x06, 0x66, ICELAKE },	 { 0x06, 0x7d, ICELAKE },
	{ 0x06, 0x7e, ICELAKE },	 { 0x06, 0x8c, ICELAKE },
	{ 0x06, 0x8d, ICELAKE },	 { 0x06, 0xa7, ICELAKE },
	{ 0x06, 0xa8, ICELAKE },	 { 0x06, 0x97, ALDERLAKE },
	{ 0x06, 0x9a, ALDERLAKE },	 { 0x06, 0xba, ALDERLAKE },
	{ 0x06, 0xb7, ALDERLAKE },	 { 0x06, 0xbf, ALDERLAKE },
	{ 0x06, 0xc5, ALDERLAKE },	 { 0x06, 0xc6, ALDERLAKE },
	{ 0x06, 0xb5, ALDERLAKE },	 { 0x06, 0xaa, ALDERLAKE },
	{ 0x06, 0xac, ALDERLAKE },	 { 0x06, 0xbd, ALDERLAKE },
	{ 0x06, 0xcc, ALDERLAKE },	 { 0x06, 0xd5, ALDERLAKE },
	{ 0x12, 0x01, ALDERLAKE },	 { 0x12, 0x03, ALDERLAKE },
	{ 0x06, 0x5c, APOLLO_LAKE },	 { 0x06, 0x5f, APOLLO_LAKE },
};

uint32_t intel_errata_of(const char *cpuid)
{
	unsigned int family;
	unsigned int model;

	if (sscanf(cpuid, "GenuineIntel,%u,%u", &family, &model) != 2)
		return 0;
	for (size_t i = 0; i < sizeof(processors) / sizeof(*processors); i++)
		if (processors[i].family == family &&
		    processors[i].model == model)
			return processors[i].errata;
	return 0;
}

struct intel_setup intel_setup_of(const struct recording *recording)
{
	return (struct intel_setup){
		.clock = intel_clock_setup_of(recording),
		.errata = intel_errata_of(recording_info(recording)->cpuid),
	};
}

/* Maximum of consecutive sync points without a time; then none is assumed to
 * have one.
 */
enum { MOST_WITHOUT = 1 << 10 };

/* Reads the packets from the PSB at @position to PSBEND. Returns whether they
 * contain a time.
 */
static bool read_time(const struct sync_search *search, size_t position,
		      uint64_t *ticks)
{
	size_t end = search->size - position < HEADER_BYTES ?
			     search->size :
			     position + HEADER_BYTES;
	struct intel_packet packet = { .kind = INTEL_PACKET_PSB };
	const uint8_t *bytes = search->bytes;

	if (search->reach)
		bytes = search->reach(search->ctx, position, end);
	for (size_t at = position; packet.kind != INTEL_PACKET_PSBEND;
	     at += packet.size) {
		if (intel_packet_read(bytes + at, end - at, &packet) <= 0)
			return false;
		if (packet.kind != INTEL_PACKET_TSC)
			continue;
		*ticks = intel_tsc_ticks(packet.payload, search->origin);
		return tick_span_has(&search->span, *ticks);
	}
	return false;
}

bool sync_search_next(const struct sync_search *search, size_t from,
		      struct sync_point *point)
{
	for (int i = 0; i < MOST_WITHOUT; i++) {
		size_t psb = intel_psb_reach(search->bytes, search->size, from,
					     search->reach, search->ctx);

		if (psb == search->size)
			return false;
		if (read_time(search, psb, &point->ticks)) {
			point->position = psb;
			return true;
		}
		from = psb + 1;
	}
	return false;
}

static bool next_within(void *ctx, size_t size, size_t from,
			struct sync_point *point)
{
	struct sync_search search = *(const struct sync_search *)ctx;

	search.size = size;
	return sync_search_next(&search, from, point);
}

struct point_search sync_search_points(struct sync_search *search)
{
	return (struct point_search){
		.size = search->size,
		.next = next_within,
		.ctx = search,
	};
}
