/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TEXT_TASK_NAMES_H
#define KT_REPORT_TEXT_TASK_NAMES_H

/* Tasks as the recording knows them: their names over time, processes and
 * parents (struct task_names), their cgroups (struct task_cgroups), and their
 * label in reports, "ls-137".
 *
 * Sources: the records of names and forks (PERF_RECORD_COMM, PERF_RECORD_FORK),
 * the names that a trace.dat saved, and for cgroups the recorder's lists and
 * the events of moves.
 *
 * Invariants:
 * 1. Both are complete and read-only once open, so threads may share them.
 * 2. A task has its first known name from the start of the recording, and a
 *    child its parent's name until it has its own. A task always has a name:
 *    "swapper" is the idle task, "?" an unknown one.
 * 3. Without times in nanoseconds, each task has its last name throughout.
 * 4. Names may hold any bytes; labels are written by the rules of name_text.h.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct array;
struct log;
struct name_choice;
struct recording;

/* The names, processes and parents of a recording's tasks over time. Read-only
 * once open.
 */
struct task_names;

/* Reads the COMM and FORK records of @recording, which must outlive the object.
 *
 * Returns 0 and *@names, or -ERROR_MEMORY.
 */
int task_names_open(const struct recording *recording,
		    struct task_names **names);

/* Returns an object without names, for tests; NULL when out of memory. */
struct task_names *task_names_empty(void);

/* Names task @tid @comm from the start on, in an object from
 * task_names_empty(). Tids must be added in rising order. Returns 0 or
 * -ERROR_MEMORY.
 */
int task_names_add(struct task_names *names, int32_t tid, const char *comm);
void task_names_close(struct task_names *names);

/* Returns the name of task @tid at @time_ns, never NULL: "swapper" for the idle
 * task, "?" if unknown.
 */
const char *task_names_comm(const struct task_names *names, int32_t tid,
			    uint64_t time_ns);

/* A time during which a task has one name. */
struct task_name_time {
	uint64_t since_ns;
	uint64_t until_ns; /* exclusive; UINT64_MAX: for ever */
};

/* Returns the interval around @time_ns in which task_names_comm() returns the
 * same name for @tid.
 */
struct task_name_time task_names_time(const struct task_names *names,
				      int32_t tid, uint64_t time_ns);

/* Returns the last name of task @tid. */
const char *task_names_last(const struct task_names *names, int32_t tid);

/* Returns whether task @tid had one of the names @comms at any time. */
bool task_names_ever(const struct task_names *names, int32_t tid,
		     const struct name_choice *comms);

/* Returns the parent of process @pid, or -1 if unknown. */
int32_t task_names_parent(const struct task_names *names, int32_t pid);

/* Sets *@tid and *@pid to the task of the name at @index in the list of all
 * names, and to its process. Returns false, and sets nothing, after the last
 * name. A task may have several names, which follow each other.
 */
bool task_names_at(const struct task_names *names, size_t index, int32_t *tid,
		   int32_t *pid);

/* Returns the process of task @tid, or -1 if unknown. */
int32_t task_names_process(const struct task_names *names, int32_t tid);

/* Returns whether process @pid is a kernel thread: kthreadd, which is process
 * 2, or a child of it (kernel/kthread.c).
 */
bool task_names_is_of_kernel(const struct task_names *names, int32_t pid);

/* Appends each task's last name to @comms (const char *). The names stay owned
 * by @names.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int task_names_list(const struct task_names *names, struct array *comms);

/* The last cgroup of each task, as its path in the unified hierarchy (v2).
 * Sources: the recorder's lists from the start and the end, forks (a child
 * inherits its parent's cgroup), and moves (cgroup:cgroup_attach_task).
 * clone3(CLONE_INTO_CGROUP) has no event: such a task counts as in its parent's
 * cgroup unless it lived until the end of the recording. Read-only once open.
 */
struct task_cgroups;

/* Reads the cgroups. Returns 0 and *@cgroups; -ERROR_NOT_FOUND if the recording
 * has no cgroups; or another negative enum error, logged to @log if it concerns
 * a file.
 */
int task_cgroups_open(const struct recording *recording, const struct log *log,
		      struct task_cgroups **cgroups);

/* Returns an object without cgroups, for tests; NULL when out of memory. */
struct task_cgroups *task_cgroups_empty(void);
void task_cgroups_close(struct task_cgroups *cgroups);

/* Parses the @size bytes at @text, in the format of
 * collector/records/start_records.h. Skips malformed lines.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int task_cgroups_read(struct task_cgroups *cgroups, const char *text,
		      size_t size);

/* Returns the path, or NULL if it is unknown. */
const char *task_cgroups_path(const struct task_cgroups *cgroups, int32_t tid);

/* Appends all paths to @paths (const char *). The paths stay owned by @cgroups.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int task_cgroups_list(const struct task_cgroups *cgroups, struct array *paths);

/* The name of a task in reports. */
struct task_label {
	char text[32];
};

/* Returns for example "ls-137"; "?" for an unknown task (-1). */
struct task_label task_label_of(const struct task_names *names, int32_t tid,
				uint64_t time_ns);

/* Like task_label_of(), with the task's last name. */
struct task_label task_label_last(const struct task_names *names, int32_t tid);

/* Write these labels as text for people (NAME_TEXT). */
void task_label_write(const struct task_names *names, int32_t tid,
		      uint64_t time_ns, FILE *out);
void task_label_write_last(const struct task_names *names, int32_t tid,
			   FILE *out);

#endif
