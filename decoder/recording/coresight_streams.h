/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_CORESIGHT_STREAMS_H
#define KT_DECODER_RECORDING_CORESIGHT_STREAMS_H

#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct recording;

/* Size of a frame of the CoreSight trace formatter, in which the bytes of
 * several trace sources are mixed (Arm CoreSight Architecture Specification,
 * "Trace formatter"). In memory frames are adjacent. Sources have 7-bit IDs.
 */
enum { CORESIGHT_FRAME_SIZE = 16, CORESIGHT_ID_COUNT = 128 };

/* The contents of a frame: its bytes in order, each with its source and its
 * position in the frame.
 */
struct coresight_frame {
	uint8_t count;
	uint8_t ids[CORESIGHT_FRAME_SIZE];
	uint8_t places[CORESIGHT_FRAME_SIZE]; /* offsets in the frame */
	uint8_t bytes[CORESIGHT_FRAME_SIZE];
};

/* Parses the whole frame at @from. *@id is the source of its first bytes (0 at
 * the start of a buffer: none), and on return that of the next frame's.
 */
void coresight_frame_read(const uint8_t *from, uint8_t *id,
			  struct coresight_frame *frame);

/* Sets has_bytes[id] for each source that has bytes in the whole frames at
 * @bytes; *@id as for coresight_frame_read().
 */
void coresight_frame_find_ids(const uint8_t *bytes, size_t size, uint8_t *id,
			      bool has_bytes[CORESIGHT_ID_COUNT]);

/* The packet formats of Arm's trace units. */
enum coresight_protocol {
	CORESIGHT_ETMV3,
	CORESIGHT_PTM,
	CORESIGHT_ETMV4,
	CORESIGHT_ETE,
};

/* The field of the trace that identifies the running task. */
enum coresight_task_field {
	CORESIGHT_TASK_NONE,
	CORESIGHT_TASK_CONTEXT, /* CONTEXTIDR_EL1 */
	CORESIGHT_TASK_VMID,	/* CONTEXTIDR_EL2, sent in place of the VMID */
};

/* One CPU's trace unit with its settings during recording. Registers have the
 * names of the Arm ETM and ETE architecture manuals; those that a protocol does
 * not have are 0.
 */
struct coresight_unit {
	enum coresight_protocol protocol;
	int32_t cpu;
	uint32_t trace_id; /* TRCTRACEIDR or ETMTRACEIDR */
	uint32_t sink;	   /* sink in which the trace ID is unique */
	bool has_sink;	   /* false: the trace ID is unique in the system */
	uint32_t config;   /* TRCCONFIGR or ETMCR */
	uint32_t idr0;	   /* TRCIDR0 … */
	uint32_t idr1;
	uint32_t idr2;
	uint32_t idr8;
	uint32_t devarch;  /* TRCDEVARCH, ETE */
	uint32_t idr;	   /* ETMIDR */
	uint32_t ccer;	   /* ETMCCER */
	bool has_cpu_time; /* its time stamps are the CPU's own counter */
};

/* IDs of trace sources; the rest are reserved (Arm CoreSight Architecture
 * Specification, trace formatter).
 */
enum {
	CORESIGHT_FIRST_ID = 0x01,
	CORESIGHT_LAST_ID = 0x6f,
	CORESIGHT_ID_MASK = 0x7f,
};

/* Parses the @count words of AUXTRACE_INFO and appends the units to @units
 * (struct coresight_unit). Returns 0; -ERROR_FORMAT if they are truncated or
 * contain an invalid block of a CPU, with the units before it appended;
 * -ERROR_MEMORY.
 */
int coresight_units_read(const uint64_t *words, size_t count,
			 struct array *units);

/* Returns the units of @recording: struct coresight_unit. */
const struct array *
recording_coresight_units(const struct recording *recording);

/* Returns whether @unit is of an architecture before ETMv4. */
bool coresight_unit_is_old(const struct coresight_unit *unit);

/* Return whether the unit was configured to put time stamps, cycle counts etc.
 * into its trace.
 */
bool coresight_unit_has_time(const struct coresight_unit *unit);

bool coresight_unit_counts_cycles(const struct coresight_unit *unit);

enum coresight_task_field
coresight_unit_task_field(const struct coresight_unit *unit);

/* A recording's CoreSight trace by CPU.
 *
 * A sink shared by several CPUs (ETR, ETF) mixes their bytes in frames, and the
 * CPU that reads the sink has them in its buffer; a sink of one CPU (TRBE)
 * writes them without frames. Both become one stream for each CPU. Its slices
 * are in order of time; a slice is what the CPU's trace unit wrote from a start
 * to the next stop. Slices of a shared sink still consist of frames, from which
 * the decoder extracts the bytes of the CPU. If the recording follows a thread
 * instead, the slices of its stream are from the CPUs that it ran on.
 */
struct coresight_streams;

/* For a recording by perf or ours: reads the trace units of @recording, if it
 * has CoreSight trace, from its AUXTRACE_INFO and AUX_OUTPUT_HW_ID records, and
 * splits its streams. Malformed
 * data is logged. Returns 0 or -ERROR_MEMORY.
 */
int coresight_streams_make(struct recording *recording);

/* For a recording whose reader has set its trace units, such as a snapshot:
 * replaces the buffers in the stream list of @recording by a stream for each CPU
 * or thread. Logs trace that is of no
 * unit. Returns 0 or -ERROR_MEMORY.
 */
int coresight_streams_split(struct recording *recording);

/* Frees the memory of the streams of a recording. */
void coresight_streams_free(struct coresight_streams *streams);

#endif
