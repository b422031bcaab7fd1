/* SPDX-License-Identifier: MIT */
#include "collector/trace_unit/pmu_internal.h"
#include "common/error.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pmu_line(const struct pmu *pmu, const char *name, char *text,
	     unsigned int size)
{
	char path[512];
	FILE *file;
	char *line;

	snprintf(path, sizeof(path), "%s/%s", pmu->folder, name);
	file = fopen(path, "re");
	if (!file)
		return -ERROR_NOT_FOUND;
	line = fgets(text, (int)size, file);
	fclose(file);
	if (!line)
		return -ERROR_NOT_FOUND;
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

int pmu_number(const struct pmu *pmu, const char *name, int base,
	       uint64_t *value)
{
	char text[64];
	char *end;

	if (pmu_line(pmu, name, text, sizeof(text)))
		return -ERROR_NOT_FOUND;
	*value = strtoull(text, &end, base);
	return end == text ? -ERROR_NOT_FOUND : 0;
}

int pmu_find(const char *devices, const char *name, struct pmu *pmu)
{
	uint64_t type;

	snprintf(pmu->folder, sizeof(pmu->folder), "%s/%s", devices, name);
	if (pmu_number(pmu, "type", 10, &type))
		return -ERROR_NOT_FOUND;
	pmu->type = (uint32_t)type;
	return 0;
}

/* Returns the bits of @word in the definition of the term @name: "config:4-7".
 */
static uint64_t term_mask(const struct pmu *pmu, const char *word,
			  const char *name)
{
	size_t length = strlen(word);
	char file[64];
	char text[64];
	unsigned int first;
	unsigned int last;
	int fields;

	snprintf(file, sizeof(file), "format/%s", name);
	if (pmu_line(pmu, file, text, sizeof(text)) ||
	    strncmp(text, word, length) || text[length] != ':')
		return 0;
	fields = sscanf(text + length + 1, "%u-%u", &first, &last);
	if (fields < 1)
		return 0;
	if (fields == 1)
		last = first;
	if (last > 63 || first > last)
		return 0;
	return (UINT64_MAX >> (63 - (last - first))) << first;
}

uint64_t pmu_term_mask(const struct pmu *pmu, const char *name)
{
	return term_mask(pmu, "config", name);
}

static int set_term(uint64_t mask, uint64_t value, uint64_t *config)
{
	uint64_t lowest = mask & (~mask + 1);

	if (!mask)
		return -ERROR_NOT_FOUND;
	if (value > mask / lowest)
		return -ERROR_UNSUPPORTED;
	*config = (*config & ~mask) | (value * lowest);
	return 0;
}

int pmu_set_term(const struct pmu *pmu, const char *name, uint64_t value,
		 struct perf_event_attr *attr)
{
	uint64_t config = attr->config;
	int error = set_term(pmu_term_mask(pmu, name), value, &config);

	attr->config = config;
	return error;
}

int pmu_set_config3_term(const struct pmu *pmu, const char *name,
			 uint64_t value, uint64_t *config3)
{
	return set_term(term_mask(pmu, "config3", name), value, config3);
}
