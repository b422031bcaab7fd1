/* SPDX-License-Identifier: MIT */
#include "collector/trace_unit/tracer.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/formats/perf_data.h"
#include "common/log.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

static bool has_cap(const struct pmu *pmu, const char *name)
{
	uint64_t value;

	return !pmu_number(pmu, name, 16, &value) && value;
}

/* Returns @wished if the bitmap in the file @caps has that encoding, else the
 * next lower one that it has, else the next higher one; -1 if it has none.
 */
static int nearest(const struct pmu *pmu, const char *caps, int wished)
{
	uint64_t bits;
	int encoding = wished;

	if (pmu_number(pmu, caps, 16, &bits) || !(bits & 0xffff))
		return -1;
	while (encoding >= 0 && !(bits >> encoding & 1))
		encoding--;
	if (encoding < 0)
		for (encoding = wished; !(bits >> encoding & 1);)
			encoding++;
	return encoding;
}

/* Like nearest(), for PSBs, but returns 0 instead of a higher encoding or -1:
 * the kernel accepts 0 with any bitmap (pt_event_valid() in
 * arch/x86/events/intel/pt.c).
 */
static unsigned int psb_period(const struct pmu *pmu, int wished)
{
	int period = nearest(pmu, "caps/psb_periods", wished);

	return period < 0 || period > wished ? 0 : (unsigned int)period;
}

static int set(const struct pmu *pmu, const char *term, unsigned int value,
	       const struct log *log, struct perf_event_attr *attr)
{
	int error = pmu_set_term(pmu, term, value, attr);

	if (error)
		log_message(log, LOG_ERROR, pmu->folder, LOG_NO_OFFSET,
			    "the driver cannot set %s=%u", term, value);
	return error;
}

/* Requests all cycle packets, which give nearly every branch a time; MTC
 * packets every 8 periods of the crystal, which relate the cycles to the clock;
 * and a PSB every 16 KiB. Both periods are perf's defaults
 * (tools/perf/arch/x86/util/intel-pt.c).
 */
static int configure_timing(const struct pmu *pmu, const struct log *log,
			    struct perf_event_attr *attr)
{
	int period = nearest(pmu, "caps/mtc_periods", 3);
	int error = set(pmu, "tsc", 1, log, attr);

	/* The kernel refuses MTC with any other period. */
	if (!error && has_cap(pmu, "caps/mtc") && period >= 0) {
		error = set(pmu, "mtc", 1, log, attr);
		if (!error)
			error = set(pmu, "mtc_period", (unsigned int)period,
				    log, attr);
	}
	if (!error && has_cap(pmu, "caps/psb_cyc")) {
		error = set(pmu, "cyc", 1, log, attr);
		if (!error)
			error = set(pmu, "psb_period", psb_period(pmu, 3), log,
				    attr);
	}
	return error;
}

static int intel_pt_configure(const struct pmu *pmu, const struct log *log,
			      struct perf_event_attr *attr)
{
	attr->type = pmu->type;
	attr->config = 0;
	/* Kernels before 4.12 have neither term: branches are always on. */
	if (pmu_term_mask(pmu, "pt"))
		pmu_set_term(pmu, "pt", 1, attr);
	if (pmu_term_mask(pmu, "branch"))
		pmu_set_term(pmu, "branch", 1, attr);
	return configure_timing(pmu, log, attr);
}

/* Requests PSBs as often as possible. The driver clears the byte count that
 * triggers them only at the first start (pt_config() in
 * arch/x86/events/intel/pt.c), so the shortest interval is 2 KiB.
 */
static int intel_pt_set_often(const struct pmu *pmu, const struct log *log,
			      struct perf_event_attr *attr)
{
	if (!has_cap(pmu, "caps/psb_cyc"))
		return 0;
	attr->config &= ~pmu_term_mask(pmu, "psb_period");
	return set(pmu, "psb_period", psb_period(pmu, 0), log, attr);
}

/* Sets whether to trace cycles. Older kernels also show the term on CPUs
 * without cycle packets.
 */
static int intel_pt_set_cycles(const struct pmu *pmu,
			       const struct cycle_choice *choice,
			       const struct log *log,
			       struct perf_event_attr *attr, uint64_t *config3)
{
	uint64_t mask = pmu_term_mask(pmu, "cyc");

	(void)config3;
	if (choice->kind == CYCLES_LEFT_OUT) {
		attr->config &= ~mask;
		return 0;
	}
	if (attr->config & mask && !choice->threshold)
		return 0;
	log_message(log, LOG_ERROR, pmu->folder, LOG_NO_OFFSET,
		    choice->threshold ?
			    "--cycles: Intel PT has no threshold, every count "
			    "is recorded: give --cycles without a value" :
			    "--cycles: this trace unit counts no cycles "
			    "(caps/psb_cyc)");
	return -ERROR_UNSUPPORTED;
}

static unsigned int intel_pt_filter_ranges(const struct pmu *pmu)
{
	uint64_t count;

	if (pmu_number(pmu, "nr_addr_filters", 10, &count))
		return 0;
	return (unsigned int)count;
}

/* Adds the words from MTC_BIT on, which are needed to decode timing packets. */
static void add_timing(const struct pmu *pmu, struct byte_buffer *info)
{
	unsigned int crystal = 0;
	unsigned int tsc = 0;
	uint64_t ratio = 0;
	char text[64];

	if (!pmu_line(pmu, "tsc_art_ratio", text, sizeof(text)) &&
	    sscanf(text, "%u:%u", &tsc, &crystal) != 2)
		tsc = crystal = 0;
	pmu_number(pmu, "max_nonturbo_ratio", 10, &ratio);
	byte_buffer_u64(info, pmu_term_mask(pmu, "mtc"));
	byte_buffer_u64(info, pmu_term_mask(pmu, "mtc_period"));
	byte_buffer_u64(info, tsc);
	byte_buffer_u64(info, crystal);
	byte_buffer_u64(info, pmu_term_mask(pmu, "cyc"));
	byte_buffer_u64(info, ratio);
}

/* Values of perf's have_sched_switch. */
enum switch_records { SWITCHES_OF_TASKS = 2, SWITCHES_OF_CPU = 3 };

static void intel_pt_metadata(const struct pmu *pmu,
			      const struct tracer_facts *facts,
			      struct byte_buffer *info)
{
	const struct perf_event_mmap_page *page = facts->page;
	size_t length = facts->filter ? strlen(facts->filter) : 0;
	size_t padded = length ? length + 8 - length % 8 : 0;

	byte_buffer_u32(info, PERF_DATA_AUXTRACE_INTEL_PT);
	byte_buffer_u32(info, 0);
	byte_buffer_u64(info, pmu->type);
	byte_buffer_u64(info, page->time_shift);
	byte_buffer_u64(info, page->time_mult);
	byte_buffer_u64(info, page->time_zero);
	byte_buffer_u64(info, page->cap_user_time_zero);
	byte_buffer_u64(info, pmu_term_mask(pmu, "tsc"));
	byte_buffer_u64(info, pmu_term_mask(pmu, "noretcomp"));
	byte_buffer_u64(info, facts->switches_of_cpu ? SWITCHES_OF_CPU :
						       SWITCHES_OF_TASKS);
	byte_buffer_u64(info, facts->snapshot);
	byte_buffer_u64(info, true); /* one ring per CPU */
	add_timing(pmu, info);
	byte_buffer_u64(info, length);
	byte_buffer_add(info, facts->filter, length);
	byte_buffer_zeros(info, padded - length);
	byte_buffer_u64(info, has_cap(pmu, "caps/event_trace"));
}

#if defined(__x86_64__) || defined(__i386__)
static uint64_t now_tsc(void)
{
	return __rdtsc();
}

/* Returns the time by the formula in the description of perf_event_mmap_page,
 * linux/perf_event.h; 0 if the kernel does not provide it.
 */
static uint64_t intel_pt_now_ns(const struct perf_event_mmap_page *page)
{
	uint64_t tsc = __rdtsc();
	uint64_t high = tsc >> page->time_shift;
	uint64_t low = tsc & ((1ULL << page->time_shift) - 1);

	if (!page->cap_user_time_zero)
		return 0;
	return page->time_zero + high * page->time_mult +
	       ((low * page->time_mult) >> page->time_shift);
}
#else
static uint64_t now_tsc(void)
{
	return 0;
}

static uint64_t intel_pt_now_ns(const struct perf_event_mmap_page *page)
{
	(void)page;
	return 0;
}
#endif

/* Writes a TSC packet (Intel SDM, volume 3, "Packet Definitions"). Returns its
 * size.
 */
static size_t add_tsc(uint8_t *bytes)
{
	uint64_t tsc = now_tsc();

	bytes[0] = 0x19;
	memcpy(bytes + 1, &tsc, 7);
	return 8;
}

/* Writes a sync point: PSB, TSC, MODE.Exec, PSBEND. Returns its size. */
static size_t add_sync(uint8_t *bytes)
{
	static const uint8_t mode_and_end[] = { 0x99, 0x01, 0x02, 0x23 };
	size_t size = 0;

	for (int i = 0; i < 8; i++) {
		bytes[size++] = 0x02;
		bytes[size++] = 0x82;
	}
	size += add_tsc(bytes + size);
	memcpy(bytes + size, mode_and_end, sizeof(mode_and_end));
	return size + sizeof(mode_and_end);
}

/* Writes an overflow between two TSC packets. Because no FUP follows the
 * overflow, decoders know no position from there on.
 */
static size_t write_blank(uint8_t bytes[TRACER_BLANK_BYTES], bool is_first)
{
	static const uint8_t overflow[] = { 0x02, 0xf3 };
	size_t size = is_first ? add_sync(bytes) : 0;

	size += add_tsc(bytes + size);
	memcpy(bytes + size, overflow, sizeof(overflow));
	size += sizeof(overflow);
	size += add_tsc(bytes + size);
	while (size % 8)
		bytes[size++] = 0;
	return size;
}

const struct tracer intel_pt_tracer = {
	.pmu_name = "intel_pt",
	.title = "Intel Processor Trace",
	.pauses_from = "Linux can pause Intel PT's from 6.13 on, Debian's "
		       "from 6.12",
	.cycle_term = "cyc",
	.configure = intel_pt_configure,
	.counts_cycles = true,
	.wakes_at_once = true,
	.set_cycles = intel_pt_set_cycles,
	.set_often = intel_pt_set_often,
	.filter_ranges = intel_pt_filter_ranges,
	.metadata = intel_pt_metadata,
	.write_blank = write_blank,
	.now_ns = intel_pt_now_ns,
};
