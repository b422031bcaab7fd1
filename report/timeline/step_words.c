/* SPDX-License-Identifier: MIT */
#include "report/timeline/step_words.h"

#include "report/steps/call_step.h"

const char *call_how_text(uint8_t how)
{
	switch ((enum call_how)how) {
	case HOW_CALL:
		return "call";
	case HOW_TAIL:
		return "tail";
	case HOW_EXCEPTION:
		return "interrupt";
	case HOW_SYSTEM_CALL:
		return "system_call";
	case HOW_START:
		return "start";
	case HOW_INFERRED:
		return "inferred";
	}
	return "?";
}

const char *cpu_state_text(uint8_t state)
{
	switch ((enum cpu_state)state) {
	case CPU_UNSEEN:
		return "unseen";
	case CPU_TRACED:
		return "traced";
	case CPU_OUTSIDE:
		return "outside";
	case CPU_FILTERED:
		return "filtered";
	case CPU_NOT_ASKED:
		return "not asked for";
	case CPU_GUEST:
		return "guest";
	case CPU_OFF:
		return "off";
	case CPU_GAP:
		return "gap";
	case CPU_STATES:
		break;
	}
	return "?";
}
