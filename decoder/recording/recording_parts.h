/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_PARTS_H
#define KT_DECODER_RECORDING_PARTS_H

#include "decoder/recording/data_file.h"
#include "decoder/recording/event_table.h"
#include "decoder/recording/graph_trace.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/stream_list.h"
#include "decoder/recording/time_conversion.h"

struct coresight_streams;
struct program_ids;
struct record_lists;

/* The inside of struct recording, for decoder/ alone. */
struct recording {
	const struct log *log;
	struct arena *arena;
	const char *path;
	const char *data_path;
	const char *kcore_path;
	const char *kcore_end_path; /* what differed at the end, or NULL */
	const char *kallsyms_path;
	const char *modules_path;
	const char *cgroups_path;     /* tasks' at the start, or NULL */
	const char *sockets_path;     /* that there were, or NULL */
	const char *cgroups_end_path; /* at the end, or NULL */
	const char *clock_path;	      /* what its clock was, or NULL */
	const char *vdso_path;	      /* absolute; or NULL */
	const char *code_path;	      /* the folder code/, or NULL */
	const char *root;	      /* of the traced machine, or NULL */
	struct program_ids *program_ids;
	struct data_file file;
	struct record_store store;
	struct record_lists *record_lists; /* of the store */
	struct event_table events;
	struct stream_list streams;
	struct array tracepoints; /* struct tracepoint */
	struct recording_info info;
	struct recording_counts counts;
	uint32_t auxtrace_type;	 /* 0 if there is none */
	uint64_t trace_begin_ns; /* by PERF_RECORD_ITRACE_START, 0 unknown */
	const uint64_t *trace_words;
	size_t trace_word_count;
	struct time_conversion conversion;
	struct array coresight_units;		     /* struct coresight_unit */
	struct coresight_streams *coresight_streams; /* or NULL */
	bool is_snapshot;	    /* a directory with a snapshot.ini */
	struct array maps;	    /* struct file_map: a snapshot's files */
	struct array dumps;	    /* struct code_region: its memory */
	const char *trace_dat_path; /* function_graph's trace, or NULL */
	struct graph_trace graph;   /* how it is read; zeroed: none */
	struct text_part kallsyms;  /* in it, where there is no file */
	struct array saved_names;   /* struct saved_name: likewise */
};

/* Returns a recording of which only path and log are known, to be closed by
 * recording_close(); NULL when out of memory.
 */
struct recording *recording_new(const char *path, const struct log *log);

/* Returns word @index of AUXTRACE_INFO's priv[] (enum in perf's util/intel-pt.h,
 * util/cs-etm.h), 0 if the recording is too old to have it.
 */
uint64_t recording_trace_word(const struct recording *recording, size_t index);

#endif
