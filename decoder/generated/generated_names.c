/* SPDX-License-Identifier: MIT */
#include "decoder/generated/generated_names.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/log.h"
#include "common/memory.h"

struct generated_names generated_names_none(void)
{
	return (struct generated_names){
		.names = ARRAY_OF(struct generated_name),
		.listed = ARRAY_OF(struct generated_run),
		.replaced = ARRAY_OF(struct generated_run),
		.patched = ARRAY_OF(struct generated_run),
		.times = ARRAY_OF(uint64_t),
	};
}

void generated_names_free(struct generated_names *names)
{
	array_free(&names->names);
	array_free(&names->listed);
	array_free(&names->replaced);
	array_free(&names->patched);
	array_free(&names->times);
}

/* Reads the hexadecimal number, perhaps after "0x", and the spaces at the front
 * of @text, and moves @text after them. Returns whether there is a number.
 */
static bool read_number(const char **text, const char *end, uint64_t *number)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = *text;
	const char *first;

	if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x')
		at += 2;
	first = at;
	for (*number = 0; at < end; at++) {
		const char *digit = strchr(
			digits, *at >= 'A' && *at <= 'F' ? *at | 0x20 : *at);

		if (!*at || !digit)
			break;
		*number = *number << 4 | (uint64_t)(digit - digits);
	}
	if (at == first || at - first > 16 || at == end || *at != ' ')
		return false;
	while (at < end && *at == ' ')
		at++;
	*text = at;
	return true;
}

static uint64_t read_decimal(const char **text, const char *end)
{
	uint64_t number = 0;

	for (; *text < end && **text == ' '; ++*text)
		;
	for (; *text < end && **text >= '0' && **text <= '9'; ++*text)
		number = number * 10 + (uint64_t)(**text - '0');
	return number;
}

/* Sets the times of @name by a line "# SINCE UNTIL". */
static void read_time(const char *text, const char *end,
		      struct generated_name *name)
{
	text++;
	name->time_ns = read_decimal(&text, end) + 1;
	name->until_ns = read_decimal(&text, end);
}

static int add_name(struct generated_names *names, struct generated_name name,
		    const char *text, size_t length, struct arena *arena)
{
	if (name.end <= name.start || !length)
		return 0;
	name.order = names->names.count;
	name.name = arena_text(arena, text, length);
	return name.name ? array_append(&names->names, &name) : -ERROR_MEMORY;
}

/* Parses the line from @text to @end. Adds the function of a function's line; a
 * line of times sets those of *@times for the following lines.
 */
static int add_line(struct generated_names *names, const char *text,
		    const char *end, struct generated_name *times,
		    struct arena *arena)
{
	struct generated_name name = *times;
	uint64_t size;

	if (*text == '#') {
		read_time(text, end, times);
		return 0;
	}

	if (!read_number(&text, end, &name.start) ||
	    !read_number(&text, end, &size))
		return 0;
	name.end = name.start + size;
	while (end > text && (end[-1] == '\r' || end[-1] == ' '))
		end--;
	return add_name(names, name, text, strnlen(text, (size_t)(end - text)),
			arena);
}

int generated_names_add_map(struct generated_names *names, const char *text,
			    size_t size, struct arena *arena)
{
	const char *end = text + size;
	struct generated_name times = { .time_ns = 1 };
	const struct generated_name *first;
	int error = 0;

	while (text < end && !error) {
		const char *line = memchr(text, '\n', (size_t)(end - text));

		if (!line)
			line = end;
		error = add_line(names, text, line, &times, arena);
		text = line + 1;
	}
	first = names->names.items;
	names->is_prompt = !error && names->names.count && first->until_ns &&
			   times.until_ns > first->until_ns;
	return error;
}

/* jitdump-specification.txt: the header, and the ids of records. */
enum {
	DUMP_MAGIC = 0x4a695444,
	DUMP_ARCH_TIMESTAMP = 1,
	DUMP_CODE_LOAD = 0,
	DUMP_CODE_MOVE = 1,
	DUMP_DEBUG_INFO = 2,
	DUMP_CODE_CLOSE = 3,
	DUMP_RECORD_BYTES = 16,
};

/* The source lines of a function, each with its address, line (32 bits), column
 * (32 bits) and file; the file "\xff" means the previous one.
 */
struct dumped_lines {
	struct byte_reader entries;
	uint64_t count;
	uint64_t shift; /* the addresses in entries are as much too large */
	/* The file of all lines: entries have as many bytes without a meaning
	 * instead, and a NUL. NULL: each has its file.
	 */
	const char *file;
};

struct dump {
	struct generated_names *names;
	struct byte_reader reader;
	struct generated_clock clock;
	bool has_time;
	struct arena *arena;
	/* The last record of lines: of the function at @lines_start, which follows.
	 */
	uint64_t lines_start;
	struct dumped_lines lines; /* without entries: none */
};

static uint64_t dump_time(const struct dump *dump, uint64_t time)
{
	uint64_t time_ns =
		time - dump->clock.dump_ns + dump->clock.recording_ns;

	return dump->has_time && time_ns ? time_ns : 1;
}

/* A source line. */
struct dumped_line {
	uint64_t start;
	uint32_t number;
	const char *file;
};

/* Reads the next line from @entries, those of @lines. */
static struct dumped_line next_line(const struct dumped_lines *lines,
				    struct byte_reader *entries)
{
	struct dumped_line line;

	line.start = byte_reader_u64(entries) - lines->shift;
	line.number = byte_reader_u32(entries);
	byte_reader_u32(entries); /* column */
	if (!lines->file) {
		line.file = byte_reader_text(entries);
	} else {
		line.file = lines->file;
		byte_reader_bytes(entries, strlen(lines->file) + 1);
	}
	return line;
}

/* Returns whether all of @lines are of the code of @name. */
static bool lines_fit(const struct dumped_lines *lines,
		      const struct generated_name *name)
{
	struct byte_reader entries = lines->entries;

	for (uint64_t i = 0; i < lines->count; i++) {
		const struct dumped_line line = next_line(lines, &entries);

		if (entries.failed || line.start < name->start ||
		    line.start > name->end)
			return false;
	}
	return lines->count;
}

/* The size of the header of an ELF file, by which V8 shifts addresses for perf
 * inject.
 */
enum { V8_SHIFT = 0x40 };

/* Returns the end of the file's name in @text, "JS:*NAME FILE:LINE:COLUMN", as
 * V8 calls a function; NULL if it has another form.
 */
static const char *end_of_v8_file(const char *text)
{
	const char *end = text + strlen(text);

	if (strncmp(text, "JS:", 3))
		return NULL;
	for (int i = 0; i < 2; i++) {
		const char *after = end;

		while (end > text && end[-1] >= '0' && end[-1] <= '9')
			end--;
		if (end == after || end == text || *--end != ':')
			return NULL;
	}
	return end;
}

/* Returns whether the ends of the names in @lines are the end of their file's
 * name.
 */
static bool ends_are_equal(const struct dumped_lines *lines, size_t length,
			   size_t damaged)
{
	struct byte_reader entries = lines->entries;

	for (uint64_t i = 0; i < lines->count; i++) {
		const uint8_t *text;

		byte_reader_bytes(&entries, 16);
		text = byte_reader_bytes(&entries, length + 1);
		if (!text || memcmp(text + damaged, lines->file + damaged,
				    length + 1 - damaged))
			return false;
	}
	return true;
}

/* Mends @lines of @name, called @text, as V8 up to version 12 writes them: the
 * names of files were freed, so their first 16 bytes are malloc's. The function's
 * name has the file; the other bytes must be the file's.
 *
 * Returns 1, 0 if the lines are no such lines, or -ERROR_MEMORY.
 */
static int mend_v8_lines(struct dumped_lines *lines,
			 const struct generated_name *name, const char *text,
			 struct arena *arena)
{
	enum { DAMAGED = 16, HEAD = 16 + 1, LEAST = DAMAGED + 4, PADDING = 8 };
	const char *end = end_of_v8_file(text);
	size_t size = byte_reader_left(&lines->entries);
	size_t length = end && lines->count ? size / lines->count : 0;

	for (length -= length < HEAD ? length : HEAD;
	     length >= LEAST && (size_t)(end - text) > length &&
	     size - lines->count * (length + HEAD) < PADDING;
	     length--) {
		if (end[-(ptrdiff_t)length - 1] != ' ')
			continue;
		lines->file = arena_text(arena, end - length, length);
		if (!lines->file)
			return -ERROR_MEMORY;
		if (ends_are_equal(lines, length, DAMAGED) &&
		    lines_fit(lines, name))
			return 1;
	}
	return 0;
}

/* Sets @name's lines to the lines in the previous record, unless they cannot be
 * those of @name: V8 may have shifted them or damaged their file names.
 */
static int take_lines(struct dump *dump, struct generated_name *name,
		      const char *text)
{
	struct dumped_lines *lines = arena_alloc(dump->arena, sizeof(*lines));
	int fits;

	if (!lines)
		return -ERROR_MEMORY;
	*lines = dump->lines;
	fits = lines_fit(lines, name);
	if (!fits && end_of_v8_file(text)) {
		lines->shift = V8_SHIFT;
		fits = lines_fit(lines, name);
		if (!fits)
			fits = mend_v8_lines(lines, name, text, dump->arena);
	}
	if (fits > 0)
		name->lines = lines;
	return fits < 0 ? fits : 0;
}

/* Reads the rest of the record of a new function. */
static int add_load(struct dump *dump, struct byte_reader *record,
		    uint64_t time)
{
	struct generated_name name = { 0 };
	uint64_t size;
	const char *text;
	int error = 0;

	byte_reader_u64(record); /* pid, tid */
	byte_reader_u64(record); /* vma */
	name.start = byte_reader_u64(record);
	size = byte_reader_u64(record);
	byte_reader_u64(record); /* the function's number */
	text = byte_reader_text(record);
	name.end = name.start + size;
	name.time_ns = dump_time(dump, time);
	name.code = byte_reader_bytes(record, size);
	if (record->failed)
		return -ERROR_NOT_FOUND;
	if (dump->lines_start == name.start && dump->lines.count)
		error = take_lines(dump, &name, text);
	dump->lines.count = 0;
	return error ? error :
		       add_name(dump->names, name, text, strlen(text),
				dump->arena);
}

/* Reads the rest of a record of source lines, which are of the next function:
 * the function's address, the number of lines, the lines.
 */
static int add_lines(struct dump *dump, struct byte_reader *record)
{
	dump->lines_start = byte_reader_u64(record);
	dump->lines = (struct dumped_lines){
		.count = byte_reader_u64(record),
	};
	dump->lines.entries = *record;
	return record->failed ? -ERROR_NOT_FOUND : 0;
}

bool generated_name_line(const struct generated_name *name, uint64_t offset,
			 const char **file, int *line)
{
	struct byte_reader entries;
	uint64_t address = name->start + offset;
	uint64_t found = 0;
	const char *current = NULL;

	*file = NULL;
	if (!name->lines)
		return false;
	entries = name->lines->entries;
	for (uint64_t i = 0; i < name->lines->count; i++) {
		const struct dumped_line next =
			next_line(name->lines, &entries);

		if (strcmp(next.file, "\xff") != 0)
			current = next.file;
		if (next.start > address || next.start < found ||
		    next.number > INT_MAX)
			continue;
		found = next.start;
		*file = next.number ? current : NULL;
		*line = (int)next.number;
	}
	return *file;
}

/* Reads the rest of the record of a moved function, which then is listed at
 * both addresses.
 */
static int add_move(struct dump *dump, struct byte_reader *record,
		    uint64_t time)
{
	struct generated_name moved = { 0 };
	uint64_t from;

	byte_reader_u64(record); /* pid, tid */
	byte_reader_u64(record); /* vma */
	from = byte_reader_u64(record);
	moved.start = byte_reader_u64(record);
	moved.end = moved.start + byte_reader_u64(record);
	if (record->failed)
		return -ERROR_NOT_FOUND;
	for (size_t i = dump->names->names.count; i-- > 0;) {
		const struct generated_name *name =
			array_at(&dump->names->names, i);

		if (name->start != from)
			continue;
		if (moved.end - moved.start == name->end - name->start)
			moved.code = name->code;
		moved.time_ns = dump_time(dump, time);
		return add_name(dump->names, moved, name->name,
				strlen(name->name), dump->arena);
	}
	return 0;
}

/* Reads a record. Returns 1; 0 at the end; -ERROR_NOT_FOUND if it is damaged;
 * -ERROR_MEMORY.
 */
static int read_record(struct dump *dump)
{
	uint32_t id;
	uint32_t size;
	uint64_t time;
	const uint8_t *bytes;
	struct byte_reader record;
	int error = 0;

	if (!byte_reader_left(&dump->reader))
		return 0;
	id = byte_reader_u32(&dump->reader);
	size = byte_reader_u32(&dump->reader);
	time = byte_reader_u64(&dump->reader);
	if (dump->reader.failed || size < DUMP_RECORD_BYTES)
		return -ERROR_NOT_FOUND;
	bytes = byte_reader_bytes(&dump->reader, size - DUMP_RECORD_BYTES);
	if (!bytes)
		return -ERROR_NOT_FOUND;
	record = byte_reader_of(bytes, size - DUMP_RECORD_BYTES);
	if (id == DUMP_CODE_CLOSE)
		return 0;
	if (id == DUMP_CODE_LOAD)
		error = add_load(dump, &record, time);
	else if (id == DUMP_DEBUG_INFO)
		error = add_lines(dump, &record);
	else if (id == DUMP_CODE_MOVE)
		error = add_move(dump, &record, time);
	return error ? error : 1;
}

/* Reads the header. Returns whether it is one. */
static bool read_header(struct dump *dump)
{
	uint32_t magic = byte_reader_u32(&dump->reader);
	uint32_t size;
	uint64_t flags;

	byte_reader_u32(&dump->reader); /* version */
	size = byte_reader_u32(&dump->reader);
	byte_reader_u32(&dump->reader); /* ELF machine */
	byte_reader_u64(&dump->reader); /* padding, pid */
	byte_reader_u64(&dump->reader); /* time */
	flags = byte_reader_u64(&dump->reader);
	if (dump->reader.failed || magic != DUMP_MAGIC ||
	    size < dump->reader.position)
		return false;
	dump->has_time = dump->clock.recording_ns &&
			 !(flags & DUMP_ARCH_TIMESTAMP);
	return byte_reader_bytes(&dump->reader, size - dump->reader.position);
}

int generated_names_add_dump(struct generated_names *names,
			     const uint8_t *bytes, size_t size,
			     const struct generated_clock *clock,
			     struct arena *arena, const char *path,
			     const struct log *log)
{
	struct dump dump = {
		.names = names,
		.reader = byte_reader_of(bytes, size),
		.clock = *clock,
		.arena = arena,
	};
	size_t place = 0;
	int status = read_header(&dump) ? 1 : -ERROR_NOT_FOUND;

	while (status > 0) {
		place = dump.reader.position;
		status = read_record(&dump);
	}
	if (status != -ERROR_NOT_FOUND)
		return status;
	log_message(log, LOG_WARNING, path, place,
		    "no jitdump, or damaged or cut off here: the functions "
		    "before are used");
	return 0;
}

static int add_run(struct array *runs, uint64_t start, uint64_t end)
{
	struct generated_run *last =
		runs->count ? array_at(runs, runs->count - 1) : NULL;

	if (last && start <= last->end) {
		if (end > last->end)
			last->end = end;
		return 0;
	}
	return array_append(runs, &(struct generated_run){ start, end });
}

/* Returns whether the functions are the same one, listed twice. */
static bool are_same(const struct generated_name *a,
		     const struct generated_name *b)
{
	return a->start == b->start && a->end == b->end &&
	       !strcmp(a->name, b->name) &&
	       (!a->code || !b->code ||
		!memcmp(a->code, b->code, (size_t)(a->end - a->start)));
}

/* Returns whether one of @runs has an address from @start to @end. */
static bool touches_pages(const struct array *runs, uint64_t start,
			  uint64_t end)
{
	size_t at = array_count_up_to(
		runs, KEYS(RISING(struct generated_run, end)), start);

	return at < runs->count &&
	       ((const struct generated_run *)array_at(runs, at))->start < end;
}

uint64_t generated_name_time(const struct generated_name *name)
{
	return name->time_ns <= 1 && name->until_ns ? name->until_ns :
						      name->time_ns;
}

bool generated_name_is_shared(const struct generated_names *names,
			      const struct generated_name *name)
{
	return touches_pages(&names->replaced, name->start, name->end);
}

static void set_first_times(struct generated_names *names)
{
	for (size_t i = 0; i < names->names.count; i++) {
		struct generated_name *name = array_at(&names->names, i);

		name->to_ns = UINT64_MAX;
		name->from_ns = 0;
		if (!generated_name_is_shared(names, name))
			continue;
		name->from_ns = name->until_ns ? UINT64_MAX : name->time_ns;
	}
}

int generated_names_list_times(struct generated_names *names)
{
	int error = 0;

	names->times.count = 0;
	for (size_t i = 0; i < names->names.count && !error; i++) {
		const struct generated_name *name = array_at(&names->names, i);

		if (name->from_ns)
			error = array_append(&names->times, &name->from_ns);
		if (!error && name->to_ns != UINT64_MAX)
			error = array_append(&names->times, &name->to_ns);
	}
	array_sort_by(&names->times, KEYS(RISING_NUMBER(uint64_t)));
	return error;
}

/* Returns whether HotSpot made the list: only it has an interpreter and stubs
 * in it.
 */
static bool is_of_hotspot(const struct generated_names *names)
{
	bool has_stubs = false;
	bool has_interpreter = false;

	for (size_t i = 0; i < names->names.count; i++) {
		const struct generated_name *name = array_at(&names->names, i);

		has_stubs |= !strncmp(name->name, "StubRoutines", 12);
		has_interpreter |= !strcmp(name->name, "Interpreter");
	}
	return has_stubs && has_interpreter;
}

/* Returns whether HotSpot's @name is a method: "void Class.method(int)", not
 * "StubRoutines (1)".
 */
static bool is_method(const char *name)
{
	const char *bracket = strchr(name, '(');

	return bracket && bracket > name && bracket[-1] != ' ';
}

static int list_patched(struct generated_names *names)
{
	bool is_hotspot = is_of_hotspot(names);
	int error = 0;

	for (size_t i = 0; is_hotspot && i < names->names.count && !error;
	     i++) {
		const struct generated_name *name = array_at(&names->names, i);

		if (is_method(name->name))
			error = add_run(&names->patched, name->start,
					name->end);
	}
	return error;
}

int generated_names_finish(struct generated_names *names)
{
	const struct generated_name *last = NULL;
	uint64_t end = 0;
	int error = 0;

	array_sort_by(&names->names,
		      KEYS(RISING(struct generated_name, start),
			   RISING(struct generated_name, order)));
	for (size_t i = 0; i < names->names.count && !error; i++) {
		const struct generated_name *name = array_at(&names->names, i);

		if (last && are_same(name, last))
			continue;
		error = add_run(&names->listed, name->start, name->end);
		if (!error && name->start < end)
			error = add_run(&names->replaced, name->start,
					name->end < end ? name->end : end);
		if (name->end > end)
			end = name->end;
		last = name;
	}
	if (!error)
		error = list_patched(names);
	set_first_times(names);
	return error ? error : generated_names_list_times(names);
}

bool generated_names_are_single(const struct generated_names *names,
				uint64_t start, uint64_t end)
{
	return touches_pages(&names->listed, start, end) &&
	       !touches_pages(&names->replaced, start, end) &&
	       !touches_pages(&names->patched, start, end);
}

bool generated_names_lack(const struct generated_names *names, uint64_t start,
			  uint64_t end, uint64_t time_ns)
{
	const struct generated_name *name;
	size_t at;

	if (!names->is_prompt || !generated_names_are_single(names, start, end))
		return false;
	/* Find the last start below @end, then its first entry: a function may
	 * be listed twice.
	 */
	at = array_count_below(&names->names,
			       KEYS(RISING(struct generated_name, start)), end);
	name = array_at(&names->names, at - 1);
	at = array_count_below(&names->names,
			       KEYS(RISING(struct generated_name, start)),
			       name->start);
	name = array_at(&names->names, at);
	return name->time_ns > time_ns;
}

size_t generated_names_epoch(const struct generated_names *names,
			     uint64_t time_ns)
{
	return array_count_up_to(&names->times, KEYS(RISING_NUMBER(uint64_t)),
				 time_ns);
}
