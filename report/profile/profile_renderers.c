/* SPDX-License-Identifier: MIT */
#include "report/profile/profile_report.h"

#include <string.h>

static const struct profile_renderer renderers[] = {
	{ .report = "flat",
	  .format = "text",
	  .has_title = true,
	  .only_adds = true,
	  .render = render_flat_text },
	{ .report = "flat",
	  .format = "csv",
	  .only_adds = true,
	  .render = render_flat_csv },
	{ .report = "flat",
	  .format = "json",
	  .only_adds = true,
	  .render = render_flat_json },
	{ .report = "callgraph",
	  .format = "text",
	  .has_title = true,
	  .render = render_callgraph_text },
	{ .report = "callgraph",
	  .format = "csv",
	  .render = render_callgraph_csv },
	{ .report = "callgraph",
	  .format = "json",
	  .render = render_callgraph_json },
	{ .report = "calltree",
	  .format = "text",
	  .has_title = true,
	  .by_process = true,
	  .render = render_calltree_text },
	{ .report = "flamegraph",
	  .format = "svg",
	  .by_process = true,
	  .render = render_flamegraph },
	{ .report = "flamegraph", .format = "folded", .render = render_folded },
	{ .report = "diff",
	  .format = "paths",
	  .by_process = true,
	  .render = render_paths },
	{ .report = "export",
	  .format = "gmon",
	  .needs_time = true,
	  .render = render_gmon,
	  .render_second = render_gmon_symbols },
	{ .report = "export",
	  .format = "pprof",
	  .by_process = true,
	  .render = render_pprof },
	{ .report = "export",
	  .format = "speedscope",
	  .by_process = true,
	  .render = render_speedscope },
	{ .report = "export",
	  .format = "callgrind",
	  .render = render_callgrind },
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
