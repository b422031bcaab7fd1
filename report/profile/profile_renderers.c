/* SPDX-License-Identifier: MIT */
#include "report/profile/profile_report.h"

#include <string.h>

static const struct profile_renderer renderers[] = {
	{ "flat", "text", false, render_flat_text, NULL },
	{ "flat", "csv", false, render_flat_csv, NULL },
	{ "flat", "json", false, render_flat_json, NULL },
	{ "callgraph", "text", false, render_callgraph_text, NULL },
	{ "callgraph", "csv", false, render_callgraph_csv, NULL },
	{ "callgraph", "json", false, render_callgraph_json, NULL },
	{ "flamegraph", "svg", false, render_flamegraph, NULL },
	{ "flamegraph", "folded", false, render_folded, NULL },
	{ "export", "gmon", true, render_gmon, render_gmon_symbols },
};

const struct profile_renderer *profile_renderer_find(const char *report,
						     const char *format)
{
	for (size_t i = 0; i < sizeof(renderers) / sizeof(*renderers); i++)
		if (strcmp(renderers[i].report, report) == 0 &&
		    strcmp(renderers[i].format, format) == 0)
			return &renderers[i];
	return NULL;
}
