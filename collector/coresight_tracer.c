/* SPDX-License-Identifier: MIT */
#include "collector/byte_buffer.h"
#include "collector/tracer.h"
#include "common/error.h"
#include "common/log.h"
#include "common/perf_data.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Not run on Arm hardware yet: written after the kernel's documentation
 * (Documentation/trace/coresight, Documentation/ABI/testing/
 * sysfs-bus-coresight-devices-etm4x) and what perf leaves in recordings.
 */

/* Bits 28 to 24; 0: no time stamps. */
enum { TRCIDR0_TSSIZE = 0x1f << 24 };

/* Registers as the kernel shows them, in the order of their words; the first
 * two words are no files.
 */
static const char *const etmv3_files[] = { "mgmt/etmccer", "mgmt/etmidr" };
static const char *const etmv4_files[] = {
	"trcidr/trcidr0", "trcidr/trcidr1",	"trcidr/trcidr2",
	"trcidr/trcidr8", "mgmt/trcauthstatus",
};
static const char *const ete_files[] = {
	"trcidr/trcidr0", "trcidr/trcidr1",	"trcidr/trcidr2",
	"trcidr/trcidr8", "mgmt/trcauthstatus", "mgmt/trcdevarch",
};

static const struct unit_kind {
	uint64_t magic;
	const char *const *files;
	size_t file_count;
	bool has_time_source;
} etmv3 = { CORESIGHT_MAGIC_ETMV3, etmv3_files, 2, false },
  etmv4 = { CORESIGHT_MAGIC_ETMV4, etmv4_files, 5, true },
  ete = { CORESIGHT_MAGIC_ETE, ete_files, 6, true };

static int read_register(const struct pmu *pmu, int cpu, const char *name,
			 uint64_t *value)
{
	char file[64];

	snprintf(file, sizeof(file), "cpu%d/%s", cpu, name);
	return pmu_number(pmu, file, 16, value);
}

/* TRCDEVARCH: architecture version 5 of part 0xa13 is ETE, 4 is ETMv4. */
static const struct unit_kind *kind_of(const struct pmu *pmu, int cpu)
{
	uint64_t value;

	if (read_register(pmu, cpu, "trcidr/trcidr0", &value))
		return &etmv3;
	if (!read_register(pmu, cpu, "mgmt/trcdevarch", &value) &&
	    (value & 0xffff) == 0x5a13)
		return &ete;
	return &etmv4;
}

/* The PMU is there as soon as its driver is; each CPU with a unit is a link
 * cpuN.  Sets @number to N.  Returns whether there is another.
 */
static bool next_unit(DIR *folder, int *number)
{
	const struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (sscanf(entry->d_name, "cpu%d", number) == 1)
			return true;
	return false;
}

static bool coresight_is_present(const struct pmu *pmu)
{
	DIR *folder = opendir(pmu->folder);
	int cpu;
	bool found = next_unit(folder, &cpu);

	if (folder)
		closedir(folder);
	return found;
}

/* Returns the least number in the file @name of any unit that has it, or
 * @most.
 */
static uint64_t least_of_units(const struct pmu *pmu, const char *name,
			       uint64_t mask, uint64_t most)
{
	DIR *folder = opendir(pmu->folder);
	uint64_t value;
	int cpu;

	while (next_unit(folder, &cpu))
		if (!read_register(pmu, cpu, name, &value) &&
		    (value & mask) < most)
			most = value & mask;
	if (folder)
		closedir(folder);
	return most;
}

static int set(const struct pmu *pmu, const char *term, const struct log *log,
	       struct perf_event_attr *attr)
{
	int error = 0;

	if (pmu_term_mask(pmu, term))
		error = pmu_set_term(pmu, term, 1, attr);
	if (error)
		log_message(log, LOG_ERROR, pmu->folder, LOG_NO_OFFSET,
			    "the driver cannot set %s=1", term);
	return error;
}

/* Time stamps order the CPUs; the context id tells which task runs.  Cycle
 * counts are left out: they fill the sink, and time stamps say as much.
 */
static int coresight_configure(const struct pmu *pmu, const struct log *log,
			       struct perf_event_attr *attr)
{
	int error;

	attr->type = pmu->type;
	attr->config = 0;
	/* The driver would trace nothing at all. */
	if (!least_of_units(pmu, "trcidr/trcidr0", TRCIDR0_TSSIZE,
			    TRCIDR0_TSSIZE)) {
		log_message(log, LOG_WARNING, pmu->folder, LOG_NO_OFFSET,
			    "a trace unit here has no time stamps: the "
			    "recording will have no times");
		return set(pmu, "contextid", log, attr);
	}
	error = set(pmu, "timestamp", log, attr);
	return error ? error : set(pmu, "contextid", log, attr);
}

/* The kernel takes the sink's number, a hash of its name, in config2. */
static int coresight_set_sink(const struct pmu *pmu, const char *name,
			      const struct log *log,
			      struct perf_event_attr *attr)
{
	uint64_t number = 0;
	char file[128];

	snprintf(file, sizeof(file), "sinks/%s", name);
	if (pmu_number(pmu, file, 16, &number)) {
		log_message(log, LOG_ERROR, pmu->folder, LOG_NO_OFFSET,
			    "no sink '%s': the folder sinks/ there lists those "
			    "that there are", name);
		return -ERROR_NOT_FOUND;
	}
	attr->config2 = (attr->config2 & ~UINT64_C(0xffffffff)) |
			(number & 0xffffffff);
	return 0;
}

/* The driver takes as many as any unit could have. */
static unsigned int coresight_filter_ranges(const struct pmu *pmu)
{
	uint64_t count;

	if (pmu_number(pmu, "nr_addr_filters", 10, &count))
		return 0;
	return (unsigned int)least_of_units(pmu, "nr_addr_cmp", UINT64_MAX,
					    count);
}

/* Bits of perf_event_attr.config, named after ETMCR's, and what becomes of
 * them in TRCCONFIGR (linux/coresight-pmu.h).
 */
static const struct {
	unsigned int option;
	uint32_t trcconfigr;
} options[] = {
	{ 8, 1u << 3 },			/* branch broadcast */
	{ 12, 1u << 4 },		/* cycle counts */
	{ 14, 1u << 6 },		/* CONTEXTIDR_EL1 */
	{ 15, 1u << 7 | 1u << 15 },	/* CONTEXTIDR_EL2 */
	{ 28, 1u << 11 },		/* time stamps */
	{ 29, 1u << 12 },		/* return stack */
};

static uint64_t control_register(const struct unit_kind *kind, uint64_t config)
{
	uint64_t value = 0;

	if (kind == &etmv3)
		return config;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (config >> options[i].option & 1)
			value |= options[i].trcconfigr;
	return value;
}

/* The id that kernels before 6.3 give a CPU; later ones tell which it is in
 * AUX_OUTPUT_HW_ID records.
 */
static uint64_t trace_id(int cpu)
{
	return 0x10u + (unsigned int)cpu * 2;
}

/* 1: the CPU's virtual counter; all ones: the kernel does not say. */
static uint64_t time_source(const struct pmu *pmu, int cpu)
{
	char file[64];
	char text[32];

	snprintf(file, sizeof(file), "cpu%d/ts_source", cpu);
	if (pmu_line(pmu, file, text, sizeof(text)))
		return UINT64_MAX;
	return (uint64_t)strtoll(text, NULL, 10);
}

static void add_unit(const struct pmu *pmu, int cpu, uint64_t config,
		     struct byte_buffer *info)
{
	const struct unit_kind *kind = kind_of(pmu, cpu);

	byte_buffer_u64(info, kind->magic);
	byte_buffer_u64(info, (uint64_t)cpu);
	byte_buffer_u64(info, 2 + kind->file_count + kind->has_time_source);
	byte_buffer_u64(info, control_register(kind, config));
	byte_buffer_u64(info, trace_id(cpu));
	for (size_t i = 0; i < kind->file_count; i++) {
		uint64_t value = 0;

		read_register(pmu, cpu, kind->files[i], &value);
		byte_buffer_u64(info, value);
	}
	if (kind->has_time_source)
		byte_buffer_u64(info, time_source(pmu, cpu));
}

static void coresight_metadata(const struct pmu *pmu,
			       const struct tracer_facts *facts,
			       struct byte_buffer *info)
{
	const uint64_t version = 2;

	byte_buffer_u32(info, PERF_DATA_AUXTRACE_CORESIGHT);
	byte_buffer_u32(info, 0);
	byte_buffer_u64(info, version);
	byte_buffer_u64(info, (uint64_t)pmu->type << 32 | facts->cpu_count);
	byte_buffer_u64(info, facts->snapshot);
	for (size_t i = 0; i < facts->cpu_count; i++)
		add_unit(pmu, facts->cpus[i], facts->config, info);
}

/* The formula is that of perf_event_mmap_page in linux/perf_event.h. */
#ifdef __aarch64__
static uint64_t coresight_now_ns(const struct perf_event_mmap_page *page)
{
	uint64_t ticks;
	uint64_t high;
	uint64_t low;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks));
	if (page->cap_user_time_short)
		ticks = page->time_cycles +
			((ticks - page->time_cycles) & page->time_mask);
	if (!page->cap_user_time_zero)
		return 0;
	high = ticks >> page->time_shift;
	low = ticks & ((UINT64_C(1) << page->time_shift) - 1);
	return page->time_zero + high * page->time_mult +
	       ((low * page->time_mult) >> page->time_shift);
}
#else
static uint64_t coresight_now_ns(const struct perf_event_mmap_page *page)
{
	(void)page;
	return 0;
}
#endif

const struct tracer coresight_tracer = {
	.pmu_name = "cs_etm",
	.title = "Arm CoreSight",
	.cycle_term = "cycacc",
	.is_present = coresight_is_present,
	.configure = coresight_configure,
	.set_sink = coresight_set_sink,
	.filter_ranges = coresight_filter_ranges,
	.metadata = coresight_metadata,
	.now_ns = coresight_now_ns,
};
