/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_PT_INTEL_CLOCK_H
#define KT_DECODER_INTEL_PT_INTEL_CLOCK_H

/* Intel PT's clock: time packets as ticks of the time stamp counter; the
 * settings and errata that its reader needs; and the times of sync points.
 *
 *	TSC, MTC ─► anchors: the time itself ─┐
 *	CYC ─► cycles since the anchor ───────┼─► struct intel_clock: elapsed time
 *	CBR, or measured ─► cycle length ─────┘
 *
 * 1. Times are in 256ths of a tick, after the recording's origin of ticks: no
 *    sum overflows.
 * 2. Each anchor restarts elapsed and cycles, so that an error of the cycle
 *    length does not add up.
 * 3. A missing parameter (0) makes its packets useless, not wrong: the clock
 *    then depends on TSC packets alone.
 * 4. No anchor is outside setup.span, and no count of cycles leads out of it:
 *    callers treat packets that intel_clock_refuses() as damage.
 *
 * A clock is a plain struct without pointers: a copy is a second clock.
 */

#include "decoder/recording/aux_stream.h"
#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intel_packet;

/* The parameters for converting time packets to TSC ticks; 0 if missing in the
 * recording.
 */
struct intel_clock_setup {
	unsigned int mtc_shift; /* log2 of the CTC ticks between two MTCs */
	uint64_t tsc_ctc_n;	/* TSC = CTC * n / d (CPUID.15H) */
	uint64_t tsc_ctc_d;
	uint64_t max_nonturbo_ratio; /* TSC ticks per bus clock tick */
	uint64_t origin;	     /* of ticks: see struct time_conversion */
	struct tick_span span;
	/* each cycle is counted: without a CYC, none passed */
	bool counts_cycles;
};

struct intel_clock_setup
intel_clock_setup_of(const struct recording *recording);

/* Fractional bits of a tick: times here are in 256ths. */
#define INTEL_TICK_SHIFT 8

/* The clock according to the time packets. TSC and MTC contain the time itself:
 * anchors. CYC counts core cycles since the last anchor, and CBR gives their
 * length.
 *
 * Sources: Intel SDM, volume 3, "Tracing and Timing" and the tables of the TSC,
 * TMA, MTC, CYC and CBR packets.
 */
struct intel_clock {
	struct intel_clock_setup setup;
	uint64_t anchor; /* 256ths of a tick */
	/* time since the anchor by CYC, in 256ths of a tick */
	uint64_t elapsed;
	bool has_anchor;
	uint64_t cycle_length; /* ticks per cycle * 65536 */
	bool has_ratio; /* cycle_length is from CBR; otherwise it is measured */
	uint64_t cycles; /* since the anchor */
	/* mtc_base: the time at which mtc_count was 0, set by TMA; mtc_count:
	 * MTC periods since then; mtc_payload: the counter's bits in the last
	 * MTC or TMA.
	 */
	uint64_t mtc_base;
	uint64_t mtc_count;
	uint64_t mtc_around; /* time until MTC's payload repeats */
	uint64_t mtc_delay;  /* largest assumed delay of a packet */
	uint8_t mtc_payload;
	bool has_tma;
	bool mtc_is_next; /* no MTC since the TMA */
	bool is_guest;	  /* after a PIP of a virtual machine */
	bool skips_tma;	  /* the last TSC was ignored */
};

struct intel_clock intel_clock_of(const struct intel_clock_setup *setup);

/* Returns whether @packet is a TSC or CYC with a time at which the trace cannot
 * have been written: it is damaged, and the packets after it may be, too. A
 * virtual machine's TSC may have an offset, and is ignored instead. The @size
 * bytes at @bytes start with the packet; at most 256 are read.
 */
bool intel_clock_refuses(const struct intel_clock *clock,
			 const struct intel_packet *packet,
			 const uint8_t *bytes, size_t size);

/* Consumes one packet, which must not be refused. Returns true with the time in *@anchor if the packet
 * contains the time; the caller must then call intel_clock_set_anchor() to
 * start the next interval.
 */
bool intel_clock_consume(struct intel_clock *clock,
			 const struct intel_packet *packet, uint64_t *anchor);

void intel_clock_set_anchor(struct intel_clock *clock, uint64_t anchor);

/* More cycles than can pass between two packets: 18 minutes at 4 GHz. */
#define INTEL_CYCLES_LIMIT ((uint64_t)1 << 42)

/* Returns the length of @cycles, in 256ths of a tick. */
static inline uint64_t intel_clock_ticks(const struct intel_clock *clock,
					 uint64_t cycles)
{
	return (cycles * clock->cycle_length) >> (16 - INTEL_TICK_SHIFT);
}

/* Like intel_clock_consume(), for a CYC packet, which never is an anchor. */
static inline void intel_clock_consume_cycles(struct intel_clock *clock,
					      uint64_t cycles)
{
	if (cycles > INTEL_CYCLES_LIMIT)
		cycles = INTEL_CYCLES_LIMIT;
	clock->cycles += cycles;
	clock->elapsed += intel_clock_ticks(clock, cycles);
}

/* Like intel_clock_consume(), for an MTC packet of @payload. */
bool intel_clock_consume_mtc(struct intel_clock *clock, uint8_t payload,
			     uint64_t *anchor);

/* Processor errata that change the meaning of packets, from Intel's
 * specification updates, under the name of the first family that has each.
 */
enum intel_erratum {
	/* A branch that used trace may be missing before an abort's FUP. */
	INTEL_ERRATUM_BDM64 = 1 << 0,
	/* PSB+ may contain a FUP although tracing starts right after it. */
	INTEL_ERRATUM_BDM70 = 1 << 1,
	/* An OVF may overwrite all but the first byte of a CYC. */
	INTEL_ERRATUM_SKD007 = 1 << 2,
	/* A virtual machine entry that stops the trace may look like an
	 * interrupt before it.
	 */
	INTEL_ERRATUM_SKD022 = 1 << 3,
	/* The target of a direct branch out of the filter may be missing. */
	INTEL_ERRATUM_SKL014 = 1 << 4,
	/* A FUP may follow an OVF although tracing is off. */
	INTEL_ERRATUM_APL12 = 1 << 5,
	/* A TMA may be one byte longer, and wrong. */
	INTEL_ERRATUM_SKZ84 = 1 << 6,
};

/* The properties of a trace that are not in its bytes. */
struct intel_setup {
	struct intel_clock_setup clock;
	uint32_t errata; /* enum intel_erratum */
};

struct intel_setup intel_setup_of(const struct recording *recording);

/* Returns the errata (enum intel_erratum) of the processor with perf.data's
 * @cpuid: "GenuineIntel,6,78,3".
 */
uint32_t intel_errata_of(const char *cpuid);

/* The sync points of a stream with their times, found by their pattern, without
 * reading the packets between them.
 */
struct sync_search {
	const uint8_t *bytes; /* used without reach */
	size_t size;
	intel_psb_reach_bytes *reach; /* as for intel_psb_reach() */
	void *ctx;
	uint64_t origin; /* of ticks: see struct time_conversion */
	struct tick_span span;
};

/* Finds the first sync point at or after @from with a time in the span: its PSB
 * and its TSC. Returns whether there is one.
 */
bool sync_search_next(const struct sync_search *search, size_t from,
		      struct sync_point *point);

/* Returns the search for point_search_before(); borrows @search. */
struct point_search sync_search_points(struct sync_search *search);

#endif
