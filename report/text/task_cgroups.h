/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TASK_CGROUPS_H
#define KT_REPORT_TASK_CGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct log;
struct recording;

/* The cgroup that each task was in last, by its path in the unified hierarchy
 * (v2): what the recorder read at the begin and at the end, forks, which keep
 * the parent's cgroup, and the moves between (cgroup:cgroup_attach_task).
 * clone3(CLONE_INTO_CGROUP) has no event: such a task counts as its parent's
 * unless it lived to the recording's end.  Read-only once open.
 */
struct task_cgroups;

/* Reads them.  Returns 0 and *@cgroups; -ERROR_NOT_FOUND if the recording does
 * not tell; another negative enum error, said to @log if it is a file's.
 */
int task_cgroups_open(const struct recording *recording, const struct log *log,
		      struct task_cgroups **cgroups);

/* Returns what knows no cgroups, for tests; NULL when out of memory. */
struct task_cgroups *task_cgroups_empty(void);
void task_cgroups_close(struct task_cgroups *cgroups);

/* Puts task @tid into @path.  Returns 0 or -ERROR_MEMORY. */
int task_cgroups_add(struct task_cgroups *cgroups, int32_t tid,
		     const char *path, size_t length);

/* Takes the @size bytes at @text, as collector/records/cgroup_list.h writes
 * them; a line that is none is left out.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int task_cgroups_read(struct task_cgroups *cgroups, const char *text,
		      size_t size);

/* Returns the path, or NULL where it is not known. */
const char *task_cgroups_path(const struct task_cgroups *cgroups, int32_t tid);

/* Appends all paths to @paths (const char *), which borrows them.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int task_cgroups_list(const struct task_cgroups *cgroups, struct array *paths);

#endif
