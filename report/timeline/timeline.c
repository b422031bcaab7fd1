/* SPDX-License-Identifier: MIT */
#include "report/timeline/timeline.h"

#include <string.h>

static const struct timeline_renderer *const renderers[] = {
	&timeline_text, &timeline_raw, &timeline_csv,  &timeline_json,
	&export_csv,	&export_json,  &export_chrome, &export_perfetto,
};

const struct timeline_renderer *timeline_renderer_find(const char *command,
						       const char *format)
{
	for (size_t i = 0; i < sizeof(renderers) / sizeof(*renderers); i++)
		if (strcmp(renderers[i]->command, command) == 0 &&
		    strcmp(renderers[i]->format, format) == 0)
			return renderers[i];
	return NULL;
}

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
	case CPU_OFF:
		return "off";
	case CPU_GAP:
		return "gap";
	case CPU_STATES:
		break;
	}
	return "?";
}
