/* SPDX-License-Identifier: MIT */
#include "view/make/cell_sums.h"

#include "common/error.h"
#include "view/data/call_sums.h"

void cell_sums_init(struct cell_sums *cell)
{
	cell->cpus = ARRAY_OF(struct cpu_sums);
	cell->done = ARRAY_OF(struct call_cell_sums);
}

void cell_sums_free(struct cell_sums *cell)
{
	for (size_t i = 0; i < cell->cpus.count; i++) {
		struct cpu_sums *cpu = array_at(&cell->cpus, i);

		array_free(&cpu->sums);
		array_free(&cpu->where);
	}
	array_free(&cell->cpus);
	cell_sums_clear(cell);
}

static struct cpu_sums *cpu_of(struct cell_sums *cell, uint32_t number)
{
	while (cell->cpus.count <= number) {
		struct cpu_sums *cpu = array_add(&cell->cpus);

		if (!cpu)
			return NULL;
		cpu->sums = ARRAY_OF(struct call_sum);
		cpu->where = ARRAY_OF(uint32_t);
	}
	return array_at(&cell->cpus, number);
}

/* Saves the sums of the CPU's thread. */
static int put_aside(struct cell_sums *cell, struct cpu_sums *cpu)
{
	const struct call_sum *sums = cpu->sums.items;
	uint32_t *where = cpu->where.items;
	struct call_cell_sums *done;

	if (!cpu->sums.count)
		return 0;
	done = array_add(&cell->done);
	if (!done)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < cpu->sums.count; i++)
		where[sums[i].path] = 0;
	done->thread = cpu->thread;
	done->sums = cpu->sums;
	cpu->sums = ARRAY_OF(struct call_sum);
	return 0;
}

struct call_sum *cell_sums_of(struct cell_sums *cell, uint32_t cpu_number,
			      uint32_t thread, uint32_t path)
{
	struct cpu_sums *cpu = cpu_of(cell, cpu_number);
	struct call_sum *sum;
	uint32_t *where;

	if (!cpu || (cpu->thread != thread && put_aside(cell, cpu) < 0))
		return NULL;
	cpu->thread = thread;
	where = array_reach(&cpu->where, path);
	if (where && *where)
		return array_at(&cpu->sums, *where - 1);
	sum = where ? array_add(&cpu->sums) : NULL;
	if (!sum)
		return NULL;
	*where = (uint32_t)cpu->sums.count;
	sum->path = path;
	return sum;
}

int cell_sums_end(struct cell_sums *cell)
{
	int status = 0;

	for (size_t i = 0; i < cell->cpus.count && !status; i++)
		status = put_aside(cell, array_at(&cell->cpus, i));
	return status;
}

void cell_sums_clear(struct cell_sums *cell)
{
	for (size_t i = 0; i < cell->done.count; i++) {
		struct call_cell_sums *done = array_at(&cell->done, i);

		array_free(&done->sums);
	}
	array_free(&cell->done);
}
