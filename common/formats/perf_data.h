/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FORMATS_PERF_DATA_H
#define KT_COMMON_FORMATS_PERF_DATA_H

#include <linux/perf_event.h>
#include <stdint.h>

/* Numbers of the perf.data format that are not in <linux/perf_event.h>: the
 * header, the records that perf itself writes, features, and the words of
 * AUXTRACE_INFO. The recorder writes files with them and the decoder reads
 * them; they never change, as perf's files stay readable.
 *
 * Sources: tools/perf/Documentation/perf.data-file-format.txt and
 * tools/lib/perf/include/perf/event.h of Linux 6.12.
 */

/* The first eight bytes of the file. */
#define PERF_DATA_MAGIC "PERFILE2"

enum perf_data_sizes {
	PERF_DATA_HEADER_SIZE = 104,
	PERF_DATA_PIPE_HEADER_SIZE = 16,
	PERF_DATA_RECORD_HEADER_SIZE = 8,
	PERF_DATA_FEATURE_BITS = 256,
	/* misc of an entry of PERF_DATA_FEATURE_BUILD_ID: it has its id's size
	 */
	PERF_RECORD_MISC_BUILD_ID_SIZE = 1 << 15,
};

/* Records that perf itself writes. */
enum perf_data_record {
	PERF_DATA_ATTR = 64,
	PERF_DATA_EVENT_TYPE = 65,
	PERF_DATA_TRACING_DATA = 66,
	PERF_DATA_BUILD_ID = 67,
	PERF_DATA_FINISHED_ROUND = 68,
	PERF_DATA_ID_INDEX = 69,
	PERF_DATA_AUXTRACE_INFO = 70,
	PERF_DATA_AUXTRACE = 71,
	PERF_DATA_AUXTRACE_ERROR = 72,
	PERF_DATA_THREAD_MAP = 73,
	PERF_DATA_CPU_MAP = 74,
	PERF_DATA_STAT_CONFIG = 75,
	PERF_DATA_STAT = 76,
	PERF_DATA_STAT_ROUND = 77,
	PERF_DATA_EVENT_UPDATE = 78,
	PERF_DATA_TIME_CONV = 79,
	PERF_DATA_FEATURE = 80,
	PERF_DATA_COMPRESSED = 81,
	PERF_DATA_FINISHED_INIT = 82,
	PERF_DATA_COMPRESSED2 = 83,
	PERF_DATA_BPF_METADATA = 84,
	PERF_DATA_RECORD_END,
};

/* The AUXTRACE record, which precedes trace: struct perf_record_auxtrace of
 * tools/lib/perf/include/perf/event.h.
 */
struct trace_record {
	struct perf_event_header header;
	uint64_t size;	 /* of the trace, a multiple of 8 */
	uint64_t offset; /* position of its first byte, counted like aux_head */
	uint64_t reference;
	uint32_t index; /* of the ring */
	uint32_t thread;
	uint32_t cpu;
	uint32_t reserved;
};

/* Bits of the header's feature bitmap; their sections follow the data. */
enum perf_data_feature {
	PERF_DATA_FEATURE_TRACING_DATA = 1,
	PERF_DATA_FEATURE_BUILD_ID = 2,
	PERF_DATA_FEATURE_HOSTNAME = 3,
	PERF_DATA_FEATURE_OSRELEASE = 4,
	PERF_DATA_FEATURE_VERSION = 5,
	PERF_DATA_FEATURE_ARCH = 6,
	PERF_DATA_FEATURE_NRCPUS = 7,
	PERF_DATA_FEATURE_CPUDESC = 8,
	PERF_DATA_FEATURE_CPUID = 9,
	PERF_DATA_FEATURE_CMDLINE = 11,
	PERF_DATA_FEATURE_EVENT_DESC = 12,
	PERF_DATA_FEATURE_AUXTRACE = 18,
	PERF_DATA_FEATURE_SAMPLE_TIME = 21,
	PERF_DATA_FEATURE_COMPRESSED = 27,
};

/* The type in AUXTRACE_INFO: which trace unit's words follow. */
enum perf_data_auxtrace_type {
	PERF_DATA_AUXTRACE_INTEL_PT = 1,
	PERF_DATA_AUXTRACE_CORESIGHT = 3,
};

/* The words of AUXTRACE_INFO for CoreSight: tools/perf/util/cs-etm.h of Linux.
 * A header of version, PMU type and CPU count, snapshot flag; then a block per
 * CPU: magic number, CPU, count of parameters (not in version 0), parameters.
 */
enum coresight_word {
	CORESIGHT_HEADER_VERSION,
	CORESIGHT_HEADER_PMU_CPUS, /* PMU type << 32 | count of CPUs */
	CORESIGHT_HEADER_SNAPSHOT,
	CORESIGHT_HEADER_WORDS,
};
#define CORESIGHT_MAGIC_ETMV3 UINT64_C(0x3030303030303030)
#define CORESIGHT_MAGIC_ETMV4 UINT64_C(0x4040404040404040)
#define CORESIGHT_MAGIC_ETE UINT64_C(0x5050505050505050)

/* The words of AUXTRACE_INFO for Intel PT. */
enum perf_data_intel_pt_word {
	INTEL_PT_PMU_TYPE,
	INTEL_PT_TIME_SHIFT,
	INTEL_PT_TIME_MULT,
	INTEL_PT_TIME_ZERO,
	INTEL_PT_CAP_USER_TIME_ZERO,
	INTEL_PT_TSC_BIT,
	INTEL_PT_NORETCOMP_BIT,
	INTEL_PT_HAVE_SCHED_SWITCH,
	INTEL_PT_SNAPSHOT_MODE,
	INTEL_PT_PER_CPU_MMAPS,
	INTEL_PT_MTC_BIT,
	INTEL_PT_MTC_FREQ_BITS,
	INTEL_PT_TSC_CTC_N,
	INTEL_PT_TSC_CTC_D,
	INTEL_PT_CYC_BIT,
	INTEL_PT_MAX_NONTURBO_RATIO,
	INTEL_PT_FILTER_STR_LEN,
};

#endif
