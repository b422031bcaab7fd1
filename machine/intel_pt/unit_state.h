/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_INTEL_PT_UNIT_STATE_H
#define KT_MACHINE_INTEL_PT_UNIT_STATE_H

#include "machine/intel_pt/filter.h"
#include "machine/intel_pt/unit.h"

/* The conditions for writing packets, named as in the SDM (section "Packet
 * Generation Enable"). They are inline because every block evaluates them.
 */
static inline bool unit_trigger_en(const struct pt_unit *unit)
{
	return (unit->registers.ctl & CTL_TRACE_EN) &&
	       !pt_output_halted(&unit->output);
}

static inline bool unit_context_en(const struct pt_unit *unit, uint64_t ip)
{
	return pt_filter_context(&unit->registers, ip, unit->cr3);
}

/* ContextEn and FilterEn. */
static inline bool unit_traces(const struct pt_unit *unit, uint64_t ip)
{
	return unit_context_en(unit, ip) &&
	       pt_filter_range(&unit->registers, ip) &&
	       !pt_filter_stops(&unit->registers, ip);
}

/* Writes the time packets that are due by @tsc, except before the session's
 * first TSC packet: an MTC before it could belong to any round of the counter
 * since the previous session.
 */
static inline void unit_say_time(struct pt_unit *unit, uint64_t tsc)
{
	if (!unit->time_due)
		pt_encoder_time(&unit->encoder, tsc);
}

/* Writes MODE.Exec if the mode has changed. Where no transfer binds it to @ip,
 * a FUP does (unit_events.c).
 */
void unit_send_mode(struct pt_unit *unit, uint64_t ip, uint64_t tsc);

#endif
