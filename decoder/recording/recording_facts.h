/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_RECORDING_FACTS_H
#define KT_DECODER_RECORDING_RECORDING_FACTS_H

/* All that is known about a recording: the border between the readers of each
 * kind of recording, which write it, and the functions of recording.h.
 *
 *	recording_data.h, snapshot.h, trace_dat.h
 *	      │ recording_facts_to_fill(), while opening
 *	struct recording_facts ─► accessors of recording.h, for all other code
 *
 * 1. Only a reader writes facts, before recording_open() returns; the exception
 *    is recording_set_root(). From then on threads share them.
 * 2. A missing fact has the value that recording.h describes: no reader needs
 *    to set it.
 */

#include "decoder/recording/aux_stream.h"
#include "decoder/recording/record_parse_internal.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/tracepoint.h"

#include <stdbool.h>

struct arena;
struct coresight_streams;
struct log;
struct generated_code;
struct cached_programs;
struct program_ids;
struct record_lists;
struct recording;

/* The paths of a recording's files; NULL for missing ones. */
struct recording_files {
	const char *path; /* of the recording, as given */
	const char *data; /* perf.data, trace.dat or snapshot.ini */
	bool is_snapshot; /* a directory with a snapshot.ini */
	const char *kcore;
	const char *kcore_end; /* code that differed at the end */
	const char *kallsyms;
	const char *modules;
	const char *cgroups; /* list of tasks' cgroups at the start */
	const char *cgroups_end;
	const char *cpus; /* threads' CPUs and idle states at the start */
	const char *cpus_end;
	const char *sockets;   /* list of TCP connections open at the start */
	const char *clock;     /* readings of the recording's clock */
	const char *vdso;      /* an absolute path */
	const char *types;     /* the kernel's types: see kernel_types.h */
	const char *code;      /* the folder code/ */
	const char *trace_dat; /* function_graph's trace, next to data */
};

/* Finds the other files of @files, whose path is set, and allocates their paths
 * in @arena. Returns 0; -ERROR_NOT_FOUND if the path is a directory without a
 * recording, or -ERROR_SYSTEM if that directory cannot be read, which was
 * logged to @log.
 */
int recording_files_find(struct recording_files *files, struct arena *arena,
			 const struct log *log);

const struct recording_files *
recording_files(const struct recording *recording);

/* Maps the file @name of the directory of @recording until the recording is
 * closed.
 *
 * Returns 0 and sets *@path, and *@map, which is valid until the next call.
 * Returns -ERROR_MEMORY, or another negative enum error after logging its
 * reason to the recording's log.
 */
int recording_map_file(struct recording *recording, const char *name,
		       const char **path, const struct file_map **map);

/* The facts about a recording of any kind. Code outside the readers uses the
 * functions of recording.h.
 */
struct recording_facts {
	const struct log *log;
	struct arena *arena; /* has the names in this structure */
	struct recording_files files;
	const char *root; /* root folder of the traced machine, or NULL */
	struct program_ids *program_ids;
	struct cached_programs *programs;
	struct event_table events;
	struct stream_list streams;
	struct array tracepoints; /* struct tracepoint */
	struct recording_info info;
	struct recording_counts counts;
	bool is_cut; /* a file ends before its contents do */
	struct trace_info trace;
	uint64_t trace_begin_ns; /* by PERF_RECORD_ITRACE_START, 0 unknown */
	struct time_conversion conversion;
	struct tick_span span;	      /* see recording_tick_span() */
	struct array coresight_units; /* struct coresight_unit */
	struct coresight_streams *coresight_streams; /* or NULL */
	struct generated_code *generated;	     /* or NULL */
	struct array maps;  /* struct file_map: of files next to the data */
	struct array dumps; /* struct code_region: a snapshot's memory */
	/* layout of trace.dat's pages; zeroed: none */
	struct graph_trace graph;
	struct text_part kallsyms; /* from trace.dat, if there is no file */
	struct array saved_names;  /* struct saved_name: from trace.dat */
};

/* A recording of any kind. */
struct recording {
	struct recording_facts facts;
	struct data_file file; /* zeroed if there is none */
	struct record_store store;
	struct record_lists *record_lists; /* of the records in the store */
};

/* Returns the record lists of @recording (sideband.h). */
struct record_lists *recording_record_lists(const struct recording *recording);

/* Return the facts of @recording; the second for its reader to fill in. */
const struct recording_facts *
recording_facts(const struct recording *recording);

struct recording_facts *recording_facts_to_fill(struct recording *recording);

#endif
