/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/intel_pt/timing.h"
#include "machine/intel_pt/packet.h"

/* An MTC holds 8 bits of the period's number. Half of the range lets a decoder
 * detect a lost MTC.
 */
enum { MTC_PERIODS_MAX = 127 };

static uint64_t ctl(const struct pt_timing *timing)
{
	return timing->output->registers->ctl;
}

/* Returns the clock's value in packets: @tsc, unless the clock is too fast. */
static uint64_t sent_tsc(const struct pt_timing *timing, uint64_t tsc)
{
	if (timing->output->fault.kind != PT_FAULT_FAST_CLOCK)
		return tsc;
	return tsc + (tsc - timing->first_tsc) / 100;
}

/* Returns the least TSC value that sent_tsc() makes @sent or more. */
static uint64_t true_tsc(const struct pt_timing *timing, uint64_t sent)
{
	if (timing->output->fault.kind != PT_FAULT_FAST_CLOCK)
		return sent;
	return sent - (sent - timing->first_tsc) / 101;
}

static uint64_t crystal_ticks(const struct pt_timing *timing, uint64_t tsc)
{
	return (uint64_t)((unsigned __int128)sent_tsc(timing, tsc) *
			  PT_TSC_DENOMINATOR / timing->rates.tsc_numerator);
}

static unsigned period_shift(const struct pt_timing *timing)
{
	return (ctl(timing) & CTL_MTC_FREQ) >> CTL_MTC_FREQ_SHIFT;
}

static uint64_t period_at(const struct pt_timing *timing, uint64_t tsc)
{
	return crystal_ticks(timing, tsc) >> period_shift(timing);
}

/* Returns the first TSC value in @period. */
static uint64_t period_start(const struct pt_timing *timing, uint64_t period)
{
	unsigned __int128 ticks = (unsigned __int128)period
				  << period_shift(timing);

	return true_tsc(timing,
			(uint64_t)((ticks * timing->rates.tsc_numerator +
				    PT_TSC_DENOMINATOR - 1) /
				   PT_TSC_DENOMINATOR));
}

/* Returns the TSC ticks since the crystal clock's last tick. */
static uint16_t fast_counter(const struct pt_timing *timing, uint64_t tsc)
{
	unsigned __int128 scaled =
		(unsigned __int128)sent_tsc(timing, tsc) * PT_TSC_DENOMINATOR;

	return (uint16_t)((uint64_t)(scaled % timing->rates.tsc_numerator) /
			  PT_TSC_DENOMINATOR);
}

void pt_timing_init(struct pt_timing *timing, struct pt_output *output,
		    const struct pt_rates *rates)
{
	*timing = (struct pt_timing){ .output = output, .rates = *rates };
}

static void enter_period(struct pt_timing *timing, uint64_t period)
{
	timing->last_period = period;
	timing->next_period_tsc = ctl(timing) & CTL_MTC_EN ?
					  period_start(timing, period + 1) :
					  UINT64_MAX;
}

void pt_timing_start(struct pt_timing *timing, uint64_t tsc)
{
	if (!timing->first_tsc)
		timing->first_tsc = tsc;
	timing->last_cyc = tsc;
	enter_period(timing, period_at(timing, tsc));
}

/* The counter continues while packets are lost. */
void pt_timing_cycles(struct pt_timing *timing, uint64_t tsc)
{
	unsigned threshold = (ctl(timing) & CTL_CYC_THRESH) >>
			     CTL_CYC_THRESH_SHIFT;
	uint64_t least = threshold ? 1ull << (threshold - 1) : 1;
	uint64_t cycles = tsc - timing->last_cyc;
	uint8_t bytes[PT_PACKET_MAX];

	if (!(ctl(timing) & CTL_CYC_EN) || timing->output->discarding ||
	    tsc < timing->last_cyc + least)
		return;
	if (unit_fault_strikes(&timing->output->fault, PT_FAULT_CYC_WRONG))
		cycles += 4096;
	pt_output_put(timing->output, bytes, pt_packet_cyc(bytes, cycles));
	timing->last_cyc = tsc;
}

bool pt_timing_is_due(const struct pt_timing *timing, uint64_t tsc)
{
	return tsc >= timing->next_period_tsc;
}

void pt_timing_catch_up(struct pt_timing *timing, uint64_t tsc)
{
	if (!pt_timing_is_due(timing, tsc))
		return;

	uint64_t period = period_at(timing, tsc);
	uint8_t bytes[PT_PACKET_MAX];

	if (period - timing->last_period > MTC_PERIODS_MAX &&
	    (ctl(timing) & CTL_TSC_EN)) {
		pt_timing_absolute(timing, tsc);
		return;
	}
	/* The packet has the start of the period, not the time when it is sent.
	 */
	pt_timing_cycles(timing, period_start(timing, period));
	enter_period(timing, period);
	if (unit_fault_strikes(&timing->output->fault, PT_FAULT_MTC_WRONG))
		period += 100;
	pt_output_put(timing->output, bytes,
		      pt_packet_mtc(bytes, (uint8_t)period));
}

void pt_timing_absolute(struct pt_timing *timing, uint64_t tsc)
{
	uint8_t bytes[PT_PACKET_MAX];

	if ((ctl(timing) & CTL_TSC_EN) && !timing->output->discarding) {
		pt_timing_cycles(timing, tsc);
		pt_output_put(timing->output, bytes,
			      pt_packet_tsc(bytes, sent_tsc(timing, tsc)));
		timing->last_cyc = tsc;
	}
	if (!(ctl(timing) & CTL_MTC_EN))
		return;
	if (ctl(timing) & CTL_TSC_EN)
		pt_output_put(
			timing->output, bytes,
			pt_packet_tma(bytes,
				      (uint16_t)crystal_ticks(timing, tsc),
				      fast_counter(timing, tsc)));
	enter_period(timing, period_at(timing, tsc));
}

void pt_timing_bus_ratio(struct pt_timing *timing)
{
	uint8_t bytes[PT_PACKET_MAX];

	pt_output_put(timing->output, bytes,
		      pt_packet_cbr(bytes, timing->rates.bus_ratio));
}

void pt_timing_slept(struct pt_timing *timing, uint64_t halted, uint64_t tsc)
{
	if (tsc > halted)
		timing->last_cyc += tsc - halted;
	pt_timing_absolute(timing, tsc);
}
