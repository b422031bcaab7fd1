/* SPDX-License-Identifier: MIT */
#include "decoder/trace_dat/trace_dat.h"

#include "common/array.h"
#include "common/budget.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "common/files/regular_file.h"
#include "common/log.h"
#include "common/memory.h"
#include "decoder/recording/aux_stream.h"
#include "decoder/recording/recording_facts.h"
#include "decoder/recording/tracepoint.h"
#include "decoder/trace_dat/ring_page.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* Reads trace.dat in three steps: the head (struct trace_dat), then the pages
 * of each CPU as streams, then the facts of the recording.
 *
 *	version 6: parts in a fixed order ─┐
 *	                                   ├─► struct trace_dat ─► streams, facts
 *	version 7: sections, found by ─────┘
 *	options; packed by zstd or zlib
 *
 * Packed pages are unpacked chunk by chunk to a temporary file, so that memory
 * does not depend on their size. If the recorder was killed, the file has no
 * pages, and those in trace.cpuN beside it are used.
 *
 * All numbers of the file are untrusted: a reader fails past the end, unpacking
 * has a budget (common/budget.h), and a damaged chunk, like the end of the
 * file, ends its CPU's stream, which is logged and sets is_cut.
 */

/* Compression of the parts of a trace.dat. */
enum trace_dat_packing { PACKED_NOT, PACKED_ZSTD, PACKED_ZLIB };

/* The position of one CPU's pages in the file. */
struct trace_dat_cpu {
	uint32_t cpu;
	uint64_t offset;
	uint64_t size_bytes;
	bool is_packed; /* in chunks, after the number of chunks */
};

/* The head of a trace.dat: the contents before the pages, which both versions
 * have.
 */
struct trace_dat {
	const struct log *log;
	struct arena *arena;	 /* owns unpacked data */
	uint64_t unpacked_bytes; /* their size, up to BUDGET_TEXT_BYTES */
	const char *path;
	struct file_map map; /* of the whole file, borrowed */
	uint32_t page_bytes;
	enum trace_dat_packing packing;
	struct tracepoint page;	   /* the fields of a page's header */
	struct array formats;	   /* struct tracepoint */
	struct array cpus;	   /* struct trace_dat_cpu */
	struct text_part kallsyms; /* in the file, or in the arena */
	struct text_part comms;	   /* in the file, or in the arena */
	struct text_part clock;	   /* "local [perf] mono", or one name */
	struct text_part system;   /* "Linux HOST RELEASE MACHINE" */
};

/* The options that exist in both versions. */
enum trace_dat_option {
	TRACE_DAT_DONE = 0,
	TRACE_DAT_BUFFER = 3,
	TRACE_DAT_CLOCK = 4,
	TRACE_DAT_UNAME = 5,
};

/* Unpacks @size bytes into the @unpacked_size bytes at @unpacked. Returns false
 * if they do not unpack to exactly that size.
 */
static bool trace_dat_unpack(enum trace_dat_packing packing,
			     const uint8_t *bytes, size_t size,
			     uint8_t *unpacked, size_t unpacked_size)
{
	uLongf length = unpacked_size;

	switch (packing) {
	case PACKED_ZSTD:
		return ZSTD_decompress(unpacked, unpacked_size, bytes, size) ==
		       unpacked_size;
	case PACKED_ZLIB:
		return uncompress(unpacked, &length, bytes, size) == Z_OK &&
		       length == unpacked_size;
	case PACKED_NOT:
		return false;
	}
	return false;
}

/* Returns whether unpacking @packed to @unpacked bytes exceeds the limit: see
 * common/budget.h.
 */
static bool is_over_budget(uint64_t packed, uint64_t unpacked)
{
	return unpacked > BUDGET_UNPACKED_BYTES ||
	       unpacked > BUDGET_UNPACKED_FREE + packed * BUDGET_UNPACKED_RATIO;
}

/* Returns the next @size bytes as text. */
static struct text_part trace_dat_text(struct byte_reader *reader,
				       uint64_t size)
{
	const uint8_t *bytes =
		byte_reader_bytes(reader, size > SIZE_MAX ? SIZE_MAX : size);

	return (struct text_part){ .text = (const char *)bytes,
				   .size_bytes = bytes ? size : 0 };
}

/* Reads header_page and header_event. Returns 0 or -ERROR_MEMORY. */
static int read_page(struct trace_dat *dat, struct byte_reader *reader)
{
	struct text_part text;
	int status;

	byte_reader_text(reader);
	text = trace_dat_text(reader, byte_reader_u64(reader));
	byte_reader_text(reader);
	trace_dat_text(reader, byte_reader_u64(reader));
	if (reader->failed)
		return 0;
	status = tracepoint_format_read(text.text, text.size_bytes, dat->arena,
					&dat->page);
	return status < 0 ? status : 0;
}

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

/* Adds to @list the streams of a @recording whose recorder was killed: the head
 * of its trace.dat, @dat, was written without pages, and each CPU's pages are
 * in a file trace.cpuN next to it. Ignores incomplete pages.
 *
 * Returns 0 or a negative enum error, which was logged.
 */
static int loose_pages_add(const struct trace_dat *dat,
			   struct recording *recording,
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

/* Version 6: the parts follow each other. */

/* "options  ", "latency  ", "flyrecord", with their NULs. */
enum { KIND_BYTES = 10 };

static void read_option(struct trace_dat *dat, uint16_t option,
			struct text_part value)
{
	if (option == TRACE_DAT_CLOCK)
		dat->clock = value;
	else if (option == TRACE_DAT_UNAME)
		dat->system = value;
}

static void read_options(struct trace_dat *dat, struct byte_reader *reader)
{
	uint16_t option;

	while ((option = byte_reader_u16(reader)) != TRACE_DAT_DONE)
		read_option(dat, option,
			    trace_dat_text(reader, byte_reader_u32(reader)));
}

static int read_cpus(struct trace_dat *dat, struct byte_reader *reader,
		     uint32_t count)
{
	for (uint32_t i = 0; i < count && !reader->failed; i++) {
		struct trace_dat_cpu *cpu = array_add(&dat->cpus);

		if (!cpu)
			return -ERROR_MEMORY;
		cpu->cpu = i;
		cpu->offset = byte_reader_u64(reader);
		cpu->size_bytes = byte_reader_u64(reader);
	}
	return 0;
}

/* Reads the list of CPUs. Fails for a file of the kind "latency", which is text
 * and has no function graph.
 */
static int read_data(struct trace_dat *dat, struct byte_reader *reader)
{
	uint32_t cpus = byte_reader_u32(reader);
	const char *kind = (const char *)byte_reader_bytes(reader, KIND_BYTES);

	if (kind && !memcmp(kind, "options", 7)) {
		read_options(dat, reader);
		kind = (const char *)byte_reader_bytes(reader, KIND_BYTES);
	}
	if (!kind || memcmp(kind, "flyrecord", KIND_BYTES) != 0) {
		reader->failed = true;
		return 0;
	}
	return read_cpus(dat, reader, cpus);
}

/* Reads the rest of the head of a file of version 6 from @reader, which is
 * after the page size. Returns 0 or a negative enum error; @reader fails if the
 * file is malformed.
 */
static int read_6(struct trace_dat *dat, struct byte_reader *reader)
{
	int error = read_page(dat, reader);

	if (!error)
		error = tracing_formats_read(reader, "ftrace", dat->arena,
					     &dat->formats);
	if (!error)
		error = tracing_systems_read(reader, dat->arena, &dat->formats);
	if (error)
		return error;
	dat->kallsyms = trace_dat_text(reader, byte_reader_u32(reader));
	/* the formats of trace_printk */
	trace_dat_text(reader, byte_reader_u32(reader));
	dat->comms = trace_dat_text(reader, byte_reader_u64(reader));
	return read_data(dat, reader);
}

/* Version 7: sections, located by options. */

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
 * Returns 0 and *@unpacked, -ERROR_MEMORY, or -ERROR_FORMAT if the bytes do not
 * unpack to that size or exceed the budget.
 */
static int unpack(struct trace_dat *dat, const uint8_t *bytes, size_t size,
		  size_t unpacked_size, const uint8_t **unpacked)
{
	uint8_t *room;

	if (unpacked_size > BUDGET_TEXT_BYTES - dat->unpacked_bytes ||
	    is_over_budget(size, unpacked_size))
		return -ERROR_FORMAT;
	dat->unpacked_bytes += unpacked_size;
	room = arena_alloc(dat->arena, unpacked_size);
	if (!room)
		return -ERROR_MEMORY;
	*unpacked = room;
	return trace_dat_unpack(dat->packing, bytes, size, room,
				unpacked_size) ?
		       0 :
		       -ERROR_FORMAT;
}

/* Sets @reader to the contents of the section at @offset; it fails if there is
 * no section @id, or if that does not unpack. Returns 0 or -ERROR_MEMORY.
 */
static int open_section(struct trace_dat *dat, uint64_t offset, enum section id,
			struct byte_reader *reader)
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

/* Reads the list of CPUs of the first buffer: that of the top instance, if it
 * was used. Buffers of further instances are left out, which is logged.
 */
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
		error = read_page(dat, &section);
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

static int read_option_7(struct trace_dat *dat, uint16_t option,
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
static int read_options_7(struct trace_dat *dat, struct byte_reader *head,
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
		error = read_option_7(dat, option, value, head);
	}
	head->failed |= section.failed;
	return error;
}

/* Like read_6(), for a file of version 7. */
static int read_7(struct trace_dat *dat, struct byte_reader *reader)
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
		error = read_options_7(dat, reader, &next);
	return error;
}

/* Limit of a chunk; trace-cmd packs 10 pages at once, or a configured number.
 */
#define CHUNK_MOST ((uint32_t)64 << 20)

/* The temporary file into which the chunks of all CPUs are unpacked. */
struct unpacking {
	const struct trace_dat *dat;
	bool *is_cut; /* set if a chunk is truncated or damaged */
	int fd;
	uint64_t packed; /* bytes of chunks unpacked so far */
	uint64_t size;	 /* bytes written so far */
};

/* Unpacks the next chunk. Returns 1, 0 if it is damaged, or an error. */
static int unpack_chunk(struct unpacking *unpacking, struct byte_reader *reader)
{
	const struct trace_dat *dat = unpacking->dat;
	uint32_t size = byte_reader_u32(reader);
	uint32_t unpacked_size = byte_reader_u32(reader);
	const uint8_t *bytes = byte_reader_bytes(reader, size);
	uint8_t *chunk;
	int status = 0;

	if (!bytes || unpacked_size > CHUNK_MOST ||
	    is_over_budget(unpacking->packed + size,
			   unpacking->size + unpacked_size))
		return 0;
	chunk = malloc(unpacked_size + 1);
	if (!chunk)
		return -ERROR_MEMORY;
	if (trace_dat_unpack(dat->packing, bytes, size, chunk, unpacked_size))
		status = file_map_append(unpacking->fd, chunk, unpacked_size,
					 dat->log) < 0 ?
				 -ERROR_SYSTEM :
				 1;
	free(chunk);
	if (status > 0) {
		unpacking->packed += size;
		unpacking->size += unpacked_size;
	}
	return status;
}

static void log_cut(const struct trace_dat *dat,
		    const struct trace_dat_cpu *cpu, uint64_t offset)
{
	log_message(dat->log, LOG_WARNING, dat->path, offset,
		    "the trace of CPU %u is cut off or damaged here: what "
		    "follows of it is not used",
		    cpu->cpu);
}

/* Unpacks the pages of @cpu, and sets its offset and size to those of the
 * unpacked pages.
 */
static int unpack_cpu(struct unpacking *unpacking, struct trace_dat_cpu *cpu)
{
	const struct file_map *map = &unpacking->dat->map;
	uint64_t begin = unpacking->size;
	struct byte_reader reader = byte_reader_of(map->bytes, map->size);
	uint32_t chunks;
	int status = 1;

	byte_reader_bytes(&reader,
			  cpu->offset > SIZE_MAX ? SIZE_MAX : cpu->offset);
	chunks = cpu->size_bytes ? byte_reader_u32(&reader) : 0;
	while (chunks-- && status > 0)
		status = unpack_chunk(unpacking, &reader);
	if (status < 0)
		return status;
	if (!status || reader.failed) {
		*unpacking->is_cut = true;
		log_cut(unpacking->dat, cpu, cpu->offset);
	}
	cpu->offset = begin;
	cpu->size_bytes = unpacking->size - begin;
	return 0;
}

static int unpack_all(struct trace_dat *dat, struct file_map *map, bool *is_cut)
{
	struct unpacking unpacking = {
		.dat = dat,
		.is_cut = is_cut,
		.fd = file_map_temporary(dat->log),
	};
	int error = unpacking.fd < 0 ? -ERROR_SYSTEM : 0;

	for (size_t i = 0; i < dat->cpus.count && !error; i++)
		error = unpack_cpu(&unpacking, array_at(&dat->cpus, i));
	if (!error)
		error = file_map_open_fd(map, unpacking.fd);
	if (unpacking.fd >= 0)
		close(unpacking.fd);
	return error;
}

/* Adds the whole pages of @cpu as a stream. */
static int add_stream(const struct trace_dat *dat, struct trace_dat_cpu *cpu,
		      const struct file_map *map, struct stream_list *list,
		      bool *is_cut)
{
	uint64_t left = cpu->offset < map->size ? map->size - cpu->offset : 0;
	uint64_t size = cpu->size_bytes < left ? cpu->size_bytes : left;

	size -= size % dat->page_bytes;
	if (size < cpu->size_bytes && !cpu->is_packed) {
		*is_cut = true;
		log_cut(dat, cpu, cpu->offset + size);
	}
	if (!size)
		return 0;
	return stream_list_add_buffer(list, cpu->cpu, (int32_t)cpu->cpu,
				      map->bytes + cpu->offset, size, 0);
}

/* Locates the pages of all dat->cpus, unpacks them if needed into a file of
 * @maps (struct file_map), and adds their streams to @list.
 *
 * Returns 0 or a negative enum error, which was logged. Sets *@is_cut if pages
 * are truncated or damaged, which is logged; the pages before them are added.
 */
static int trace_dat_add_streams(struct trace_dat *dat, struct array *maps,
				 struct stream_list *list, bool *is_cut)
{
	struct file_map *unpacked = NULL;
	struct file_map map = dat->map;
	struct trace_dat_cpu *cpus = dat->cpus.items;
	int error = 0;

	if (dat->cpus.count && cpus[0].is_packed) {
		unpacked = array_add(maps);
		error = unpacked ? unpack_all(dat, unpacked, is_cut) :
				   -ERROR_MEMORY;
		if (!error)
			map = *unpacked;
	}
	for (size_t i = 0; i < dat->cpus.count && !error; i++) {
		if (cpus[i].cpu >= BUDGET_STREAMS)
			continue;
		error = add_stream(dat, &cpus[i], &map, list, is_cut);
	}
	return error;
}

static const char magic[] = "\x17\x08\x44tracing";

enum { MAGIC_BYTES = sizeof(magic) - 1 };

/* Limits of the size of the kernel's sub-buffers: a page, or as configured
 * (buffer_subbuf_size_kb).
 */
enum { PAGE_LEAST = 1 << 12, PAGE_MOST = 1 << 20 };

bool trace_dat_is(const char *path)
{
	char bytes[MAGIC_BYTES];
	int fd = regular_file_open(path);
	bool is_it = fd >= 0 && read(fd, bytes, MAGIC_BYTES) == MAGIC_BYTES &&
		     !memcmp(bytes, magic, MAGIC_BYTES);

	if (fd >= 0)
		close(fd);
	return is_it;
}

static int refuse(const struct trace_dat *dat, uint64_t offset,
		  const char *reason)
{
	log_message(dat->log, LOG_ERROR, dat->path, offset, "%s", reason);
	return -ERROR_FORMAT;
}

static int read_head(struct trace_dat *dat)
{
	struct byte_reader reader =
		byte_reader_of(dat->map.bytes, dat->map.size);
	const uint8_t *start = byte_reader_bytes(&reader, MAGIC_BYTES);
	const char *version = byte_reader_text(&reader);
	uint8_t is_big = byte_reader_u8(&reader);
	int error;

	if (!start || memcmp(start, magic, MAGIC_BYTES))
		return refuse(dat, 0, "is not a trace.dat of trace-cmd");
	byte_reader_u8(&reader); /* size of a long, in user space */
	dat->page_bytes = byte_reader_u32(&reader);
	if (is_big)
		return refuse(dat, 0,
			      "is of a big-endian machine, which are "
			      "not read");
	if (!strcmp(version, "6"))
		error = read_6(dat, &reader);
	else if (!strcmp(version, "7"))
		error = read_7(dat, &reader);
	else
		return refuse(dat, MAGIC_BYTES,
			      "is a trace.dat of a version that is not known "
			      "(6 and 7 are): convert it with trace-cmd "
			      "convert --file-version 6");
	if (!error && reader.failed)
		error = refuse(dat, reader.position,
			       "is cut off or damaged in its head");
	return error;
}

/* Returns the selected clock: the one in brackets, or the only one. */
static struct text_part chosen_clock(struct text_part clock)
{
	const char *open = memchr(clock.text, '[', clock.size_bytes);
	const char *end =
		open ? memchr(open, ']',
			      clock.size_bytes - (size_t)(open - clock.text)) :
		       NULL;

	if (end)
		return (struct text_part){ open + 1, (size_t)(end - open - 1) };
	clock.size_bytes = strnlen(clock.text, clock.size_bytes);
	return clock;
}

/* Refuses clocks that do not count nanoseconds; all others of
 * kernel/trace/trace.c do.
 */
static int check_clock(const struct trace_dat *dat)
{
	static const char *const others[] = { "counter", "uptime", "x86-tsc",
					      "ppc-tb" };
	struct text_part clock;

	if (!dat->clock.text)
		return 0;
	clock = chosen_clock(dat->clock);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (clock.size_bytes != strlen(others[i]) ||
		    memcmp(clock.text, others[i], clock.size_bytes) != 0)
			continue;
		log_message(dat->log, LOG_ERROR, dat->path, LOG_NO_OFFSET,
			    "its clock, %s, does not count nanoseconds: "
			    "record with trace-cmd record -C perf",
			    others[i]);
		return -ERROR_UNSUPPORTED;
	}
	return 0;
}

static int check_formats(const struct trace_dat *dat,
			 const struct graph_trace *graph)
{
	if (dat->page_bytes < PAGE_LEAST || dat->page_bytes > PAGE_MOST ||
	    dat->page_bytes % sizeof(uint64_t))
		return refuse(dat, MAGIC_BYTES,
			      "the size of its pages is none "
			      "that Linux has");
	if (graph->page_bytes)
		return 0;
	log_message(dat->log, LOG_ERROR, dat->path, LOG_NO_OFFSET,
		    "does not describe the events of the function_graph "
		    "tracer, or not as Linux does: record with trace-cmd "
		    "record -p function_graph");
	return -ERROR_UNSUPPORTED;
}

/* Parses dat->system, "Linux HOST RELEASE MACHINE", into @info. */
static int read_system(const struct trace_dat *dat, struct recording_info *info)
{
	const char *words[4] = { "", "", "", "" };
	struct text_part rest = dat->system;

	for (int i = 0; i < 4 && rest.text; i++) {
		const char *end =
			memchr(rest.text, i < 3 ? ' ' : '\0', rest.size_bytes);
		size_t size = end ? (size_t)(end - rest.text) : rest.size_bytes;

		words[i] = arena_text(dat->arena, rest.text, size);
		if (!words[i])
			return -ERROR_MEMORY;
		rest.text = end ? end + 1 : NULL;
		rest.size_bytes -= end ? size + 1 : 0;
	}
	info->hostname = words[1];
	info->os_release = words[2];
	info->arch = words[3];
	info->cpus_online = (uint32_t)dat->cpus.count;
	info->version = "trace-cmd";
	return 0;
}

/* Parses a line "PID NAME". */
static int add_name(struct recording_facts *facts, struct text_part line)
{
	const char *blank = memchr(line.text, ' ', line.size_bytes);
	size_t digits = blank ? (size_t)(blank - line.text) : 0;
	struct saved_name *name;

	if (!digits || digits > 9)
		return 0;
	name = array_add(&facts->saved_names);
	if (!name)
		return -ERROR_MEMORY;
	/* The space ends the number. */
	name->tid = (int32_t)strtol(line.text, NULL, 10);
	name->name = arena_text(facts->arena, blank + 1,
				line.size_bytes - digits - 1);
	return name->name ? 0 : -ERROR_MEMORY;
}

static int read_names(const struct trace_dat *dat,
		      struct recording_facts *facts)
{
	struct text_part rest = dat->comms;
	const char *end;
	int error = 0;

	while (!error && rest.size_bytes &&
	       (end = memchr(rest.text, '\n', rest.size_bytes))) {
		struct text_part line = { rest.text,
					  (size_t)(end - rest.text) };

		error = add_name(facts, line);
		rest.text += line.size_bytes + 1;
		rest.size_bytes -= line.size_bytes + 1;
	}
	return error;
}

/* Sets the recording's times to those of the first and the last event of all
 * CPUs.
 */
static void note_times(struct recording *recording)
{
	struct recording_facts *facts = recording_facts_to_fill(recording);
	struct recording_info *info = &facts->info;

	for (size_t i = 0; i < recording_stream_count(recording); i++) {
		const struct aux_stream *stream =
			recording_stream(recording, i);
		uint64_t first_ns;
		uint64_t last_ns;

		if (!ring_pages_times(&facts->graph, stream, &first_ns,
				      &last_ns))
			continue;
		if (!info->first_time_ns || first_ns < info->first_time_ns)
			info->first_time_ns = first_ns;
		if (last_ns > info->last_time_ns)
			info->last_time_ns = last_ns;
	}
}

static int add_streams(struct trace_dat *dat, struct recording_facts *facts)
{
	int error = trace_dat_add_streams(dat, &facts->maps, &facts->streams,
					  &facts->is_cut);

	return error ? error :
		       stream_list_finish(&facts->streams, &facts->events,
					  false);
}

/* Returns whether the stream has a record of a function. Nearly all pages do,
 * so this reads little.
 */
static bool stream_has_functions(const struct graph_trace *graph,
				 const struct aux_stream *stream)
{
	struct ring_pages pages = ring_pages_of(graph, stream);
	struct graph_record record;

	while (graph_record_next(&pages, &record))
		if (record.event != GRAPH_SWITCH)
			return true;
	return false;
}

static void look_for_functions(const struct recording *recording,
			       struct graph_trace *graph)
{
	for (size_t i = 0;
	     i < recording_stream_count(recording) && !graph->has_functions;
	     i++)
		graph->has_functions = stream_has_functions(
			graph, recording_stream(recording, i));
}

static int read_all(struct trace_dat *dat, struct recording *recording,
		    bool stands_alone)
{
	struct recording_facts *facts = recording_facts_to_fill(recording);
	int error = read_head(dat);

	if (!error)
		error = check_clock(dat);
	if (error)
		return error;
	graph_formats_find(&dat->formats, &dat->page, dat->page_bytes,
			   &facts->graph);
	error = check_formats(dat, &facts->graph);
	facts->kallsyms = dat->kallsyms;
	if (!error && stands_alone)
		error = read_system(dat, &facts->info);
	if (!error && stands_alone)
		error = read_names(dat, facts);
	if (!error && !stands_alone)
		error = loose_pages_add(dat, recording, &facts->streams);
	if (!error)
		error = add_streams(dat, facts);
	if (!error && stands_alone)
		note_times(recording);
	if (!error)
		look_for_functions(recording, &facts->graph);
	if (error)
		facts->graph.page_bytes = 0;
	return error;
}

int trace_dat_read(struct recording *recording, const char *path,
		   bool stands_alone)
{
	struct recording_facts *facts = recording_facts_to_fill(recording);
	struct trace_dat dat = {
		.log = facts->log,
		.arena = facts->arena,
		.path = path,
		.formats = ARRAY_OF(struct tracepoint),
		.cpus = ARRAY_OF(struct trace_dat_cpu),
	};
	struct file_map *map = array_add(&facts->maps);
	int error;

	if (!map)
		return -ERROR_MEMORY;
	error = file_map_open(map, path, facts->log);
	dat.map = *map;
	if (!error)
		error = read_all(&dat, recording, stands_alone);
	array_free(&dat.formats);
	array_free(&dat.cpus);
	return error;
}
