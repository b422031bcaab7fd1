/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_H
#define KT_DECODER_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct log;
struct tracepoint;

/* A perf.data file, pipe-mode file or directory, ours or perf's.  Read-only
 * once open: threads may share it.  The format is described in
 * tools/perf/Documentation/perf.data-file-format.txt of Linux.
 */
struct recording;

/* Closes what recording_open() opened; NULL is none. */
void recording_close(struct recording *recording);

/* The log that it was opened with. */
const struct log *recording_log(const struct recording *recording);

/* The path as given, and that of the file with the records. */
const char *recording_path(const struct recording *recording);
const char *recording_data_path(const struct recording *recording);

/* Sets *@offset to where in the file with the records @bytes are, a pointer of
 * the sideband's.  Returns false if they are not there: they were compressed.
 */
bool recording_offset(const struct recording *recording, const void *bytes,
		      uint64_t *offset);

/* Copies of the traced machine's files, or NULL where there is none. */
const char *recording_kcore_path(const struct recording *recording);
const char *recording_kallsyms_path(const struct recording *recording);
const char *recording_modules_path(const struct recording *recording);

/* The list of TCP connections that were there when it began, or NULL. */
const char *recording_sockets_path(const struct recording *recording);

/* Lists of tasks' cgroups at the recording's begin and end, or NULL. */
const char *recording_cgroups_path(const struct recording *recording);
const char *recording_cgroups_end_path(const struct recording *recording);

/* A text in memory, not ended by a NUL; NULL is none. */
struct text_part {
	const char *text;
	size_t size_bytes;
};

/* The memory that a snapshot holds: struct code_region, sorted. */
const struct array *recording_dumps(const struct recording *recording);

/* The text of /proc/kallsyms where trace-cmd's trace.dat holds it and there is
 * no file.
 */
struct text_part recording_kallsyms(const struct recording *recording);

/* What a task was called last, where trace-cmd saved that. */
struct saved_name {
	int32_t tid;
	const char *name;
};
const struct saved_name *
recording_saved_names(const struct recording *recording, size_t *count);

/* Names the folder that holds the traced machine's files, for user code and
 * its symbols; without one they are this machine's if it has the traced one's
 * architecture, and else are not looked for, which the log is told.  @root must
 * outlive @recording; to be called before other threads share it.
 */
void recording_set_root(struct recording *recording, const char *root);

/* Returns where to look for the traced machine's file @path: @path itself or a
 * copy in @arena; "" if there is no place, or @path would lead out of the
 * folder (".."); NULL when out of memory.
 */
struct arena;
const char *recording_user_path(const struct recording *recording,
				const char *path, struct arena *arena);

/* Returns whether the file at @path, where to look for the one that @map is of, is
 * that one: see program_ids_fit().
 */
struct sideband_mmap;
bool recording_has_program(const struct recording *recording,
			   const struct sideband_mmap *map, const char *path);

/* The traced machine's architecture. */
enum recording_arch {
	RECORDING_ARCH_UNKNOWN,
	RECORDING_ARCH_X86_64,
	RECORDING_ARCH_ARM64,
	RECORDING_ARCH_ARM,
};
enum recording_arch recording_arch(const struct recording *recording);

/* What made the trace: hardware, as an AUXTRACE_INFO record says, or else the
 * kernel's function_graph tracer, whose trace is beside the records; NONE
 * without either.
 */
enum recording_trace {
	RECORDING_TRACE_NONE,
	RECORDING_TRACE_INTEL_PT,
	RECORDING_TRACE_CORESIGHT,
	RECORDING_TRACE_FUNCTION_GRAPH,
	RECORDING_TRACE_OTHER,
};
enum recording_trace recording_trace(const struct recording *recording);

/* This is what a recording's times count.  Without time stamps in the trace,
 * or without what turns them into nanoseconds, each stream counts the cycles
 * that all trace units count, or else the instructions that it ran: times of
 * different streams then say nothing about each other.
 */
enum recording_time {
	RECORDING_TIME_NANOSECONDS,
	RECORDING_TIME_CYCLES,
	RECORDING_TIME_INSTRUCTIONS,
};
enum recording_time recording_time(const struct recording *recording);

/* This is what the header says; "" or 0 where it says nothing. */
struct recording_info {
	const char *hostname;
	const char *os_release;
	const char *version; /* of the recording program */
	const char *arch;
	const char *cpu_name;
	const char *cpuid;   /* "GenuineIntel,6,78,3" */
	const char *command; /* arguments joined by blanks */
	uint32_t cpus_online;
	uint32_t cpus_available;
	uint64_t first_time_ns; /* when tracing began, or of the sideband where
				 * that is not told; 0 if unknown */
	uint64_t last_time_ns;
};
const struct recording_info *recording_info(const struct recording *recording);

/* One perf event that was recorded. */
struct recording_event {
	const char *name; /* "" if not recorded */
	uint32_t type;
	uint64_t config;
	uint64_t config1;
	uint64_t config2;
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	uint64_t user_registers; /* mask: see struct arch */
	uint64_t registers;	 /* likewise, of what was interrupted */
	bool sample_id_all;
	bool exclude_user;
	bool exclude_kernel;
	bool has_switches;		     /* records those of tasks */
	bool is_trace;			     /* feeds the AUX buffers */
	const struct tracepoint *tracepoint; /* NULL if it is not one */
};
size_t recording_event_count(const struct recording *recording);
const struct recording_event *recording_event(const struct recording *recording,
					      size_t index);

/* Returns whether any traced event looks at user space. */
bool recording_traces_user(const struct recording *recording);

/* Returns whether any user address is in it: traced, in registers copied at
 * system calls, or of page faults.
 */
bool recording_names_user(const struct recording *recording);

/* Returns whether the trace ran inside of chosen calls alone (--only): what runs
 * when a CPU's trace is over belongs to the recording all the same.
 */
bool recording_is_gated(const struct recording *recording);

/* Returns whether any looks at the kernel. */
bool recording_traces_kernel(const struct recording *recording);

/* A stretch of a stream's bytes.  @bytes is in memory. */
struct aux_piece {
	uint64_t offset; /* in the stream, as the kernel counts */
	uint64_t size_bytes;
	uint64_t file_offset;
	const uint8_t *bytes;
	/* CoreSight alone: */
	uint32_t unit;	   /* index of the CPU's coresight_unit */
	bool is_formatted; /* in frames, with other sources' bytes */
	uint8_t first_id;  /* in frames: whose bytes it begins with, or 0 */
	bool begins_anew;  /* the trace unit was started before it */
};

/* A place in the stream where bytes are known to be missing. */
struct aux_loss {
	uint64_t offset;  /* the bytes before it came before the loss */
	uint64_t time_ns; /* of the record that tells; 0 if unknown */
	uint64_t flags;	  /* of the AUX record, SIDEBAND_AUX_* */
};

/* This is what a trace unit wrote from start to stop: an AUX record. */
struct aux_span {
	uint64_t offset; /* in the stream, as the kernel counts */
	uint64_t size_bytes;
	uint64_t flags;	  /* SIDEBAND_AUX_* */
	uint64_t time_ns; /* 0 if unknown */
	int32_t cpu;	  /* -1 if unknown */
};

/* The trace of one CPU, or of one thread (then cpu is -1). */
struct aux_stream {
	uint32_t index; /* perf's idx */
	int32_t cpu;
	int32_t pid; /* per thread only, else -1 */
	int32_t tid;
	uint64_t size_bytes;
	const struct aux_piece *pieces; /* in order, not overlapping */
	size_t piece_count;
	const struct aux_loss *losses; /* in order */
	size_t loss_count;
	bool cut;	 /* the file ended inside it */
	uint64_t end_ns; /* CoreSight: when it was over; 0 unknown */
};
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
	uint64_t aux_truncated; /* AUX records with that flag */
	uint64_t unknown;	/* records of types we do not know */
	uint64_t by_type[128];
};
const struct recording_counts *
recording_counts(const struct recording *recording);

#endif
