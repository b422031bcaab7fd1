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
	uint8_t *bytes; /* of the file under construction */
	size_t size;
	size_t room;
	size_t data_start;
	uint32_t cpu; /* CPU of the next records, initially 0 */
	uint64_t id;  /* of their event, initially 2 */
	/* the recording program's, ours is ktrace-hw; NULL: omitted */
	const char *version;
	const char *arch;  /* as in uname -m; NULL: omitted */
	const char *cpuid; /* in perf's format; NULL: omitted */
};

/* The task and time of a record. */
struct fixture_origin {
	int32_t pid;
	int32_t tid;
	uint64_t time_ns;
};

void recording_fixture_begin(struct recording_fixture *fixture);

/* Like recording_fixture_begin(), but with an address filter in perf's syntax;
 * at most 63 bytes.
 */
void recording_fixture_begin_filtered(struct recording_fixture *fixture,
				      const char *filter);

/* Like recording_fixture_begin(), but with CoreSight trace: an ETMv4 of CPU 0
 * with timestamps in nanoseconds and cycle counts, in a sink of its own (flags
 * of the AUX records: SIDEBAND_AUX_FORMAT_CORESIGHT_RAW).
 */
void recording_fixture_begin_coresight(struct recording_fixture *fixture);

/* Like recording_fixture_begin_coresight(), but with another unit: @unit has
 * its @count words of AUXTRACE_INFO.
 */
void recording_fixture_begin_unit(struct recording_fixture *fixture,
				  const uint64_t *unit, size_t count);

/* Sets the trace event's perf_event_attr.config; for Intel PT it is
 * IA32_RTIT_CTL.
 */
void recording_fixture_config(struct recording_fixture *fixture,
			      uint64_t config);

/* The trace event's records have the time of another clock than perf's own. */
void recording_fixture_clock(struct recording_fixture *fixture);

/* Appends a record of @type; @origin NULL: one of perf's own records, without
 * an origin.
 */
void recording_fixture_record(struct recording_fixture *fixture, uint32_t type,
			      uint16_t misc, const void *body, size_t size,
			      const struct fixture_origin *origin);

/* Maps @size bytes of the file @path, from @offset on, executable at @address
 * of process @pid, from before the start of the recording.
 */
void recording_fixture_map(struct recording_fixture *fixture, int32_t pid,
			   const char *path, uint64_t address, uint64_t size,
			   uint64_t offset);

/* Like recording_fixture_map(), but maps it at @time_ns. */
void recording_fixture_map_at(struct recording_fixture *fixture, int32_t pid,
			      uint64_t time_ns, const char *path,
			      uint64_t address, uint64_t size, uint64_t offset);

/* Process @pid executes a program called "program". */
void recording_fixture_exec(struct recording_fixture *fixture, int32_t pid,
			    uint64_t time_ns);

/* Process @parent creates process @pid. */
void recording_fixture_fork(struct recording_fixture *fixture, int32_t parent,
			    uint64_t time_ns, int32_t pid);

/* Like recording_fixture_map(), but maps the whole file "/@name" and writes
 * @bytes to it: the folder is the traced machine's root.
 */
void recording_fixture_program(struct recording_fixture *fixture, int32_t pid,
			       const char *name, uint64_t address,
			       const void *bytes, size_t size);

/* Appends an AUXTRACE record with @size bytes at @offset of the stream of
 * @fixture->cpu.
 */
void recording_fixture_trace(struct recording_fixture *fixture, uint64_t offset,
			     const uint8_t *bytes, size_t size);

/* Writes a kcore with @size bytes of code at @address. */
void recording_fixture_code(const struct recording_fixture *fixture,
			    uint64_t address, const uint8_t *bytes,
			    size_t size);

/* Adds a second segment to that kcore. */
void recording_fixture_more_code(const struct recording_fixture *fixture,
				 uint64_t address, const uint8_t *bytes,
				 size_t size);

/* Writes the code that differed from that kcore at the end of the recording. */
void recording_fixture_code_at_end(const struct recording_fixture *fixture,
				   uint64_t address, const uint8_t *bytes,
				   size_t size);

/* Writes the file "data", with @fixture->version, arch and cpuid. */
void recording_fixture_write(struct recording_fixture *fixture);

/* Removes the folder. */
void recording_fixture_end(struct recording_fixture *fixture);

#endif
