/* SPDX-License-Identifier: MIT */
#include "decoder/recording/record_lists.h"
#include "common/error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct record_lists {
	/* protects the other fields until they are built */
	pthread_mutex_t lock;
	bool is_there;
	int status;
	struct array cpus;  /* struct array, by CPU */
	struct array tasks; /* const uint8_t * */
	struct array none;
};

struct record_lists *record_lists_new(void)
{
	struct record_lists *lists = calloc(1, sizeof(*lists));

	if (!lists)
		return NULL;
	pthread_mutex_init(&lists->lock, NULL);
	lists->cpus = ARRAY_OF(struct array);
	lists->tasks = ARRAY_OF(const uint8_t *);
	lists->none = ARRAY_OF(const uint8_t *);
	return lists;
}

void record_lists_free(struct record_lists *lists)
{
	if (!lists)
		return;
	for (size_t i = 0; i < lists->cpus.count; i++)
		array_free(array_at(&lists->cpus, i));
	array_free(&lists->cpus);
	array_free(&lists->tasks);
	pthread_mutex_destroy(&lists->lock);
	free(lists);
}

static int add_to(struct array *list, const struct sideband_record *record)
{
	const uint8_t **added = array_add(list);

	if (!added)
		return -ERROR_MEMORY;
	*added = record->bytes;
	return 0;
}

static int add_to_cpu(struct record_lists *lists,
		      const struct sideband_record *record)
{
	if (record->cpu < 0)
		return 0;
	while (lists->cpus.count <= (size_t)record->cpu) {
		struct array *cpu = array_add(&lists->cpus);

		if (!cpu)
			return -ERROR_MEMORY;
		*cpu = ARRAY_OF(const uint8_t *);
	}
	return add_to(array_at(&lists->cpus, (size_t)record->cpu), record);
}

static int add(struct record_lists *lists, const struct sideband_record *record)
{
	unsigned int kind = SIDEBAND_BIT(record->kind);
	int status = 0;

	if (kind & RECORD_LISTS_OF_CPU)
		status = add_to_cpu(lists, record);
	if (!status && kind & RECORD_LISTS_OF_TASKS)
		status = add_to(&lists->tasks, record);
	return status;
}

static int find_all(struct record_lists *lists,
		    const struct recording *recording)
{
	struct sideband *sideband = sideband_open(
		recording, RECORD_LISTS_OF_CPU | RECORD_LISTS_OF_TASKS);
	struct sideband_record record;
	int status = -ERROR_MEMORY;

	while (sideband && (status = sideband_next(sideband, &record)) > 0) {
		status = add(lists, &record);
		if (status < 0)
			break;
	}
	sideband_close(sideband);
	return status;
}

static bool are_found(struct record_lists *lists,
		      const struct recording *recording)
{
	int status;

	pthread_mutex_lock(&lists->lock);
	if (!lists->is_there)
		lists->status = find_all(lists, recording);
	lists->is_there = true;
	status = lists->status;
	pthread_mutex_unlock(&lists->lock);
	return status >= 0;
}

const struct array *record_lists_of_cpu(struct record_lists *lists,
					const struct recording *recording,
					int32_t cpu)
{
	if (!are_found(lists, recording))
		return NULL;
	if (cpu < 0 || (size_t)cpu >= lists->cpus.count)
		return &lists->none;
	return array_at(&lists->cpus, (size_t)cpu);
}

const struct array *record_lists_of_tasks(struct record_lists *lists,
					  const struct recording *recording)
{
	return are_found(lists, recording) ? &lists->tasks : NULL;
}
