/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_RECORDING_FIXTURE_H
#define KT_TESTS_RECORDING_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A small recording written by hand into a temporary folder: one Intel PT
 * event, ids 1 (trace) and 2 (sideband), sample_type IP|TID|TIME|CPU|
 * IDENTIFIER, TSC ticks that are nanoseconds, CPU 0.
 */
struct recording_fixture {
	char path[64];	/* the folder */
	uint8_t *bytes; /* of the file to be */
	size_t size;
	size_t room;
	size_t data_start;
	uint32_t cpu;	   /* of the records to come, at first 0 */
	const char *arch;  /* as uname -m has it; NULL: not said */
	const char *cpuid; /* as perf has it; NULL: not said */
};

/* Which task a record is of, and when. */
struct fixture_origin {
	int32_t pid;
	int32_t tid;
	uint64_t time_ns;
};

void recording_fixture_begin(struct recording_fixture *fixture);

/* The same with an address filter, as perf writes it; at most 63 bytes. */
void recording_fixture_begin_filtered(struct recording_fixture *fixture,
				      const char *filter);

/* The same with CoreSight trace: an ETMv4 of CPU 0 with time stamps that are
 * nanoseconds and cycle counts, in a sink of its own (flags of the AUX records:
 * SIDEBAND_AUX_FORMAT_CORESIGHT_RAW).
 */
void recording_fixture_begin_coresight(struct recording_fixture *fixture);

/* The same with another unit: the @count words that AUXTRACE_INFO has of it. */
void recording_fixture_begin_unit(struct recording_fixture *fixture,
				  const uint64_t *unit, size_t count);

/* The trace event's perf_event_attr.config; of Intel PT it is IA32_RTIT_CTL. */
void recording_fixture_config(struct recording_fixture *fixture,
			      uint64_t config);

/* A record of @type; @origin NULL: one of perf's own, without an origin. */
void recording_fixture_record(struct recording_fixture *fixture, uint32_t type,
			      uint16_t misc, const void *body, size_t size,
			      const struct fixture_origin *origin);

/* From before the recording on, process @pid has @size bytes of the file @path,
 * from @offset on, at @address, and may run them.
 */
void recording_fixture_map(struct recording_fixture *fixture, int32_t pid,
			   const char *path, uint64_t address, uint64_t size,
			   uint64_t offset);

/* The same with all of the file "/@name", made of @bytes: the folder is the
 * traced machine's root.
 */
void recording_fixture_program(struct recording_fixture *fixture, int32_t pid,
			       const char *name, uint64_t address,
			       const void *bytes, size_t size);

/* AUXTRACE with @size bytes at @offset of CPU 0's stream. */
void recording_fixture_trace(struct recording_fixture *fixture, uint64_t offset,
			     const uint8_t *bytes, size_t size);

/* A kcore with @size bytes of code at @address. */
void recording_fixture_code(const struct recording_fixture *fixture,
			    uint64_t address, const uint8_t *bytes,
			    size_t size);

/* Adds a second copy to that kcore. */
void recording_fixture_more_code(const struct recording_fixture *fixture,
				 uint64_t address, const uint8_t *bytes,
				 size_t size);

/* Writes what of that code was different at the end. */
void recording_fixture_code_at_end(const struct recording_fixture *fixture,
				   uint64_t address, const uint8_t *bytes,
				   size_t size);

/* Writes the file "data", which says @fixture->arch and @fixture->cpuid. */
void recording_fixture_write(struct recording_fixture *fixture);

/* Removes the folder. */
void recording_fixture_end(struct recording_fixture *fixture);

#endif
