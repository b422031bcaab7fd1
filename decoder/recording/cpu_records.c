/* SPDX-License-Identifier: MIT */
#include "decoder/recording/cpu_records.h"
#include "common/budget.h"
#include "common/error.h"
#include "decoder/recording/sideband.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct cpu_records {
	pthread_mutex_t lock; /* of the rest, until it is there */
	bool is_there;
	int status;
	struct array cpus; /* struct array, by CPU */
	struct array none;
};

struct cpu_records *cpu_records_new(void)
{
	struct cpu_records *records = calloc(1, sizeof(*records));

	if (!records)
		return NULL;
	pthread_mutex_init(&records->lock, NULL);
	records->cpus = ARRAY_OF(struct array);
	records->none = ARRAY_OF(const uint8_t *);
	return records;
}

void cpu_records_free(struct cpu_records *records)
{
	if (!records)
		return;
	for (size_t i = 0; i < records->cpus.count; i++)
		array_free(array_at(&records->cpus, i));
	array_free(&records->cpus);
	pthread_mutex_destroy(&records->lock);
	free(records);
}

static int add(struct cpu_records *records,
	       const struct sideband_record *record)
{
	const uint8_t **added;

	if (record->cpu < 0 || record->cpu >= BUDGET_CPUS)
		return 0;
	while (records->cpus.count <= (size_t)record->cpu) {
		struct array *cpu = array_add(&records->cpus);

		if (!cpu)
			return -ERROR_MEMORY;
		*cpu = ARRAY_OF(const uint8_t *);
	}
	added = array_add(array_at(&records->cpus, (size_t)record->cpu));
	if (!added)
		return -ERROR_MEMORY;
	*added = record->bytes;
	return 0;
}

static int find_all(struct cpu_records *records,
		    const struct recording *recording)
{
	struct sideband *sideband =
		sideband_open(recording, CPU_RECORDS_KINDS);
	struct sideband_record record;
	int status = -ERROR_MEMORY;

	while (sideband && (status = sideband_next(sideband, &record)) > 0) {
		status = add(records, &record);
		if (status < 0)
			break;
	}
	sideband_close(sideband);
	return status;
}

const struct array *cpu_records_of(struct cpu_records *records,
				   const struct recording *recording,
				   int32_t cpu)
{
	int status;

	pthread_mutex_lock(&records->lock);
	if (!records->is_there)
		records->status = find_all(records, recording);
	records->is_there = true;
	status = records->status;
	pthread_mutex_unlock(&records->lock);
	if (status < 0)
		return NULL;
	if (cpu < 0 || (size_t)cpu >= records->cpus.count)
		return &records->none;
	return array_at(&records->cpus, (size_t)cpu);
}
