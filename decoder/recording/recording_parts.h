/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_PARTS_H
#define KT_DECODER_RECORDING_PARTS_H

#include "decoder/recording/data_file.h"
#include "decoder/recording/event_table.h"
#include "decoder/recording/graph_trace.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_files.h"
#include "decoder/recording/stream_list.h"
#include "decoder/recording/time_conversion.h"
#include "decoder/recording/trace_info.h"

struct coresight_streams;
struct program_ids;
struct record_lists;

/* The inside of struct recording, for those who fill it: the readers of each
 * kind of recording, and what goes through its records.
 */
struct recording {
	const struct log *log;
	struct arena *arena;
	struct recording_files files;
	const char *root; /* of the traced machine, or NULL */
	struct program_ids *program_ids;
	struct data_file file;
	struct record_store store;
	struct record_lists *record_lists; /* of the store */
	struct event_table events;
	struct stream_list streams;
	struct array tracepoints; /* struct tracepoint */
	struct recording_info info;
	struct recording_counts counts;
	struct trace_info trace;
	uint64_t trace_begin_ns; /* by PERF_RECORD_ITRACE_START, 0 unknown */
	struct time_conversion conversion;
	struct array coresight_units;		     /* struct coresight_unit */
	struct coresight_streams *coresight_streams; /* or NULL */
	struct array maps;  /* struct file_map: of files beside the data */
	struct array dumps; /* struct code_region: a snapshot's memory */
	struct graph_trace graph;  /* how trace.dat is read; zeroed: none */
	struct text_part kallsyms; /* in it, where there is no file */
	struct array saved_names;  /* struct saved_name: likewise */
};

/* Returns a recording of which only path and log are known, to be closed by
 * recording_close(); NULL when out of memory.
 */
struct recording *recording_new(const char *path, const struct log *log);

#endif
