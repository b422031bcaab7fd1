/* SPDX-License-Identifier: MIT */
#include "collector/trace_unit/coresight_metadata.h"
#include "collector/trace_unit/tracer.h"
#include "common/bytes.h"
#include "common/perf_data.h"

#include <stdio.h>
#include <stdlib.h>

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

int coresight_register(const struct pmu *pmu, int cpu, const char *name,
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

/* 1: the CPU's virtual counter; all ones: not reported by the kernel. */
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

void coresight_metadata(const struct pmu *pmu, const struct tracer_facts *facts,
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
