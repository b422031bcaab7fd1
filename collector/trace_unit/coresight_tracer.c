/* SPDX-License-Identifier: MIT */
#include "collector/trace_unit/tracer.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/formats/perf_data.h"
#include "common/log.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of the registers' files in sysfs, in the order of their words; the
 * first two words have no files.
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

/* Reads the register @name of the trace unit of @cpu, a file of the PMU's
 * folder cpuN.  Returns 0 and *@value, or -ERROR_NOT_FOUND.
 */
static int coresight_register(const struct pmu *pmu, int cpu, const char *name,
			      uint64_t *value)
{
	char file[64];

	snprintf(file, sizeof(file), "cpu%d/%s", cpu, name);
	return pmu_number(pmu, file, 16, value);
}

/* Returns the kind of the unit of @cpu, by TRCDEVARCH: architecture version 5
 * of part 0xa13 is ETE, 4 is ETMv4.
 */
static const struct unit_kind *kind_of(const struct pmu *pmu, int cpu)
{
	uint64_t value;

	if (coresight_register(pmu, cpu, "trcidr/trcidr0", &value))
		return &etmv3;
	if (!coresight_register(pmu, cpu, "mgmt/trcdevarch", &value) &&
	    (value & 0xffff) == 0x5a13)
		return &ete;
	return &etmv4;
}

/* Bits of perf_event_attr.config, named after ETMCR's, and their counterparts
 * in TRCCONFIGR (linux/coresight-pmu.h).
 */
static const struct {
	unsigned int option;
	uint32_t trcconfigr;
} options[] = {
	{ 8, 1u << 3 },		    /* branch broadcast */
	{ 12, 1u << 4 },	    /* cycle counts */
	{ 14, 1u << 6 },	    /* CONTEXTIDR_EL1 */
	{ 15, 1u << 7 | 1u << 15 }, /* CONTEXTIDR_EL2 */
	{ 29, 1u << 12 },	    /* return stack */
};

/* Returns whether timestamps are requested. They are one bit of config, or from
 * Linux 7.0 on four bits with their interval, at another position.
 */
static bool asks_for_time(const struct pmu *pmu, uint64_t config)
{
	return config & pmu_term_mask(pmu, "timestamp");
}

static uint64_t control_register(const struct pmu *pmu,
				 const struct unit_kind *kind, uint64_t config)
{
	const uint32_t time_stamps = 1u << 11;
	uint64_t value = 0;

	if (kind == &etmv3)
		return config;
	if (asks_for_time(pmu, config))
		value |= time_stamps;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (config >> options[i].option & 1)
			value |= options[i].trcconfigr;
	return value;
}

/* Returns the id that kernels before 6.3 assign to a CPU; later ones report it
 * in AUX_OUTPUT_HW_ID records.
 */
static uint64_t trace_id(int cpu)
{
	return 0x10u + (unsigned int)cpu * 2;
}

/* Returns the source of time stamps: 1 is the CPU's virtual counter; all ones:
 * the kernel does not report it.
 */
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
	byte_buffer_u64(info, control_register(pmu, kind, config));
	byte_buffer_u64(info, trace_id(cpu));
	for (size_t i = 0; i < kind->file_count; i++) {
		uint64_t value = 0;

		coresight_register(pmu, cpu, kind->files[i], &value);
		byte_buffer_u64(info, value);
	}
	if (kind->has_time_source)
		byte_buffer_u64(info, time_source(pmu, cpu));
}

/* Appends the trace units' metadata in perf's format: tracer.metadata. See
 * tools/perf/arch/arm/util/cs-etm.c in Linux.
 */
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

/* Not run on Arm hardware yet: written from the kernel's documentation
 * (Documentation/trace/coresight, Documentation/ABI/testing/
 * sysfs-bus-coresight-devices-etm4x) and the content of perf's recordings.
 */

/* Fields of TRCIDR0 that are 0 if a unit lacks the feature. Units before ETMv4
 * have no such register, and their driver ignores unsupported features.
 */
enum {
	TRCIDR0_TRCCCI = 1 << 7, /* cycle counts */
	TRCIDR0_RETSTACK = 1 << 9,
	TRCIDR0_TSSIZE = 0x1f << 24, /* time stamps */
};

/* Sets @number to the next CPU with a unit: the PMU, which exists as soon as
 * its driver is loaded, has a link cpuN for each. Returns whether there is
 * another.
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

/* Returns whether the unit's registers can be read. Those of a CPU that is
 * offline read as 0 (etmv4_cross_read() in coresight-etm4x-sysfs.c), while bit
 * 0 of TRCIDR0 is always 1.
 */
static bool is_readable(const struct pmu *pmu, int cpu)
{
	uint64_t value;

	return coresight_register(pmu, cpu, "trcidr/trcidr0", &value) || value;
}

/* Returns the minimum of the numbers in the file @name over all readable units
 * that have the file; at most @most.
 */
static uint64_t least_of_units(const struct pmu *pmu, const char *name,
			       uint64_t mask, uint64_t most)
{
	DIR *folder = opendir(pmu->folder);
	uint64_t value;
	int cpu;

	while (next_unit(folder, &cpu))
		if (is_readable(pmu, cpu) &&
		    !coresight_register(pmu, cpu, name, &value) &&
		    (value & mask) < most)
			most = value & mask;
	if (folder)
		closedir(folder);
	return most;
}

static bool units_have(const struct pmu *pmu, uint64_t field)
{
	return least_of_units(pmu, "trcidr/trcidr0", field, field);
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

/* Timestamps order the CPUs; the context id identifies the task. Cycle counts
 * are off unless requested, because they fill the sink.
 */
static int coresight_configure(const struct pmu *pmu, const struct log *log,
			       struct perf_event_attr *attr)
{
	int error;

	attr->type = pmu->type;
	attr->config = 0;
	/* With timestamps requested, the driver would trace nothing at all. */
	if (!units_have(pmu, TRCIDR0_TSSIZE)) {
		log_message(log, LOG_WARNING, pmu->folder, LOG_NO_OFFSET,
			    "a trace unit here has no time stamps: the "
			    "recording will have no times");
		return set(pmu, "contextid", log, attr);
	}
	error = set(pmu, "timestamp", log, attr);
	return error ? error : set(pmu, "contextid", log, attr);
}

static int coresight_set_cycles(const struct pmu *pmu,
				const struct cycle_choice *choice,
				const struct log *log,
				struct perf_event_attr *attr, uint64_t *config3)
{
	const char *problem = NULL;

	if (choice->kind == CYCLES_LEFT_OUT)
		return 0;
	if (!units_have(pmu, TRCIDR0_TRCCCI))
		problem = "--cycles: a trace unit here counts no cycles "
			  "(trcidr0)";
	else if (pmu_set_term(pmu, "cycacc", 1, attr))
		problem = "--cycles: the driver of this PMU counts no cycles: "
			  "it has no format/cycacc";
	else if (choice->threshold &&
		 pmu_set_config3_term(pmu, "cc_threshold", choice->threshold,
				      config3))
		problem = "--cycles: the driver of this PMU does not support a "
			  "threshold (format/cc_threshold, from Linux 6.7 on): "
			  "give --cycles without a value";
	if (problem)
		log_message(log, LOG_ERROR, pmu->folder, LOG_NO_OFFSET, "%s",
			    problem);
	return problem ? -ERROR_UNSUPPORTED : 0;
}

static int coresight_set_return_stack(const struct pmu *pmu,
				      const struct log *log,
				      struct perf_event_attr *attr)
{
	if (units_have(pmu, TRCIDR0_RETSTACK) &&
	    !pmu_set_term(pmu, "retstack", 1, attr))
		return 0;
	log_message(log, LOG_ERROR, pmu->folder, LOG_NO_OFFSET,
		    "--return-stack: a trace unit here has none (trcidr0), or "
		    "its driver does not support it (format/retstack)");
	return -ERROR_UNSUPPORTED;
}

/* Sets the sink. The kernel expects its number, a hash of its name, in config2.
 */
static int coresight_set_sink(const struct pmu *pmu, const char *name,
			      const struct log *log,
			      struct perf_event_attr *attr)
{
	uint64_t number = 0;
	char file[128];

	snprintf(file, sizeof(file), "sinks/%s", name);
	if (pmu_number(pmu, file, 16, &number)) {
		log_message(log, LOG_ERROR, pmu->folder, LOG_NO_OFFSET,
			    "no sink '%s': the folder sinks/ there lists the "
			    "available ones",
			    name);
		return -ERROR_NOT_FOUND;
	}
	attr->config2 = (attr->config2 & ~UINT64_C(0xffffffff)) |
			(number & 0xffffffff);
	return 0;
}

/* Returns why the units cannot start paused, or NULL. The driver of older units
 * ignores such a request (coresight-etm3x-core.c).
 */
static const char *coresight_pause_refusal(const struct pmu *pmu)
{
	DIR *folder = opendir(pmu->folder);
	const char *refusal = NULL;
	uint64_t value;
	int cpu;

	while (next_unit(folder, &cpu))
		if (coresight_register(pmu, cpu, "trcidr/trcidr0", &value))
			refusal = "Linux can pause ETMv4 and ETE, but a trace "
				  "unit here is older";
	if (folder)
		closedir(folder);
	return refusal;
}

/* Returns the number of address ranges that all units have: the driver accepts
 * as many as any unit could have.
 */
static unsigned int coresight_filter_ranges(const struct pmu *pmu)
{
	uint64_t count;

	if (pmu_number(pmu, "nr_addr_filters", 10, &count))
		return 0;
	return (unsigned int)least_of_units(pmu, "nr_addr_cmp", UINT64_MAX,
					    count);
}

/* Returns the time by the formula in the description of perf_event_mmap_page,
 * linux/perf_event.h; 0 if the kernel does not provide it.
 */
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

/* The first one is the innermost; the compiler may have inlined it into its
 * callers.
 */
static const char *const patch_functions[] = {
	"__aarch64_insn_write",
	"aarch64_insn_patch_text_nosync",
	NULL,
};

const struct tracer coresight_tracer = {
	.pmu_name = "cs_etm",
	.title = "Arm CoreSight",
	.patch_functions = patch_functions,
	/* Linux commit "coresight: perf: Support AUX trace pause and resume".
	 */
	.pauses_from = "Linux can pause CoreSight's from 6.16 on",
	.cycle_term = "cycacc",
	.counts_on = true,
	.is_present = coresight_is_present,
	.configure = coresight_configure,
	.set_cycles = coresight_set_cycles,
	.set_return_stack = coresight_set_return_stack,
	.set_sink = coresight_set_sink,
	.pause_refusal = coresight_pause_refusal,
	.filter_ranges = coresight_filter_ranges,
	.metadata = coresight_metadata,
	.now_ns = coresight_now_ns,
};
