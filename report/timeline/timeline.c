/* SPDX-License-Identifier: MIT */
#include "report/timeline/timeline.h"

#include <string.h>

static const struct timeline_renderer *const renderers[] = {
	&timeline_text,	  &timeline_raw,   &timeline_csv,  &timeline_json,
	&export_csv,	  &export_json,	   &export_ndjson, &export_chrome,
	&export_perfetto, &export_firefox, &export_ctf,	   &export_trace_dat,
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
