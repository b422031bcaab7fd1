/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_FILES_H
#define KT_DECODER_RECORDING_FILES_H

#include <stdbool.h>

struct arena;
struct file_map;
struct log;
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
	const char *cgroups; /* tasks' at the start */
	const char *cgroups_end;
	const char *sockets;   /* open at the start */
	const char *clock;     /* readings of its clock */
	const char *vdso;      /* absolute */
	const char *code;      /* the folder code/ */
	const char *trace_dat; /* function_graph's trace, next to data */
};

/* Finds the other files of @files, whose path is set, and allocates their paths
 * in @arena. Returns 0, or -ERROR_NOT_FOUND, which was logged to @log, when the
 * path is a directory without a recording.
 */
int recording_files_find(struct recording_files *files, struct arena *arena,
			 const struct log *log);

const struct recording_files *
recording_files(const struct recording *recording);

/* Maps the file @name of the directory of @recording until the recording is
 * closed.
 *
 * Returns 0, its path and *@map, valid until the next call; -ERROR_MEMORY; or a
 * negative enum error, whose reason was logged to the recording's log.
 */
int recording_map_file(struct recording *recording, const char *name,
		       const char **path, const struct file_map **map);

#endif
