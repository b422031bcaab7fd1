/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_GENERATED_FILES_H
#define KT_COLLECTOR_GENERATED_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct output_folder;
struct trace_clock;

/* The files in which a process names the code that it generates. They are
 * copied because they belong to the traced process's file system, and a
 * container or a virtual machine may be gone later.
 *
 *	/tmp/perf-PID.map	the process appends lines: address, size, name
 *	jit-PID.dump		jitdump: names, code and times; it is mapped
 *
 * PID is the process's number in its own namespace, and /tmp is its own. As
 * perf does (filename__check_owner in tools/perf/util/symbol.c), a file is read
 * only if it is a regular file of root, of this user, or of the process's user.
 * Links are followed within the root folder of the process.
 */
struct generated_files {
	pid_t pid;   /* in the recording */
	pid_t inner; /* in its own namespace */
	uid_t owner;
	int root; /* its root folder; -1: gone */
	uint64_t map_inode;
	uint64_t map_size;  /* copied already */
	uint64_t looked_ns; /* the last time that the map was read */
	int dump;	    /* jitdump; -1: none */
	bool is_dump_copied;
};

/* Opens the files of process @pid, which must not have ended; must be closed. */
void generated_files_open(struct generated_files *names, pid_t pid);
void generated_files_close(struct generated_files *names);

/* Opens the jitdump @path, from the record of its mapping. Paths that are no
 * jitdump are ignored.
 */
void generated_files_add(struct generated_files *names, const char *path);

/* Appends the lines that the perf map got to the file <pid>.map of @folder, after
 * a line "# SINCE UNTIL": the times, by @clock, of the last look and of this one.
 * If @is_last, also copies the jitdump, to <pid>.dump, and writes <pid>.dump_clock:
 * a time of CLOCK_MONOTONIC, which is the jitdump's, and the same by @clock.
 * *@left, the number of bytes that may still be written, is reduced.
 *
 * Returns 0, or -ERROR_SYSTEM with errno if writing failed.
 */
int generated_files_copy(struct generated_files *names,
			 const struct output_folder *folder,
			 const struct trace_clock *clock, bool is_last,
			 uint64_t *left);

#endif
