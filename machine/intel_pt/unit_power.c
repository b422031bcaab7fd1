/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/intel_pt/unit_state.h"

#include <stddef.h>

enum {
	C1 = 1,
	/* MWAIT's hints: the C-state minus one in bits 7:4, the sub C-state
	 * below (SDM volume 2, "MWAIT").
	 */
	HINTS_STATE_SHIFT = 4,
	HINTS_MASK = 0xf,
};

static bool sends_power(const struct pt_unit *unit)
{
	return unit_trigger_en(unit) && (unit->registers.ctl & CTL_PWR_EVT_EN);
}

static void power_entry(struct pt_unit *unit, unsigned state,
			unsigned sub_state, uint64_t ip, uint64_t tsc)
{
	unit->power_state = state;
	pt_encoder_power_entry(&unit->encoder, state, sub_state,
			       unit_context_en(unit, ip) ? &ip : NULL, tsc);
}

void pt_unit_halts(struct pt_unit *unit, uint64_t ip, uint64_t tsc)
{
	if (!sends_power(unit))
		return;
	unit_say_time(unit, tsc);
	power_entry(unit, C1, 0, ip, tsc);
}

void pt_unit_mwait(struct pt_unit *unit, uint32_t hints, uint32_t extensions,
		   uint64_t ip, uint64_t tsc)
{
	unsigned state = ((hints >> HINTS_STATE_SHIFT) + C1) & HINTS_MASK;

	/* In C0 nothing stops. */
	if (!sends_power(unit) || !state)
		return;
	unit_say_time(unit, tsc);
	if (unit_context_en(unit, ip))
		pt_encoder_mwait(&unit->encoder, hints, extensions, tsc);
	power_entry(unit, state, hints & HINTS_MASK, ip, tsc);
}

void pt_unit_slept(struct pt_unit *unit, uint64_t halted, uint64_t tsc)
{
	if (!unit_trigger_en(unit))
		return;
	pt_encoder_flush_tnt(&unit->encoder);
	pt_timing_slept(&unit->timing, halted, tsc);
	if (unit->power_state)
		pt_encoder_power_exit(&unit->encoder, unit->power_state, tsc);
	unit->power_state = 0;
}
