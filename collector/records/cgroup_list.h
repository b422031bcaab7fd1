/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_CGROUP_LIST_H
#define KT_COLLECTOR_CGROUP_LIST_H

struct log;
struct output_folder;

/* Writes the file kcore_dir/@name of @recording: a line "137
 * /system.slice/x.service" for each existing thread, with its cgroup in the
 * unified hierarchy (cgroups(7), /proc/<pid>/cgroup, the line that starts with
 * "0::"). Without such a hierarchy the file is empty.
 *
 * Returns 0, or a negative enum error with the reason in @log.
 */
int cgroup_list_write(const struct output_folder *recording, const char *name,
		      const struct log *log);

#endif
