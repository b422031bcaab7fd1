/* SPDX-License-Identifier: MIT */
#include "decoder/trace_dat/loose_pages.h"
#include "common/budget.h"
#include "common/error.h"
#include "common/file_map.h"
#include "decoder/recording/recording_files.h"
#include "decoder/recording/stream_list.h"
#include "decoder/trace_dat/trace_dat_head.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static bool is_unfinished(const struct trace_dat *dat)
{
	const struct trace_dat_cpu *cpus = dat->cpus.items;

	for (size_t i = 0; i < dat->cpus.count; i++)
		if (cpus[i].size_bytes)
			return false;
	return true;
}

static int add_cpu(const struct trace_dat *dat, struct recording *recording,
		   struct stream_list *list, uint32_t cpu)
{
	const struct file_map *map;
	const char *opened;
	char path[4200];
	char name[32];
	size_t size;
	int error;

	snprintf(name, sizeof(name), "trace.cpu%u", cpu);
	snprintf(path, sizeof(path), "%s/%s", recording_path(recording), name);
	if (access(path, F_OK) < 0)
		return 0;
	error = recording_map_file(recording, name, &opened, &map);
	if (error)
		return error;
	size = map->size - map->size % dat->page_bytes;
	return size ? stream_list_add_buffer(list, cpu, (int32_t)cpu,
					     map->bytes, size, 0) :
		      0;
}

int loose_pages_add(const struct trace_dat *dat, struct recording *recording,
		    struct stream_list *list)
{
	int error = 0;

	if (!is_unfinished(dat))
		return 0;
	for (uint32_t cpu = 0;
	     cpu < dat->cpus.count && cpu < BUDGET_STREAMS && !error; cpu++)
		error = add_cpu(dat, recording, list, cpu);
	return error;
}
