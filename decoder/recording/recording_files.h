/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_FILES_H
#define KT_DECODER_RECORDING_FILES_H

#include <stdbool.h>

struct arena;
struct file_map;
struct log;
struct recording;

/* Where a recording's files are.  Those that it does not have are NULL. */
struct recording_files {
	const char *path; /* of the recording, as given */
	const char *data; /* perf.data, trace.dat or snapshot.ini */
	bool is_snapshot; /* a directory with a snapshot.ini */
	const char *kcore;
	const char *kcore_end; /* what differed at the end */
	const char *kallsyms;
	const char *modules;
	const char *cgroups; /* tasks' at the start */
	const char *cgroups_end;
	const char *sockets;   /* that there were */
	const char *clock;     /* what its clock was */
	const char *vdso;      /* absolute */
	const char *code;      /* the folder code/ */
	const char *trace_dat; /* function_graph's trace, beside data */
};

/* Finds the others of @files, whose path is known; they are put into @arena.
 * Returns 0, or -ERROR_NOT_FOUND said to @log when the path is a directory that
 * holds no recording.
 */
int recording_files_find(struct recording_files *files, struct arena *arena,
			 const struct log *log);

const struct recording_files *
recording_files(const struct recording *recording);

/* Maps the file @name of the directory that @recording is, for as long as the
 * recording is open.
 *
 * Returns 0, its path and *@map, good until the next is mapped; -ERROR_MEMORY;
 * or a negative enum error with the reason in the recording's log.
 */
int recording_map_file(struct recording *recording, const char *name,
		       const char **path, const struct file_map **map);

#endif
