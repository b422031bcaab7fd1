/* SPDX-License-Identifier: MIT */
#include "decoder/snapshot/snapshot_device.h"
#include "common/array.h"
#include "common/error.h"
#include "common/memory.h"
#include "decoder/snapshot/ini.h"

#include <string.h>

static const struct {
	const char *name;
	size_t offset;
} registers[] = {
	{ "ETMCR", offsetof(struct coresight_unit, config) },
	{ "ETMTRACEIDR", offsetof(struct coresight_unit, trace_id) },
	{ "ETMIDR", offsetof(struct coresight_unit, idr) },
	{ "ETMCCER", offsetof(struct coresight_unit, ccer) },
	{ "TRCCONFIGR", offsetof(struct coresight_unit, config) },
	{ "TRCTRACEIDR", offsetof(struct coresight_unit, trace_id) },
	{ "TRCIDR0", offsetof(struct coresight_unit, idr0) },
	{ "TRCIDR1", offsetof(struct coresight_unit, idr1) },
	{ "TRCIDR2", offsetof(struct coresight_unit, idr2) },
	{ "TRCIDR8", offsetof(struct coresight_unit, idr8) },
	{ "TRCDEVARCH", offsetof(struct coresight_unit, devarch) },
};

/* The first entry that is a prefix of the type applies. */
static const struct {
	const char *type;
	enum coresight_protocol protocol;
} protocols[] = {
	{ "ETM3", CORESIGHT_ETMV3 }, { "PTM", CORESIGHT_PTM },
	{ "PFT1", CORESIGHT_PTM }, /* DS-5: program flow trace */
	{ "ETM4", CORESIGHT_ETMV4 }, { "ETE", CORESIGHT_ETE },
};

/* "TRCIDR0(0x078)": the name ends at the bracket. */
static void read_register(struct coresight_unit *unit,
			  const struct ini_line *line)
{
	struct ini_text name = line->key;
	const char *bracket = memchr(name.start, '(', name.length);
	uint64_t number;
	uint32_t value;

	if (bracket)
		name.length = (size_t)(bracket - name.start);
	if (!ini_number(line->value, &number))
		return;
	value = (uint32_t)number;
	for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++)
		if (ini_equals(name, registers[i].name))
			memcpy((char *)unit + registers[i].offset, &value,
			       sizeof(value));
}

static int set_text(const char **place, struct ini_text text,
		    struct arena *arena)
{
	*place = arena_text(arena, text.start, text.length);
	return *place ? 0 : -ERROR_MEMORY;
}

static int read_about(struct snapshot_device *device,
		      const struct ini_line *line, struct arena *arena)
{
	if (ini_equals(line->key, "name"))
		return set_text(&device->name, line->value, arena);
	if (ini_equals(line->key, "class"))
		return set_text(&device->kind, line->value, arena);
	if (!ini_equals(line->key, "type"))
		return 0;
	for (size_t i = 0; i < sizeof(protocols) / sizeof(*protocols); i++)
		if (ini_begins(line->value, protocols[i].type)) {
			device->unit.protocol = protocols[i].protocol;
			device->has_protocol = true;
		}
	return set_text(&device->type, line->value, arena);
}

/* Each dump has its own section: "dump", "dump1" … */
static struct snapshot_dump *find_dump(struct ini_text section,
				       struct arena *arena, size_t first,
				       struct array *dumps)
{
	struct snapshot_dump *dump;

	for (size_t i = first; i < dumps->count; i++) {
		dump = array_at(dumps, i);
		if (ini_equals(section, dump->section))
			return dump;
	}
	dump = array_add(dumps);
	if (!dump)
		return NULL;
	dump->size_bytes = UINT64_MAX;
	dump->file = "";
	return set_text(&dump->section, section, arena) < 0 ? NULL : dump;
}

static int read_dump(const struct ini_line *line, struct arena *arena,
		     size_t first, struct array *dumps)
{
	struct snapshot_dump *dump =
		find_dump(line->section, arena, first, dumps);
	uint64_t number;

	if (!dump)
		return -ERROR_MEMORY;
	if (ini_equals(line->key, "file"))
		return set_text(&dump->file, line->value, arena);
	if (!ini_number(line->value, &number))
		return 0;
	if (ini_equals(line->key, "address"))
		dump->address = number;
	else if (ini_equals(line->key, "length"))
		dump->size_bytes = number;
	else if (ini_equals(line->key, "offset"))
		dump->file_offset = number;
	return 0;
}

int snapshot_device_read(const void *text, size_t size, struct arena *arena,
			 struct snapshot_device *device, struct array *dumps)
{
	struct ini_reader reader = ini_of(text, size);
	struct ini_line line;
	size_t first = dumps->count;
	int error = 0;

	*device = (struct snapshot_device){
		.name = "",
		.kind = "",
		.type = "",
	};
	while (!error && ini_next(&reader, &line)) {
		if (ini_equals(line.section, "device"))
			error = read_about(device, &line, arena);
		else if (ini_equals(line.section, "regs"))
			read_register(&device->unit, &line);
		else if (ini_begins(line.section, "dump"))
			error = read_dump(&line, arena, first, dumps);
	}
	return error;
}
