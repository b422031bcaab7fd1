/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_FACTS_H
#define KT_DECODER_RECORDING_FACTS_H

#include "decoder/recording/event_table.h"
#include "decoder/recording/graph_trace.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_files.h"
#include "decoder/recording/stream_list.h"
#include "decoder/recording/time_conversion.h"
#include "decoder/recording/trace_info.h"

struct coresight_streams;
struct kept_programs;
struct program_ids;

/* The facts known about a recording of any kind. Each kind has a reader
 * (recording_data.h, snapshot.h, trace_dat.h), which fills in the contents of
 * its files while the recording is opened; after that nothing writes here.
 * Other code uses the functions of recording.h.
 */
struct recording_facts {
	const struct log *log;
	struct arena *arena; /* of the names in this structure */
	struct recording_files files;
	const char *root; /* root folder of the traced machine, or NULL */
	struct program_ids *program_ids;
	struct kept_programs *programs;
	struct event_table events;
	struct stream_list streams;
	struct array tracepoints; /* struct tracepoint */
	struct recording_info info;
	struct recording_counts counts;
	bool is_cut; /* a file ends before its contents do */
	struct trace_info trace;
	uint64_t trace_begin_ns; /* by PERF_RECORD_ITRACE_START, 0 unknown */
	struct time_conversion conversion;
	struct array coresight_units;		     /* struct coresight_unit */
	struct coresight_streams *coresight_streams; /* or NULL */
	struct array maps;  /* struct file_map: of files next to the data */
	struct array dumps; /* struct code_region: a snapshot's memory */
	/* layout of trace.dat's pages; zeroed: none */
	struct graph_trace graph;
	struct text_part kallsyms; /* from trace.dat, if there is no file */
	struct array saved_names;  /* struct saved_name: from trace.dat */
};

/* Returns a new recording with only path and log set, to be filled in by a
 * reader and closed by recording_close(); NULL when out of memory.
 */
struct recording *recording_new(const char *path, const struct log *log);

/* Return the facts of @recording; the second for its reader to fill in. */
const struct recording_facts *
recording_facts(const struct recording *recording);
struct recording_facts *recording_facts_to_fill(struct recording *recording);

#endif
