/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_RECORD_PARSE_INTERNAL_H
#define KT_DECODER_RECORDING_RECORD_PARSE_INTERNAL_H

#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct data_file;
struct record;
struct recording;
struct tracepoint;

/* Records that the kernel and perf wrote in addition to the trace, parsed.
 *
 *	records (record_walk.h) ─► record_parse() ─► struct sideband_record
 *	                               ▲
 *	            struct event_table ┘
 *
 * Users of an open recording use the iterators of sideband.h. The code that
 * opens a recording calls record_parse() itself, because the table of events is
 * complete only afterwards.
 *
 * 1. Parsing has no state but the table of events, which is constant after
 *    event_table_finish(): threads may share it.
 * 2. Each read of a record is checked against its size. A record that is too
 *    short for its kind is -ERROR_FORMAT, never a guess.
 * 3. Pointers in a struct sideband_record point into the record's bytes, except
 *    those to events, which point into the table of events.
 *
 * Source: the comments of enum perf_event_type in
 * include/uapi/linux/perf_event.h.
 */

/* A perf event of the recording. */
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
	/* mask of the registers of the interrupted code in samples */
	uint64_t registers;
	bool sample_id_all;
	bool has_other_clock; /* than perf's own (perf record -k) */
	bool exclude_user;
	bool exclude_kernel;
	/* records context switches of tasks */
	bool has_switches;
	bool is_trace; /* its trace is in the AUX buffers */
	/* NULL if the event is not a tracepoint */
	const struct tracepoint *tracepoint;
};

/* The kinds of records; the kernel's and perf's other kinds are not parsed. */
enum sideband_kind {
	SIDEBAND_SWITCH,
	SIDEBAND_COMM,
	SIDEBAND_FORK,
	SIDEBAND_EXIT,
	SIDEBAND_MMAP, /* MMAP and MMAP2 */
	SIDEBAND_KSYMBOL,
	SIDEBAND_BPF,
	SIDEBAND_TEXT_POKE,
	SIDEBAND_SAMPLE,
	SIDEBAND_LOST,
	SIDEBAND_AUX,
	SIDEBAND_ITRACE_START,
	SIDEBAND_AUX_HW_ID,
};

/* A kind as an element of a set of kinds. */
#define SIDEBAND_BIT(kind) (1u << (kind))

struct sideband_switch {
	bool out;	   /* the record's own task leaves the CPU */
	bool preempted;	   /* the task was still runnable */
	bool cpu_wide;	   /* other_* are known */
	int32_t other_pid; /* out: the next task; in: the previous one */
	int32_t other_tid;
};

struct sideband_comm {
	const char *name;
	bool exec;
};

struct sideband_fork {
	int32_t parent_pid;
	int32_t parent_tid;
};

struct sideband_mmap {
	uint64_t address;
	uint64_t size_bytes;
	uint64_t file_offset;
	const char *path;
	const uint8_t *build_id; /* NULL if not recorded */
	size_t build_id_size;
	/* else its device, inode and generation: see
	 * common/formats/program_key.h; NULL if not recorded
	 */
	const uint8_t *inode;
	bool kernel; /* a kernel or module mapping */
	bool executable;
	bool writable; /* true also if that is unknown */
};

struct sideband_ksymbol {
	uint64_t address;
	uint32_t size_bytes;
	uint16_t type; /* 1 BPF, 2 out of line (trampolines) */
	bool unregister;
	const char *name;
};

struct sideband_bpf {
	uint16_t type; /* 1 load, 2 unload */
	uint32_t id;
};

struct sideband_text_poke {
	uint64_t address;
	uint16_t old_size;
	uint16_t new_size;
	const uint8_t *old_bytes;
	const uint8_t *new_bytes;
};

/* Registers when a sample was taken. All zero if none were recorded. */
struct sideband_registers {
	uint64_t abi;	       /* PERF_SAMPLE_REGS_ABI_*; 0: none */
	uint64_t mask;	       /* mask of registers: see struct arch */
	const uint8_t *values; /* 8 bytes for each bit of mask */
};

/* Returns whether @registers contains number @number (0 to 63), and sets
 * *@value.
 */
bool sideband_register(const struct sideband_registers *registers,
		       unsigned int number, uint64_t *value);

/* The registers of user space and its stack, for an unwinder. */
struct sideband_user_state {
	struct sideband_registers registers;
	const uint8_t *stack; /* from the stack pointer upwards */
	uint64_t stack_size;
};

/* A sample; for a tracepoint, raw is its record: see tracepoint_field(). */
struct sideband_sample {
	const struct recording_event *event;
	uint64_t ip;
	uint64_t address;
	uint64_t period;
	/* chain_count addresses of 8 bytes in perf's format: innermost first,
	 * with PERF_CONTEXT_* values
	 */
	const uint8_t *chain;
	uint64_t chain_count;
	const uint8_t *raw;
	uint32_t raw_size;
	struct sideband_user_state user;
	struct sideband_registers registers; /* of the interrupted code */
	const uint8_t *trace; /* perf record --aux-sample; or NULL */
	uint64_t trace_size;
};

struct sideband_lost {
	uint64_t records;
};

struct sideband_aux {
	uint64_t offset;
	uint64_t size_bytes;
	uint64_t flags;
};

#define SIDEBAND_AUX_TRUNCATED 1

#define SIDEBAND_AUX_OVERWRITE 2

#define SIDEBAND_AUX_PARTIAL 4

/* Of CoreSight: the CPU ran on while the driver of TRBE (coresight-trbe.c, since
 * Linux 5.16) replaced a full part of the buffer. Intel PT's driver never sets
 * it.
 */
#define SIDEBAND_AUX_COLLISION 8

/* Trace is missing after the bytes of the record. */
#define SIDEBAND_AUX_LOSSES \
	(SIDEBAND_AUX_TRUNCATED | SIDEBAND_AUX_PARTIAL | SIDEBAND_AUX_COLLISION)

#define SIDEBAND_AUX_FORMAT 0xff00 /* PMU specific */

#define SIDEBAND_AUX_FORMAT_CORESIGHT_RAW 0x0100 /* not in frames */

struct sideband_hw_id {
	uint64_t id;
};

/* One record. Unknown pid, tid and cpu are -1; time_ns is 0 when the recording
 * did not store one. For COMM, FORK and EXIT pid and tid are of the task that
 * the record is about. Pointers are into the recording and valid as long as it
 * is open.
 */
struct sideband_record {
	enum sideband_kind kind;
	int32_t cpu;
	int32_t pid;
	int32_t tid;
	uint64_t time_ns;
	uint64_t file_offset;
	const uint8_t *bytes;		     /* the unparsed record */
	const struct recording_event *event; /* its event; NULL if unknown */
	union {
		struct sideband_switch change; /* SIDEBAND_SWITCH */
		struct sideband_comm comm;
		struct sideband_fork fork;
		struct sideband_mmap mmap;
		struct sideband_ksymbol ksymbol;
		struct sideband_bpf bpf;
		struct sideband_text_poke poke;
		struct sideband_sample sample;
		struct sideband_lost lost;
		struct sideband_aux aux;
		struct sideband_hw_id hw_id;
	};
};

/* The events of a recording and the IDs by which records refer to them. */
struct event_table {
	struct array events; /* struct recording_event */
	struct array ids;    /* struct event_id, sorted once complete */
	struct arena *arena; /* borrowed; has the names */
};

struct event_id {
	uint64_t id;
	uint32_t event; /* index in events */
	int32_t cpu;	/* from ID_INDEX, else -1 */
	int32_t tid;
	uint32_t aux_index; /* perf's idx, from ID_INDEX */
	bool has_index;
};

struct event_table event_table_new(struct arena *arena);
void event_table_free(struct event_table *table);

/* Reads the attributes in the file's header. Returns 0 or a negative enum
 * error, which was logged to the file's log.
 */
int event_table_read_header(struct event_table *table,
			    const struct data_file *file);

/* Add the contents of a record: HEADER_ATTR of pipe mode; ID_INDEX, after
 * event_table_finish(); the payload of the EVENT_DESC feature. Return 0 or
 * -ERROR_MEMORY; skip malformed entries.
 */
int event_table_add_attr(struct event_table *table,
			 const struct record *record);
int event_table_add_index(struct event_table *table,
			  const struct record *record);
int event_table_add_names(struct event_table *table, const uint8_t *bytes,
			  size_t size);

/* Must be called once, after the last attribute and before the first look-up.
 */
void event_table_finish(struct event_table *table);

/* Returns the entry of @id, or NULL. */
const struct event_id *event_table_find(const struct event_table *table,
					uint64_t id);

/* Returns the table of @recording. */
const struct event_table *
recording_event_table(const struct recording *recording);

/* Parses a SAMPLE record up to and including the registers of the interrupted
 * code. @sideband->event determines its layout (perf_event_open(2),
 * PERF_RECORD_SAMPLE).
 *
 * Returns 1, 0 if the event is unknown, -ERROR_FORMAT if the record is too
 * short.
 */
int sample_parse(const struct record *record, struct sideband_record *sideband);

/* The fields that most records end with and samples start with: task, time and
 * CPU. Unknown pid, tid and cpu are -1, unknown time is 0.
 */
struct record_origin {
	int32_t pid;
	int32_t tid;
	int32_t cpu;
	uint64_t time_ns;
	uint64_t id;
	const struct recording_event *event; /* NULL if unknown */
	size_t size_bytes; /* size of the fields at the record's end */
};

/* Reads the origin of @record, which may be a sample. Records that perf
 * synthesized have none: all fields are unknown.
 */
void record_parse_origin(const struct event_table *events,
			 const struct record *record,
			 struct record_origin *origin);

/* Parses one kernel record.
 *
 * Returns 1 with @sideband, 0 if its kind is not in enum sideband_kind,
 * -ERROR_FORMAT if it is shorter than its kind needs.
 */
int record_parse(const struct event_table *events, const struct record *record,
		 struct sideband_record *sideband);

#endif
