/* SPDX-License-Identifier: MIT */
/* Version 7: sections, located by options. */
#include "common/budget.h"
#include "common/error.h"
#include "common/file_map.h"
#include "common/log.h"
#include "common/memory.h"
#include "decoder/recording/tracepoint_format.h"
#include "decoder/trace_dat/trace_dat_head.h"

#include <string.h>

enum section {
	SECTION_OPTIONS = 0,
	SECTION_BUFFER = 3,
	SECTION_PAGE = 16,
	SECTION_FTRACE_FORMATS = 17,
	SECTION_FORMATS = 18,
	SECTION_KALLSYMS = 19,
	SECTION_COMMS = 21,
};

enum { SECTION_IS_PACKED = 1 };

/* Limit of options sections, each of which links to the next: no recorder
 * writes as many.
 */
enum { OPTION_SECTIONS_MOST = 64 };

static struct byte_reader reader_at(const struct trace_dat *dat,
				    uint64_t offset)
{
	struct byte_reader reader =
		byte_reader_of(dat->map.bytes, dat->map.size);

	byte_reader_bytes(&reader, offset > SIZE_MAX ? SIZE_MAX : offset);
	return reader;
}

/* Reads the head of the section at @offset, and leaves @reader after it.
 * Returns its flags.
 */
static uint16_t begin_section(const struct trace_dat *dat, uint64_t offset,
			      enum section id, struct byte_reader *reader)
{
	uint16_t flags;

	*reader = reader_at(dat, offset);
	if (byte_reader_u16(reader) != id)
		reader->failed = true;
	flags = byte_reader_u16(reader);
	byte_reader_u32(reader); /* its description */
	byte_reader_u64(reader); /* its size */
	return flags;
}

/* Unpacks @size bytes at @bytes into the arena, to exactly @unpacked_size.
 *
 * Returns 0 and *@unpacked, -ERROR_MEMORY, or -ERROR_FORMAT if that fails.
 */
static int unpack(const struct trace_dat *dat, const uint8_t *bytes,
		  size_t size, size_t unpacked_size, const uint8_t **unpacked)
{
	uint8_t *room;

	if (unpacked_size > BUDGET_TEXT_BYTES ||
	    trace_dat_is_over_budget(size, unpacked_size))
		return -ERROR_FORMAT;
	room = arena_alloc(dat->arena, unpacked_size);
	if (!room)
		return -ERROR_MEMORY;
	*unpacked = room;
	return trace_dat_unpack(dat->packing, bytes, size, room,
				unpacked_size) ?
		       0 :
		       -ERROR_FORMAT;
}

/* Sets @reader to the contents of the section at @offset. */
static int open_section(const struct trace_dat *dat, uint64_t offset,
			enum section id, struct byte_reader *reader)
{
	const uint8_t *unpacked;
	const uint8_t *bytes;
	uint32_t size;
	uint32_t unpacked_size;
	int error;

	if (!(begin_section(dat, offset, id, reader) & SECTION_IS_PACKED))
		return 0;
	size = byte_reader_u32(reader);
	unpacked_size = byte_reader_u32(reader);
	bytes = byte_reader_bytes(reader, size);
	if (!bytes)
		return 0;
	error = unpack(dat, bytes, size, unpacked_size, &unpacked);
	if (error == -ERROR_FORMAT)
		reader->failed = true;
	else if (!error)
		*reader = byte_reader_of(unpacked, unpacked_size);
	return error == -ERROR_FORMAT ? 0 : error;
}

/* Reads the first buffer: of the top instance, if that was used. */
static int read_buffer(struct trace_dat *dat, struct byte_reader option)
{
	uint64_t offset = byte_reader_u64(&option);
	const char *name = byte_reader_text(&option);
	const char *clock = byte_reader_text(&option);
	uint32_t page_bytes = byte_reader_u32(&option);
	uint32_t count = byte_reader_u32(&option);
	struct byte_reader section;
	uint16_t flags = begin_section(dat, offset, SECTION_BUFFER, &section);

	if (dat->cpus.count) {
		log_message(dat->log, LOG_NOTE, dat->path, offset,
			    "what was traced in the instance '%s' is left out",
			    name);
		return 0;
	}
	dat->clock = (struct text_part){ clock, strlen(clock) };
	dat->page_bytes = page_bytes;
	for (uint32_t i = 0; i < count && !option.failed; i++) {
		struct trace_dat_cpu *cpu = array_add(&dat->cpus);

		if (!cpu)
			return -ERROR_MEMORY;
		cpu->cpu = byte_reader_u32(&option);
		cpu->offset = byte_reader_u64(&option);
		cpu->size_bytes = byte_reader_u64(&option);
		cpu->is_packed = flags & SECTION_IS_PACKED;
	}
	return 0;
}

static struct text_part text_of(struct byte_reader *section, size_t size_bytes)
{
	return trace_dat_text(section, size_bytes == 4 ?
					       byte_reader_u32(section) :
					       byte_reader_u64(section));
}

/* Reads the section of kind @id, which an option locates at @offset. */
static int read_section(struct trace_dat *dat, enum section id, uint64_t offset,
			struct byte_reader *head)
{
	struct byte_reader section;
	int error = open_section(dat, offset, id, &section);

	if (error)
		return error;
	if (id == SECTION_PAGE)
		error = trace_dat_read_page(dat, &section);
	else if (id == SECTION_FTRACE_FORMATS)
		error = tracing_formats_read(&section, "ftrace", dat->arena,
					     &dat->formats);
	else if (id == SECTION_FORMATS)
		error = tracing_systems_read(&section, dat->arena,
					     &dat->formats);
	else if (id == SECTION_KALLSYMS)
		dat->kallsyms = text_of(&section, 4);
	else
		dat->comms = text_of(&section, 8);
	head->failed |= section.failed;
	return error;
}

static int read_option(struct trace_dat *dat, uint16_t option,
		       struct text_part value, struct byte_reader *head)
{
	struct byte_reader reader =
		byte_reader_of(value.text, value.size_bytes);

	switch (option) {
	case TRACE_DAT_BUFFER:
		return read_buffer(dat, reader);
	case TRACE_DAT_UNAME:
		dat->system = value;
		return 0;
	case SECTION_PAGE:
	case SECTION_FTRACE_FORMATS:
	case SECTION_FORMATS:
	case SECTION_KALLSYMS:
	case SECTION_COMMS:
		return read_section(dat, (enum section)option,
				    byte_reader_u64(&reader), head);
	default:
		return 0;
	}
}

/* Reads one section of options; *@next is the offset of the next, 0: none. */
static int read_options(struct trace_dat *dat, struct byte_reader *head,
			uint64_t *next)
{
	struct byte_reader section;
	int error = open_section(dat, *next, SECTION_OPTIONS, &section);

	*next = 0;
	while (!error && !section.failed) {
		uint16_t option = byte_reader_u16(&section);
		struct text_part value =
			trace_dat_text(&section, byte_reader_u32(&section));
		struct byte_reader reader =
			byte_reader_of(value.text, value.size_bytes);

		if (section.failed)
			break;
		if (option == TRACE_DAT_DONE) {
			*next = byte_reader_u64(&reader);
			break;
		}
		error = read_option(dat, option, value, head);
	}
	head->failed |= section.failed;
	return error;
}

int trace_dat_read_7(struct trace_dat *dat, struct byte_reader *reader)
{
	const char *packing = byte_reader_text(reader);
	uint64_t next;
	int error = 0;

	byte_reader_text(reader); /* its version */
	next = byte_reader_u64(reader);
	if (!strcmp(packing, "zstd"))
		dat->packing = PACKED_ZSTD;
	else if (!strcmp(packing, "zlib"))
		dat->packing = PACKED_ZLIB;
	for (int i = 0; next && !error && i < OPTION_SECTIONS_MOST; i++)
		error = read_options(dat, reader, &next);
	return error;
}
