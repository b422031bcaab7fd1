/* SPDX-License-Identifier: MIT */
#include "collector/function_graph/function_graph.h"
#include "common/error.h"
#include "common/log.h"

#include <linux/perf_event.h>

/* A dummy event provides the records that accompany a trace unit's event. */
static int configure(const struct pmu *pmu, const struct log *log,
		     struct perf_event_attr *attr)
{
	(void)pmu;
	(void)log;
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->exclude_kernel = 1;
	attr->exclude_user = 0;
	attr->aux_watermark = 0;
	return 0;
}

static int set_cycles(const struct pmu *pmu, const struct cycle_choice *choice,
		      const struct log *log, struct perf_event_attr *attr,
		      uint64_t *config3)
{
	(void)pmu;
	(void)choice;
	(void)attr;
	(void)config3;
	log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "function_graph counts no cycles: omit --cycles and "
		    "--no-cycles");
	return -ERROR_UNSUPPORTED;
}

static unsigned int filter_ranges(const struct pmu *pmu)
{
	(void)pmu;
	return 0;
}

/* Not needed: there are no unreported losses that require a time. */
static uint64_t now_ns(const struct perf_event_mmap_page *page)
{
	(void)page;
	return 0;
}

const struct tracer function_graph_tracer = {
	.pmu_name = "function_graph",
	.title = "function_graph",
	.cycle_term = "",
	.configure = configure,
	.set_cycles = set_cycles,
	.filter_ranges = filter_ranges,
	.now_ns = now_ns,
};
