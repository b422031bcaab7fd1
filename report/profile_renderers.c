/* SPDX-License-Identifier: MIT */
#include "report/profile_report.h"

#include <string.h>

static const struct profile_renderer renderers[] = {
	{ "summary", "text", render_summary_text },
	{ "summary", "csv", render_summary_csv },
	{ "summary", "json", render_summary_json },
	{ "flat", "text", render_flat_text },
	{ "flat", "csv", render_flat_csv },
	{ "flat", "json", render_flat_json },
	{ "callgraph", "text", render_callgraph_text },
	{ "callgraph", "csv", render_callgraph_csv },
	{ "callgraph", "json", render_callgraph_json },
	{ "flamegraph", "svg", render_flamegraph },
	{ "flamegraph", "folded", render_folded },
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
