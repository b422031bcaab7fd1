/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_INTEL_PT_UNIT_STATE_H
#define KT_MACHINE_INTEL_PT_UNIT_STATE_H

#include "machine/intel_pt/filter.h"
#include "machine/intel_pt/unit.h"

/* The conditions on which the unit's parts send packets, in the SDM's words
 * (section "Packet Generation Enable").  Inlined: asked at every block.
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

/* A session begins with the time itself: an MTC that a decoder meets before
 * could mean any of the counter's rounds since the session before.
 */
static inline void unit_say_time(struct pt_unit *unit, uint64_t tsc)
{
	if (!unit->time_due)
		pt_encoder_time(&unit->encoder, tsc);
}

/* MODE.Exec, if the mode has changed, with the FUP that binds it to @ip where no
 * transfer does (unit_events.c).
 */
void unit_send_mode(struct pt_unit *unit, uint64_t ip, uint64_t tsc);

#endif
