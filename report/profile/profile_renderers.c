/* SPDX-License-Identifier: MIT */
#include "report/profile/profile_report.h"

#include <string.h>

static const struct profile_renderer renderers[] = {
	{ "flat", "text", .has_title = true, .render = render_flat_text },
	{ "flat", "csv", .render = render_flat_csv },
	{ "flat", "json", .render = render_flat_json },
	{ "callgraph", "text", .has_title = true,
	  .render = render_callgraph_text },
	{ "callgraph", "csv", .render = render_callgraph_csv },
	{ "callgraph", "json", .render = render_callgraph_json },
	{ "flamegraph", "svg", .render = render_flamegraph },
	{ "flamegraph", "folded", .render = render_folded },
	{ "export", "gmon", .needs_time = true, .render = render_gmon,
	  .render_second = render_gmon_symbols },
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
