/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_CLOCK_H
#define KT_DECODER_INTEL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct intel_packet;
struct recording;

/* The parameters for converting time packets to TSC ticks; 0 if missing in the
 * recording.
 */
struct intel_clock_setup {
	unsigned int mtc_shift; /* an MTC is every 1 << this CTC ticks */
	uint64_t tsc_ctc_n;	/* TSC = CTC * n / d (CPUID.15H) */
	uint64_t tsc_ctc_d;
	uint64_t max_nonturbo_ratio; /* TSC ticks per bus clock tick */
	uint64_t origin;	     /* of ticks: see struct time_conversion */
	bool counts_cycles;	     /* every cycle: without a CYC, none ran */
};

struct intel_clock_setup
intel_clock_setup_of(const struct recording *recording);

/* Fractional bits of a tick: times here are in 256ths. */
#define INTEL_TICK_SHIFT 8

/* Returns the ticks since @origin at the TSC packet with @payload, which holds
 * the low 56 bits of the counter (Intel SDM, volume 3, "Timestamp Counter (TSC)
 * Packet"). Also correct if these wrap within a recording.
 */
static inline uint64_t intel_tsc_ticks(uint64_t payload, uint64_t origin)
{
	return (payload - origin) & (((uint64_t)1 << 56) - 1);
}

/* The clock according to the time packets. TSC and MTC contain the time itself:
 * anchors. CYC counts core cycles since the last anchor, and CBR gives their
 * length.
 *
 * Sources: Intel SDM, volume 3, "Tracing and Timing" and the tables of the TSC,
 * TMA, MTC, CYC and CBR packets.
 */
struct intel_clock {
	struct intel_clock_setup setup;
	uint64_t anchor;  /* 256ths of a tick */
	uint64_t elapsed; /* since then, by CYC, 256ths of a tick */
	bool has_anchor;
	uint64_t cycle_length; /* ticks per cycle * 65536 */
	bool has_ratio;	       /* by CBR; otherwise it is measured */
	uint64_t cycles;       /* since the anchor */
	/* MTC: the time of its count @mtc_count; @mtc_payload is the part of
	 * the count in packets.
	 */
	uint64_t mtc_base;
	uint64_t mtc_count;
	uint64_t mtc_around; /* between two with the same payload */
	uint64_t mtc_delay;  /* largest assumed delay of a packet */
	uint8_t mtc_payload;
	bool has_tma;
	bool mtc_is_next; /* no MTC since the TMA */
};

struct intel_clock intel_clock_of(const struct intel_clock_setup *setup);

/* Consumes one packet. Returns true with the time in *@anchor if the packet
 * contains the time; the caller must then call intel_clock_set_anchor() to
 * start the next interval.
 */
bool intel_clock_take(struct intel_clock *clock,
		      const struct intel_packet *packet, uint64_t *anchor);
void intel_clock_set_anchor(struct intel_clock *clock, uint64_t anchor);

/* More cycles than any gap between packets can last: 18 minutes. */
#define INTEL_CYCLES_LIMIT ((uint64_t)1 << 42)

/* Returns the length of @cycles, in 256ths of a tick. */
static inline uint64_t intel_clock_ticks(const struct intel_clock *clock,
					 uint64_t cycles)
{
	return (cycles * clock->cycle_length) >> (16 - INTEL_TICK_SHIFT);
}

/* Like intel_clock_take(), for a CYC packet, which never is an anchor. */
static inline void intel_clock_take_cycles(struct intel_clock *clock,
					   uint64_t cycles)
{
	if (cycles > INTEL_CYCLES_LIMIT)
		cycles = INTEL_CYCLES_LIMIT;
	clock->cycles += cycles;
	clock->elapsed += intel_clock_ticks(clock, cycles);
}

/* Like intel_clock_take(), for an MTC packet of @payload. */
bool intel_clock_take_mtc(struct intel_clock *clock, uint8_t payload,
			  uint64_t *anchor);

#endif
