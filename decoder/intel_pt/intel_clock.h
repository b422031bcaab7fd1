/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_CLOCK_H
#define KT_DECODER_INTEL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct intel_packet;
struct recording;

/* This is what turns time packets into TSC ticks; 0 where the recording is
 * silent.
 */
struct intel_clock_setup {
	unsigned int mtc_shift; /* an MTC is every 1 << this CTC ticks */
	uint64_t tsc_ctc_n;	/* TSC = CTC * n / d (CPUID.15H) */
	uint64_t tsc_ctc_d;
	uint64_t max_nonturbo_ratio; /* TSC ticks per bus clock tick */
	uint64_t origin;	     /* of ticks: see struct time_conversion */
	bool counts_cycles;	     /* each: where no CYC is, none ran */
};

struct intel_clock_setup
intel_clock_setup_of(const struct recording *recording);

/* Fractions of a tick: times here count 256ths. */
#define INTEL_TICK_SHIFT 8

/* Returns the ticks since @origin at the TSC packet with @payload, which holds
 * the low 56 bits of the counter (Intel SDM, volume 3, "Timestamp Counter (TSC)
 * Packet").  It holds also where these wrap within a recording.
 */
static inline uint64_t intel_tsc_ticks(uint64_t payload, uint64_t origin)
{
	return (payload - origin) & (((uint64_t)1 << 56) - 1);
}

/* The clock as the time packets tell it.  TSC and MTC give the time itself:
 * anchors.  CYC counts core cycles since the anchor before, and CBR how long
 * they are.
 *
 * Sources: Intel SDM, volume 3, "Tracing and Timing" and the tables of the
 * TSC, TMA, MTC, CYC and CBR packets.
 */
struct intel_clock {
	struct intel_clock_setup setup;
	uint64_t anchor;  /* 256ths of a tick */
	uint64_t elapsed; /* since then, by CYC, 256ths of a tick */
	bool has_anchor;
	uint64_t cycle_length; /* ticks per cycle * 65536 */
	bool has_ratio;	       /* by CBR; else it is measured */
	uint64_t cycles;       /* since the anchor */
	/* MTC: the time of its count @mtc_count, of which @mtc_payload is
	 * the part that packets show.
	 */
	uint64_t mtc_base;
	uint64_t mtc_count;
	uint64_t mtc_around; /* between two that have the same payload */
	uint64_t mtc_delay;  /* so late is one taken to be at most */
	uint8_t mtc_payload;
	bool has_tma;
	bool mtc_is_next; /* none came since the TMA */
};

struct intel_clock intel_clock_of(const struct intel_clock_setup *setup);

/* Takes one packet.  Returns true with the time in *@anchor if it tells the
 * time by itself; intel_clock_set_anchor() then begins the next stretch.
 */
bool intel_clock_take(struct intel_clock *clock,
		      const struct intel_packet *packet, uint64_t *anchor);
void intel_clock_set_anchor(struct intel_clock *clock, uint64_t anchor);

/* A count of cycles that no gap between packets can reach: 18 minutes. */
#define INTEL_CYCLES_LIMIT ((uint64_t)1 << 42)

/* Returns how long @cycles are, in 256ths of a tick. */
static inline uint64_t intel_clock_ticks(const struct intel_clock *clock,
					 uint64_t cycles)
{
	return (cycles * clock->cycle_length) >> (16 - INTEL_TICK_SHIFT);
}

/* The same for a CYC packet alone, which tells no time by itself. */
static inline void intel_clock_take_cycles(struct intel_clock *clock,
					   uint64_t cycles)
{
	if (cycles > INTEL_CYCLES_LIMIT)
		cycles = INTEL_CYCLES_LIMIT;
	clock->cycles += cycles;
	clock->elapsed += intel_clock_ticks(clock, cycles);
}

/* The same for an MTC packet of @payload. */
bool intel_clock_take_mtc(struct intel_clock *clock, uint8_t payload,
			  uint64_t *anchor);

#endif
