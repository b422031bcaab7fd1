/* SPDX-License-Identifier: MIT */
#include "collector/target/cpu_list.h"
#include "common/array.h"
#include "common/error.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* Linux's own limit is 8192 (NR_CPUS of MAXSMP). */
enum { CPU_LIMIT = 65536 };

static int compare(const void *a, const void *b)
{
	const int *x = a;
	const int *y = b;

	return (*x > *y) - (*x < *y);
}

static void drop_repeated(struct array *cpus)
{
	int *items = cpus->items;
	size_t kept = 0;

	array_sort(cpus, compare);
	for (size_t i = 0; i < cpus->count; i++)
		if (!kept || items[kept - 1] != items[i])
			items[kept++] = items[i];
	cpus->count = kept;
}

static int read_cpu(const char **text, int *cpu)
{
	char *end;
	unsigned long value;

	if (!isdigit((unsigned char)**text))
		return -ERROR_FORMAT;
	value = strtoul(*text, &end, 10);
	if (value >= CPU_LIMIT)
		return -ERROR_FORMAT;
	*cpu = (int)value;
	*text = end;
	return 0;
}

static int read_range(const char **text, struct array *cpus)
{
	int first;
	int last;

	if (read_cpu(text, &first))
		return -ERROR_FORMAT;
	last = first;
	if (**text == '-') {
		++*text;
		if (read_cpu(text, &last) || last < first)
			return -ERROR_FORMAT;
	}
	for (int cpu = first; cpu <= last; cpu++)
		if (array_append(cpus, &cpu) < 0)
			return -ERROR_MEMORY;
	return 0;
}

int cpu_list_parse(const char *text, struct array *cpus)
{
	for (;;) {
		int error = read_range(&text, cpus);

		if (error)
			return error;
		if (*text != ',')
			break;
		text++;
	}
	drop_repeated(cpus);
	return *text && *text != '\n' ? -ERROR_FORMAT : 0;
}

int cpu_list_online(struct array *cpus)
{
	FILE *file = fopen("/sys/devices/system/cpu/online", "re");
	char text[4096];
	int error = -ERROR_SYSTEM;

	if (!file)
		return error;
	if (fgets(text, sizeof(text), file))
		error = cpu_list_parse(text, cpus);
	fclose(file);
	return error;
}

bool cpu_list_has(const struct array *cpus, int cpu)
{
	for (size_t i = 0; i < cpus->count; i++)
		if (*(const int *)array_at(cpus, i) == cpu)
			return true;
	return false;
}
