/* SPDX-License-Identifier: MIT */
#include "decoder/recording/coresight_unit.h"
#include "common/array.h"
#include "common/budget.h"
#include "common/error.h"
#include "common/perf_data.h"

#include <string.h>

/* The field of a unit that a word is stored in. */
#define FIELD(name) (offsetof(struct coresight_unit, name) + 1)
#define SKIPPED 0

enum { PARAMETERS = 9 };

/* Newer versions of perf append parameters: missing ones stay 0. */
static const struct block_layout {
	uint64_t magic;
	size_t old_count; /* in version 0, which has no count */
	enum coresight_protocol protocol;
	size_t fields[PARAMETERS];
	size_t time_source; /* index of the parameter TS_SOURCE, or 0 */
} layouts[] = {
	{ CORESIGHT_MAGIC_ETMV3,
	  4,
	  CORESIGHT_ETMV3,
	  { FIELD(config), FIELD(trace_id), FIELD(ccer), FIELD(idr) },
	  0 },
	{ CORESIGHT_MAGIC_ETMV4,
	  7,
	  CORESIGHT_ETMV4,
	  { FIELD(config), FIELD(trace_id), FIELD(idr0), FIELD(idr1),
	    FIELD(idr2), FIELD(idr8), SKIPPED },
	  7 },
	{ CORESIGHT_MAGIC_ETE,
	  8,
	  CORESIGHT_ETE,
	  { FIELD(config), FIELD(trace_id), FIELD(idr0), FIELD(idr1),
	    FIELD(idr2), FIELD(idr8), SKIPPED, FIELD(devarch) },
	  8 },
};

struct word_reader {
	const uint64_t *words;
	size_t left;
};

static bool take_word(struct word_reader *reader, uint64_t *word)
{
	if (!reader->left)
		return false;
	*word = *reader->words++;
	reader->left--;
	return true;
}

static const struct block_layout *find_layout(uint64_t magic)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].magic == magic)
			return &layouts[i];
	return NULL;
}

enum coresight_protocol coresight_old_protocol(uint32_t idr)
{
	return (idr >> 8 & 0xf) == 3 ? CORESIGHT_PTM : CORESIGHT_ETMV3;
}

static void set_parameter(struct coresight_unit *unit,
			  const struct block_layout *layout, size_t index,
			  uint64_t word)
{
	uint32_t value = (uint32_t)word;

	if (layout->time_source && index == layout->time_source)
		unit->has_cpu_time = word == 1;
	else if (index < PARAMETERS && layout->fields[index])
		memcpy((char *)unit + layout->fields[index] - 1, &value,
		       sizeof(value));
}

static int read_block(struct word_reader *reader, uint64_t version,
		      struct array *units)
{
	uint64_t magic = 0;
	uint64_t cpu = 0;
	const struct block_layout *layout =
		take_word(reader, &magic) ? find_layout(magic) : NULL;
	uint64_t count = layout ? layout->old_count : 0;
	struct coresight_unit *unit;

	if (!layout || !take_word(reader, &cpu) || cpu >= BUDGET_CPUS ||
	    (version && !take_word(reader, &count)) || count > reader->left)
		return -ERROR_FORMAT;
	unit = array_add(units);
	if (!unit)
		return -ERROR_MEMORY;
	unit->protocol = layout->protocol;
	unit->cpu = (int32_t)cpu;
	for (size_t i = 0; i < count; i++) {
		uint64_t word = 0;

		take_word(reader, &word);
		set_parameter(unit, layout, i, word);
	}
	/* Bit 31: AUX_OUTPUT_HW_ID records, if there are any, contain the real
	 * ID.
	 */
	unit->trace_id &= CORESIGHT_ID_MASK;
	if (unit->protocol == CORESIGHT_ETMV3)
		unit->protocol = coresight_old_protocol(unit->idr);
	return 0;
}

int coresight_units_read(const uint64_t *words, size_t count,
			 struct array *units)
{
	struct word_reader reader = { words, count };
	uint64_t header[CORESIGHT_HEADER_WORDS] = { 0 };
	int error = 0;

	for (size_t i = 0; i < CORESIGHT_HEADER_WORDS; i++)
		if (!take_word(&reader, &header[i]))
			return -ERROR_FORMAT;

	uint32_t cpus = (uint32_t)header[CORESIGHT_HEADER_PMU_CPUS];

	for (uint32_t i = 0; i < cpus && !error; i++)
		error = read_block(&reader, header[CORESIGHT_HEADER_VERSION],
				   units);
	return error;
}

bool coresight_unit_is_old(const struct coresight_unit *unit)
{
	return unit->protocol == CORESIGHT_ETMV3 ||
	       unit->protocol == CORESIGHT_PTM;
}

/* ETMCR.TimestampEnable, TRCCONFIGR.TS. */
bool coresight_unit_has_time(const struct coresight_unit *unit)
{
	return unit->config >> (coresight_unit_is_old(unit) ? 28 : 11) & 1;
}

/* ETMCR.CycleAccurate, TRCCONFIGR.CCI. */
bool coresight_unit_counts_cycles(const struct coresight_unit *unit)
{
	return unit->config >> (coresight_unit_is_old(unit) ? 12 : 4) & 1;
}

/* ETMCR.ContextIDsize; TRCCONFIGR.CID, VMID and VMIDOPT. */
enum coresight_task_field
coresight_unit_task_field(const struct coresight_unit *unit)
{
	const uint32_t vmid_is_context = 1u << 7 | 1u << 15;

	if (coresight_unit_is_old(unit))
		return unit->config >> 14 & 3 ? CORESIGHT_TASK_CONTEXT :
						CORESIGHT_TASK_NONE;
	if ((unit->config & vmid_is_context) == vmid_is_context)
		return CORESIGHT_TASK_VMID;
	return unit->config >> 6 & 1 ? CORESIGHT_TASK_CONTEXT :
				       CORESIGHT_TASK_NONE;
}
