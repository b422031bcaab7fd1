/* SPDX-License-Identifier: MIT */
#include "collector/target/target.h"
#include "collector/target/cpu_list.h"
#include "common/error.h"
#include "common/log.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

struct target target_new(void)
{
	return (struct target){
		.cpus = ARRAY_OF(int),
		.others = ARRAY_OF(int),
		.threads = ARRAY_OF(pid_t),
	};
}

void target_free(struct target *target)
{
	array_free(&target->cpus);
	array_free(&target->others);
	array_free(&target->threads);
}

static bool holds(const struct array *cpus, int cpu)
{
	const int *items = cpus->items;
	size_t i = 0;

	while (i < cpus->count && items[i] != cpu)
		i++;
	return i < cpus->count;
}

/* Removes the CPUs that are not online from @target->cpus. */
static void drop_offline(struct target *target, const struct array *online,
			 const struct log *log)
{
	int *cpus = target->cpus.items;
	size_t kept = 0;

	for (size_t i = 0; i < target->cpus.count; i++)
		if (holds(online, cpus[i]))
			cpus[kept++] = cpus[i];
		else
			log_message(log, LOG_WARNING, NULL, LOG_NO_OFFSET,
				    "CPU %d is not online: left out", cpus[i]);
	target->cpus.count = kept;
}

static int add_others(struct target *target, const struct array *online)
{
	const int *cpus = online->items;

	for (size_t i = 0; i < online->count; i++) {
		int *other;

		if (holds(&target->cpus, cpus[i]))
			continue;
		other = array_add(&target->others);
		if (!other)
			return -ERROR_MEMORY;
		*other = cpus[i];
	}
	return 0;
}

int target_add_cpus(struct target *target, const char *cpus,
		    const struct log *log)
{
	struct array online = ARRAY_OF(int);
	int error = cpu_list_online(cpus ? &online : &target->cpus);

	if (!error && cpus)
		error = cpu_list_parse(cpus, &target->cpus);
	if (!error && cpus) {
		drop_offline(target, &online, log);
		error = add_others(target, &online);
	}
	array_free(&online);
	if (error == -ERROR_FORMAT)
		log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "'%s' is not a list of CPUs such as 0-3,7", cpus);
	else if (!error && !target->cpus.count) {
		log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "none of the requested CPUs is online");
		error = -ERROR_NOT_FOUND;
	}
	return error;
}

int target_add_thread(struct target *target, pid_t thread)
{
	return array_append(&target->threads, &thread);
}

int target_add_process(struct target *target, pid_t pid, const struct log *log)
{
	char path[64];
	const struct dirent *entry;
	int error = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	if (!tasks) {
		log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "there is no process %d", (int)pid);
		return -ERROR_NOT_FOUND;
	}
	while (!error && (entry = readdir(tasks)))
		if (entry->d_name[0] != '.')
			error = target_add_thread(target, atoi(entry->d_name));
	closedir(tasks);
	return error;
}
