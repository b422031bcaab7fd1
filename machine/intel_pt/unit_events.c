/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/intel_pt/unit_state.h"

#include <stddef.h>

bool pt_unit_wants_events(const struct pt_unit *unit)
{
	return pt_unit_is_tracing(unit) && (unit->registers.ctl & CTL_EVENT_EN);
}

static bool sends_events(const struct pt_unit *unit)
{
	return unit_trigger_en(unit) && (unit->registers.ctl & CTL_EVENT_EN);
}

void unit_send_mode(struct pt_unit *unit, uint64_t ip, uint64_t tsc)
{
	if (pt_encoder_mode(&unit->encoder, unit->mode, tsc))
		pt_encoder_ip(&unit->encoder, PT_FUP, ip, tsc);
}

void pt_unit_interrupt_flag(struct pt_unit *unit, bool enabled)
{
	unit->mode.interrupts = enabled;
}

void pt_unit_flag_written(struct pt_unit *unit, bool enabled, uint64_t next,
			  uint64_t tsc)
{
	bool branches = unit->registers.ctl & CTL_BRANCH_EN;

	if (!sends_events(unit))
		return;
	unit->mode.interrupts = enabled;
	if (branches ? !unit->packet_en : !unit_traces(unit, next))
		return;
	unit_say_time(unit, tsc);
	unit_send_mode(unit, next, tsc);
}

void pt_unit_interrupt(struct pt_unit *unit,
		       const struct pt_interrupt *interrupt, uint64_t from,
		       uint64_t to, uint64_t tsc)
{
	bool in_context = unit_context_en(unit, from);
	/* If the transfer has a FUP of its own, that FUP gives the position. */
	const uint64_t *ip = in_context && !unit->packet_en ? &from : NULL;

	if (!sends_events(unit) || (!in_context && !unit_context_en(unit, to)))
		return;
	unit_say_time(unit, tsc);
	pt_encoder_event(&unit->encoder, PT_EVENT_INTERRUPT, interrupt->vector,
			 interrupt->has_address ? &interrupt->address : NULL,
			 ip, tsc);
}

void pt_unit_iret(struct pt_unit *unit, uint64_t ip, uint64_t to, uint64_t tsc)
{
	bool in_context = unit_context_en(unit, ip);

	if (!sends_events(unit) || (!in_context && !unit_context_en(unit, to)))
		return;
	unit_say_time(unit, tsc);
	pt_encoder_event(&unit->encoder, PT_EVENT_IRET, 0, NULL,
			 in_context ? &ip : NULL, tsc);
}
