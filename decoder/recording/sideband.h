/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_SIDEBAND_H
#define KT_DECODER_RECORDING_SIDEBAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aux_stream;
struct recording;
struct recording_event;

/* Records that the kernel and perf wrote in addition to the trace, parsed and
 * in order of time.
 *
 *	records (record_walk.h) ─► record_parse_internal.h ─► sideband_record
 *
 * 1. Records are in order of time, all CPUs merged; those without a time come
 *    first.
 * 2. Malformed records are skipped.
 * 3. An iterator belongs to one thread. Several may be open: those of one CPU
 *    or of tasks share one scan of the recording (struct record_lists).
 *
 * Source: the comments of enum perf_event_type in
 * include/uapi/linux/perf_event.h.
 */

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
	/* else its device, inode and generation: see common/formats/program_key.h; NULL if
	 * not recorded
	 */
	const uint8_t *inode;
	bool kernel; /* a kernel or module mapping */
	bool executable;
	bool writable; /* also if that is unknown */
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

/* A sample; for a tracepoint @raw is its record, see tracepoint_field(). */
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

/* An iterator over the sideband of a recording in order of time, all CPUs
 * merged.
 *
 * Records without a time (perf's synthesized COMM and MMAP) come first. Memory:
 * 32 bytes for each record between two FINISHED_ROUND marks. Malformed records
 * are skipped.
 */
struct sideband;

/* Opens an iterator; any number may be open. @kinds is a set of
 * SIDEBAND_BIT(kind), 0 for all.
 *
 * Borrows @recording. Returns NULL when out of memory.
 */
#define SIDEBAND_BIT(kind) (1u << (kind))

struct sideband *sideband_open(const struct recording *recording,
			       unsigned int kinds);

/* Drops samples of events that @wants does not return true for. Must be called
 * before the first sideband_next(): most samples are of the attribution's events,
 * and parsing and sorting them is most of the work.
 */
void sideband_choose_samples(struct sideband *sideband,
			     bool (*wants)(const struct recording_event *event));

/* Positions in a recording of the records that each CPU's decoder needs:
 * context switches of its CPU, and tasks and programs. One scan of all records
 * builds the lists for all decoders, at eight bytes a record.
 */
struct record_lists;

/* Kinds of records in the list of a CPU and in the list about tasks, as
 * SIDEBAND_BIT()s. Of the samples, the list has those of MREMAP_EVENT.
 */
#define RECORD_LISTS_OF_CPU \
	(SIDEBAND_BIT(SIDEBAND_SWITCH) | SIDEBAND_BIT(SIDEBAND_EXIT) | \
	 SIDEBAND_BIT(SIDEBAND_ITRACE_START))

#define RECORD_LISTS_OF_TASKS \
	(SIDEBAND_BIT(SIDEBAND_MMAP) | SIDEBAND_BIT(SIDEBAND_FORK) | \
	 SIDEBAND_BIT(SIDEBAND_COMM) | SIDEBAND_BIT(SIDEBAND_ITRACE_START) | \
	 SIDEBAND_BIT(SIDEBAND_SAMPLE))

/* Returns NULL when out of memory. */
struct record_lists *record_lists_new(void);

void record_lists_free(struct record_lists *lists);

/* Returns the lists of @recording. */
struct record_lists *recording_record_lists(const struct recording *recording);

/* Opens an iterator over the records of @cpu only, where @kinds is a subset of
 * RECORD_LISTS_OF_CPU, or over a subset of
 * RECORD_LISTS_OF_TASKS. All such iterators share one scan of the recording.
 * Their file_offset is 0.
 */
struct sideband *sideband_open_cpu(const struct recording *recording,
				   unsigned int kinds, int32_t cpu);

struct sideband *sideband_open_tasks(const struct recording *recording,
				     unsigned int kinds);

/* Opens an iterator that contains all records of @kinds which are about
 * @stream: like sideband_open_cpu() if it is a CPU's, else over all records.
 */
struct sideband *sideband_open_stream(const struct recording *recording,
				      unsigned int kinds,
				      const struct aux_stream *stream);

/* Returns 1 and @record, 0 at the end, -ERROR_MEMORY. */
int sideband_next(struct sideband *sideband, struct sideband_record *record);

void sideband_close(struct sideband *sideband);

#endif
