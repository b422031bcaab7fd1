/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_SIDEBAND_H
#define KT_DECODER_RECORDING_SIDEBAND_H

/* Iterators over the records of a recording, parsed and in order of time.
 *
 *	records (record_walk.h) ─► record_parse_internal.h ─► this header
 *
 * 1. Records are in order of time, all CPUs merged; those without a time come
 *    first.
 * 2. Malformed records are skipped.
 * 3. An iterator belongs to one thread. Several may be open. They share one scan
 *    of the recording (struct record_lists), except iterators over samples.
 */

#include "decoder/recording/record_parse_internal.h"

struct aux_stream;
struct recording;

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
struct sideband *sideband_open(const struct recording *recording,
			       unsigned int kinds);

/* Starts again with the records of @recording, like closing @sideband and
 * opening it there with sideband_open(), but keeps its memory.
 */
void sideband_reopen(struct sideband *sideband,
		     const struct recording *recording);

/* Drops samples of unknown events and of events for which @wants returns false.
 * Must be called before the first sideband_next(): most samples are of the
 * attribution's events, and parsing and sorting them is most of the work.
 */
void sideband_choose_samples(struct sideband *sideband,
			     bool (*wants)(const struct recording_event *event));

/* Positions in a recording of its records: context switches by their CPU, and
 * those about tasks, programs and the kernel's code. Built by the scan that
 * opens the recording, and constant afterwards: eight bytes a record.
 */
struct record_lists;

/* Kinds of records in the list of a CPU and in the list about tasks, as
 * SIDEBAND_BIT()s. The list about tasks has the samples of breakpoints, and no
 * others.
 */
#define RECORD_LISTS_OF_CPU \
	(SIDEBAND_BIT(SIDEBAND_SWITCH) | SIDEBAND_BIT(SIDEBAND_EXIT) | \
	 SIDEBAND_BIT(SIDEBAND_LOST) | SIDEBAND_BIT(SIDEBAND_ITRACE_START))

#define RECORD_LISTS_OF_TASKS \
	(SIDEBAND_BIT(SIDEBAND_MMAP) | SIDEBAND_BIT(SIDEBAND_FORK) | \
	 SIDEBAND_BIT(SIDEBAND_COMM) | SIDEBAND_BIT(SIDEBAND_ITRACE_START) | \
	 SIDEBAND_BIT(SIDEBAND_KSYMBOL) | SIDEBAND_BIT(SIDEBAND_TEXT_POKE) | \
	 SIDEBAND_BIT(SIDEBAND_SAMPLE) | SIDEBAND_BIT(SIDEBAND_LOST))

/* Returns NULL when out of memory. */
struct record_lists *record_lists_new(void);

/* Removes all records. */
void record_lists_clear(struct record_lists *lists);

void record_lists_free(struct record_lists *lists);

/* Adds the next record of the file, with its @origin. Returns 0 or
 * -ERROR_MEMORY.
 */
int record_lists_add(struct record_lists *lists, const struct record *record,
		     const struct record_origin *origin);

/* Must be called at each FINISHED_ROUND, and with @at_end after the last
 * record. Returns 0 or -ERROR_MEMORY.
 */
int record_lists_end_round(struct record_lists *lists, bool at_end);

/* Opens an iterator over the records of @cpu only, where @kinds is a subset of
 * RECORD_LISTS_OF_CPU, or over a subset of RECORD_LISTS_OF_TASKS. The
 * file_offset of their records is 0. Return NULL when out of memory.
 */
struct sideband *sideband_open_cpu(const struct recording *recording,
				   unsigned int kinds, int32_t cpu);

struct sideband *sideband_open_tasks(const struct recording *recording,
				     unsigned int kinds);

/* Opens an iterator that contains all records of @kinds about @stream: those of
 * its CPU like sideband_open_cpu(), or if it is a thread's, all records of the
 * recording. Returns NULL when out of memory.
 */
struct sideband *sideband_open_stream(const struct recording *recording,
				      unsigned int kinds,
				      const struct aux_stream *stream);

/* Like sideband_reopen(), for a sideband of sideband_open_stream(): continues
 * with the records of @stream.
 */
void sideband_reopen_stream(struct sideband *sideband,
			    const struct recording *recording,
			    const struct aux_stream *stream);

/* Returns 1 and @record, 0 at the end, -ERROR_MEMORY. */
int sideband_next(struct sideband *sideband, struct sideband_record *record);

void sideband_close(struct sideband *sideband);

enum { DEAD_TASKS_MAX = 8 };

struct dead_task {
	int32_t pid;
	int32_t tid;
	bool waits; /* it was preempted and will run on its CPU once more */
};

/* The tasks of one CPU that exited last. A task that has been reaped has no pid
 * any more (release_task() in kernel/exit.c), and perf reports it as -1: first,
 * in the samples of a task that reaps itself (the last thread of a process);
 * second, when a task that was preempted after its exit runs for the last time.
 * Empty when zeroed.
 */
struct dead_tasks {
	struct dead_task tasks[DEAD_TASKS_MAX];
	size_t count;
	struct dead_task current; /* runs there now, if has_current */
	bool has_current;
	struct dead_task left; /* ran there before, if has_left */
	bool has_left;
};

/* Consumes the CPU's next record, in order; only SIDEBAND_EXIT, SIDEBAND_SWITCH
 * and SIDEBAND_SAMPLE matter. Replaces a task's missing ID in @record if only
 * one dead task can be meant.
 */
void dead_tasks_consume(struct dead_tasks *dead,
			struct sideband_record *record);

#endif
