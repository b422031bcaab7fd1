/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TASK_CGROUPS_H
#define KT_REPORT_TASK_CGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct log;
struct recording;

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

/* Sets the cgroup of task @tid to @path. Returns 0 or -ERROR_MEMORY. */
int task_cgroups_add(struct task_cgroups *cgroups, int32_t tid,
		     const char *path, size_t length);

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

#endif
