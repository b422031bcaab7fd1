/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_RECORDING_H
#define KT_DECODER_RECORDING_RECORDING_H

#include "common/clocks.h"
#include "common/formats/build_id_cache.h"
#include "decoder/recording/aux_stream.h"
#include "decoder/recording/record_parse_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct log;

/* A recording of any kind as facts, records and the trace's bytes.
 *
 *	perf.data ──────► recording_data.h ┐
 *	debugger's files ► snapshot.h ─────┼─► recording_facts.h ─► this header
 *	trace.dat ──────► trace_dat.h ─────┘          │
 *	                                              ├─► sideband.h: records
 *	                                              └─► struct aux_stream: bytes
 *
 * recording_open.h finds out the kind and runs its reader. perf.data may be a
 * file, a pipe-mode file or a directory, ours or perf's; a trace.dat may also
 * be in a directory of ours.
 *
 * 1. Facts are written only while the recording is opened. recording_set_root()
 *    is the exception. Afterwards threads may share the recording: each
 *    iterator (sideband.h) has its own state.
 * 2. Pointers into a recording are valid until recording_close().
 * 3. A missing fact is NULL, "" or 0, as described at each function.
 *
 * Sources: tools/perf/Documentation/perf.data-file-format.txt of Linux,
 * include/uapi/linux/perf_event.h.
 */
struct recording;

/* Returns the log that was passed to recording_open(). */
const struct log *recording_log(const struct recording *recording);

/* recording_path() returns the path as given, recording_data_path() that of the
 * file with the records.
 */
const char *recording_path(const struct recording *recording);

const char *recording_data_path(const struct recording *recording);

/* Sets *@offset to the position of @bytes, a pointer from the sideband, in the
 * file with the records. Returns false if the file does not contain them
 * because they were compressed.
 */
bool recording_offset(const struct recording *recording, const void *bytes,
		      uint64_t *offset);

/* Return the paths of copies of the traced machine's files, or NULL if missing.
 */
const char *recording_kcore_path(const struct recording *recording);

const char *recording_kallsyms_path(const struct recording *recording);

const char *recording_modules_path(const struct recording *recording);

/* Returns the path of the list of TCP connections open at the recording's
 * start, or NULL.
 */
const char *recording_sockets_path(const struct recording *recording);

/* Return the paths of lists of tasks' cgroups at the recording's start and end,
 * or NULL.
 */
const char *recording_cgroups_path(const struct recording *recording);

const char *recording_cgroups_end_path(const struct recording *recording);

/* Return the paths of lists of the CPUs that threads might use, and of CPUs'
 * idle states, at the recording's start and end, or NULL. Lines: "allowed TID
 * 0-3,8" and "idle CPU NUMBER NAME".
 */
const char *recording_cpus_path(const struct recording *recording);

const char *recording_cpus_end_path(const struct recording *recording);

/* A text in memory, without a terminating NUL; NULL if there is none. */
struct text_part {
	const char *text;
	size_t size_bytes;
};

/* Returns the memory in a snapshot: struct code_region, sorted. */
const struct array *recording_dumps(const struct recording *recording);

/* Returns the text of /proc/kallsyms if trace-cmd's trace.dat contains it and
 * there is no file.
 */
struct text_part recording_kallsyms(const struct recording *recording);

/* The last name of a task, if trace-cmd saved it. */
struct saved_name {
	int32_t tid;
	const char *name;
};

const struct saved_name *
recording_saved_names(const struct recording *recording, size_t *count);

/* Sets the folder with the traced machine's files, for user code, its symbols and
 * the kernel's debug data. Without one this machine's files are used if it has
 * the same architecture as the traced machine; otherwise none are, which is
 * logged. @root must outlive @recording. Must be called before other threads use
 * the recording.
 */
void recording_set_root(struct recording *recording, const char *root);

/* Returns that folder; "" if none was set. */
const char *recording_root(const struct recording *recording);

/* Returns the local path of the file that @map maps: the recording's own copy
 * of the file, the copied vDSO, @map->path itself, or a path in @arena below
 * the folder of recording_set_root(). The file need not exist. Returns "" if
 * this machine's files are not used, or if @map->path leads out of the folder
 * (".."); NULL when out of memory.
 */
struct arena;
struct sideband_mmap;
const char *recording_user_path(const struct recording *recording,
				const struct sideband_mmap *map,
				struct arena *arena);

/* Returns whether the recording contains a copy of the file that @map maps. */
bool recording_contains_program(const struct recording *recording,
				const struct sideband_mmap *map);

/* Returns whether the file at @path (of recording_user_path()) is the one that
 * @map maps: false if their build IDs differ, which is logged once for each
 * file; true if one of them is unknown.
 */
struct sideband_mmap;
bool recording_has_program(const struct recording *recording,
			   const struct sideband_mmap *map, const char *path);

/* Returns the build id of the recorded kernel; an empty one if it is unknown. */
struct elf_build_id recording_kernel_id(const struct recording *recording);

/* The traced machine's architecture. */
enum recording_arch {
	RECORDING_ARCH_UNKNOWN,
	RECORDING_ARCH_X86_64,
	RECORDING_ARCH_ARM64,
	RECORDING_ARCH_ARM,
};

enum recording_arch recording_arch(const struct recording *recording);

/* The origin of the trace: hardware, by its AUXTRACE_INFO record, or else the
 * kernel's function_graph tracer, whose trace is stored next to the records;
 * NONE without either.
 */
enum recording_trace {
	RECORDING_TRACE_NONE,
	RECORDING_TRACE_INTEL_PT,
	RECORDING_TRACE_CORESIGHT,
	RECORDING_TRACE_FUNCTION_GRAPH,
	RECORDING_TRACE_OTHER,
};

enum recording_trace recording_trace(const struct recording *recording);

/* The unit of the recording's times. Without time stamps in the trace, or
 * without their conversion to nanoseconds, times are counts: of cycles if all
 * trace units count them, else of executed instructions. Each stream then has a
 * count of its own, so that times of different streams cannot be compared.
 */
enum recording_time {
	RECORDING_TIME_NANOSECONDS,
	RECORDING_TIME_CYCLES,
	RECORDING_TIME_INSTRUCTIONS,
};

enum recording_time recording_time(const struct recording *recording);

/* The contents of the header; "" or 0 if missing. */
struct recording_info {
	const char *hostname;
	const char *os_release;
	const char *version; /* of the recording program */
	const char *arch;
	const char *cpu_name;
	const char *cpuid;   /* "GenuineIntel,6,78,3" */
	const char *command; /* arguments joined by spaces */
	uint32_t cpus_online;
	/* start of tracing, or else of the sideband; 0 if unknown */
	uint64_t first_time_ns;
	uint64_t last_time_ns;
};

const struct recording_info *recording_info(const struct recording *recording);

size_t recording_event_count(const struct recording *recording);

const struct recording_event *recording_event(const struct recording *recording,
					      size_t index);

/* Returns whether any traced event covers user space. */
bool recording_traces_user(const struct recording *recording);

/* Returns whether the recording may contain addresses of user space: its trace
 * covers user space, or samples contain user registers or user page faults.
 */
bool recording_names_user(const struct recording *recording);

/* Returns whether only chosen calls were traced (--only): execution after the
 * end of a CPU's trace is then still part of the recording.
 */
bool recording_is_gated(const struct recording *recording);

/* Returns whether any traced event covers the kernel. */
bool recording_traces_kernel(const struct recording *recording);

/* Returns the number of CPUs on which the trace unit was to trace; on some of them
 * it may have traced nothing, so that they have no stream.
 */
size_t recording_traced_cpus(const struct recording *recording);

size_t recording_stream_count(const struct recording *recording);

const struct aux_stream *recording_stream(const struct recording *recording,
					  size_t index);

/* Returns whether the file ends before its contents do. */
bool recording_is_cut(const struct recording *recording);

/* Counts over the whole file, for summaries. */
struct recording_counts {
	uint64_t records;
	uint64_t samples;
	uint64_t lost_records;	/* sum of PERF_RECORD_LOST */
	uint64_t aux_truncated; /* AUX records that report lost trace */
	uint64_t unknown;	/* records of unknown types */
	uint64_t by_type[128];
};

const struct recording_counts *
recording_counts(const struct recording *recording);

/* Sets @readings to the recorded readings of @recording's clock and of
 * CLOCK_REALTIME; missing ones are zero.
 */
void recording_clock_read(const struct recording *recording,
			  struct clock_readings *readings);

/* Converts ticks of the CPU's time stamp counter to the recording's clock, by
 * the rule of struct perf_event_mmap_page (time_shift, time_mult, time_zero).
 *
 * Ticks count from origin, which is 0 unless the counter nears the limit of the
 * 56 bits of a TSC packet: time_conversion_set_origin(). zero is the time when
 * the counter's value is origin.
 */
struct time_conversion {
	uint32_t shift;
	uint64_t mult;
	uint64_t zero;
	uint64_t origin; /* a value of the counter, a multiple of 1 << shift */
	bool known;	 /* false: ticks are treated as nanoseconds */
};

/* Sets the origin so that all ticks of a recording, some of which are at
 * @near_ns, are below 1 << 56, whatever the counter's value.
 */
void time_conversion_set_origin(struct time_conversion *conversion,
				uint64_t near_ns);

/* Returns the nanoseconds of @ticks. */
static inline uint64_t
time_conversion_ns(const struct time_conversion *conversion, uint64_t ticks)
{
	if (!conversion->known)
		return ticks;

	uint64_t whole = ticks >> conversion->shift;
	uint64_t part = ticks & (((uint64_t)1 << conversion->shift) - 1);

	return conversion->zero + whole * conversion->mult +
	       (part * conversion->mult >> conversion->shift);
}

/* Returns the conversion of @recording. */
const struct time_conversion *
recording_time_conversion(const struct recording *recording);

/* Returns the first tick at or after @ns; 0 if the origin is later. */
uint64_t time_conversion_ticks(const struct time_conversion *conversion,
			       uint64_t ns);

/* The ticks at which a recording's trace can have been written; last 0: not
 * known, so any.
 */
struct tick_span {
	uint64_t first;
	uint64_t last;
};

/* Returns whether trace can have been written at @ticks. A time packet with
 * other ticks is damaged.
 */
static inline bool tick_span_has(const struct tick_span *span, uint64_t ticks)
{
	return !span->last || (ticks >= span->first && ticks <= span->last);
}

/* Returns the span of @recording's trace: that of the kernel's records, from an
 * hour before the first, because a trace unit's ring may have older trace than
 * the ring of records, to a minute after the last, an hour if the recording is
 * cut. Any ticks if the trace's times are not of the records' clock.
 */
struct tick_span recording_tick_span(const struct recording *recording);

/* An AUXTRACE_INFO record: the kind of trace unit and its settings. The words
 * of priv[] are defined in perf's util/intel-pt.h and util/cs-etm.h.
 */
struct trace_info {
	uint32_t type; /* PERF_DATA_AUXTRACE_*; 0 if there is no record */
	const uint64_t *words;
	size_t word_count;
};

/* Returns word @index, 0 if the recording is too old to have it. */
static inline uint64_t trace_info_word(const struct trace_info *info,
				       size_t index)
{
	return index < info->word_count ? info->words[index] : 0;
}

/* Return the AUXTRACE_INFO of @recording, and its word @index
 * (trace_info_word()).
 */
const struct trace_info *
recording_trace_info(const struct recording *recording);

uint64_t recording_trace_word(const struct recording *recording, size_t index);

/* Maximum number of ranges; trace units have only a few. */
enum { TRACE_FILTER_RANGES = 8 };

/* The kernel code that was to be traced; no ranges mean all of it. */
struct trace_filter {
	uint32_t count;
	struct {
		uint64_t first;
		uint64_t end;
	} ranges[TRACE_FILTER_RANGES];
};

/* Returns the filter that perf stored after AUXTRACE_INFO's words: "filter
 * ADDRESS/SIZE", several separated by commas or spaces. A filter on a file's
 * addresses, or with other actions, counts as none.
 */
struct trace_filter trace_filter_of(const struct recording *recording);

/* Parses @text like trace_filter_of(). */
struct trace_filter trace_filter_read(const char *text);

/* Returns whether the filter excluded @address from the trace. */
bool trace_filter_excludes(const struct trace_filter *filter, uint64_t address);

#endif
