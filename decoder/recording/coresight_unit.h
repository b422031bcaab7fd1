/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_UNIT_H
#define KT_DECODER_CORESIGHT_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct recording;

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

/* Distinguishes ETMv3 and PTM by ETMIDR. */
enum coresight_protocol coresight_old_protocol(uint32_t idr);

/* Returns whether @unit is of an architecture before ETMv4. */
bool coresight_unit_is_old(const struct coresight_unit *unit);

/* Return whether the unit was configured to put time stamps, cycle counts etc.
 * into its trace.
 */
bool coresight_unit_has_time(const struct coresight_unit *unit);
bool coresight_unit_counts_cycles(const struct coresight_unit *unit);
enum coresight_task_field
coresight_unit_task_field(const struct coresight_unit *unit);

#endif
