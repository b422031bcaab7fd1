/* SPDX-License-Identifier: MIT */
#include "archive/recording_archive.h"

#include "archive/archive_file_internal.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/regular_file.h"
#include "common/formats/perf_data.h"
#include "common/log.h"
#include "common/memory.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording_open.h"
#include "symbolize/arch/arch.h"
#include "symbolize/elf/elf_file.h"

#include <elf.h>
#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The files data, data.0, data.1 … of a recording as the one file that perf can
 * read: the records of all of them, then the features, with a new index of the
 * trace (perf's auxtrace_index). If a file ends inside its last record, as
 * after a killed recorder, a record of trace is shortened to the trace that is
 * present; a record of another type is left out.
 *
 *	data     header records          features index
 *	data.0                  records
 *	joined   header records records  features index
 *
 * Consecutive trace of a CPU becomes one record. The recorder's threads end a
 * record at the end of any page, also inside a packet, and perf does not
 * continue a packet in the next record (intel_pt_get_next_packet() of
 * tools/perf/util/intel-pt-decoder/intel-pt-decoder.c, on 64 bits).
 */
struct joined_data {
	struct array pieces; /* struct data_piece, in order */
	uint64_t size;	     /* of all pieces */
	struct byte_buffer index;
	struct arena *heads; /* the new records of trace */
	/* The last of them; NULL at the start of a file and after other records. */
	struct trace_record *last;
};

/* The position of the data's size in perf.data's header. */
enum { HEADER_DATA_SIZE = 48 };

enum { SECTION_BYTES = 16 };

static int add_piece(struct joined_data *joined, const uint8_t *bytes,
		     uint64_t size)
{
	const struct data_piece piece = { bytes, size };

	joined->size += size;
	return size ? array_append(&joined->pieces, &piece) : 0;
}

static void note_trace(struct joined_data *joined, const struct record *record,
		       uint64_t offset)
{
	if (record->type != PERF_DATA_AUXTRACE)
		return;
	byte_buffer_u64(&joined->index, offset);
	byte_buffer_u64(&joined->index, record->size);
}

/* Adds an AUXTRACE record, as yet without trace. */
static int add_head(struct joined_data *joined, const struct record *record)
{
	struct trace_record *head = arena_alloc(joined->heads, sizeof(*head));

	if (!head)
		return -ERROR_MEMORY;
	memcpy(head, record->bytes, sizeof(*head));
	head->size = 0;
	note_trace(joined, record, joined->size);
	joined->last = head;
	return add_piece(joined, (const uint8_t *)head, sizeof(*head));
}

/* Adds the trace of @record that is present. */
static int add_trace(struct joined_data *joined, const struct record *record)
{
	const struct trace_record *last = joined->last;
	uint64_t size = record->trailer_size;
	struct trace_record head;
	int error = 0;

	memcpy(&head, record->bytes, sizeof(head));
	if (record->trailer_cut)
		size &= ~UINT64_C(7);
	if (!last || head.index != last->index ||
	    head.offset != last->offset + last->size)
		error = add_head(joined, record);
	if (error)
		return error;
	joined->last->size += size;
	return add_piece(joined, record->trailer, size);
}

static int add_record(struct joined_data *joined, const struct record *record)
{
	if (record->type == PERF_DATA_AUXTRACE &&
	    record->size == sizeof(struct trace_record))
		return add_trace(joined, record);
	/* FINISHED_INIT records only fill pages. A record whose trailer is cut is
	 * dropped.
	 */
	if (record->type == PERF_DATA_FINISHED_INIT || record->trailer_cut)
		return 0;
	joined->last = NULL;
	note_trace(joined, record, joined->size);
	return add_piece(joined, record->bytes,
			 record->size + record->trailer_size);
}

static int add_part(struct joined_data *joined, const uint8_t *bytes,
		    uint64_t size)
{
	struct record record = { 0 };
	uint64_t done = 0;
	uint64_t length;
	int error = 0;

	joined->last = NULL;
	while (done < size && !error && !record.trailer_cut &&
	       !record_frame_read(bytes + done, size - done, &record,
				  &length)) {
		error = add_record(joined, &record);
		done += length;
	}
	return error;
}

static int add_parts(struct joined_data *joined, const struct data_file *file)
{
	int error = 0;

	for (size_t i = 0; i < file->parts.count && !error; i++) {
		const struct data_part *part = array_at(&file->parts, i);

		error = add_part(joined, file->map.bytes + part->start,
				 part->size);
	}
	return error;
}

/* Adds the records of trace in the file named "data" to the index. */
static void note_own(struct joined_data *joined, const struct data_file *file)
{
	uint64_t at = file->data_offset;
	const uint64_t end = at + file->data_size;
	struct record record;
	uint64_t length;

	while (at < end && !record_frame_read(file->map.bytes + at, end - at,
					      &record, &length)) {
		note_trace(joined, &record, at);
		at += length;
	}
}

/* Adds @more to the position in an entry of the features' table if it is @table
 * or higher: the bytes there move by that much.
 */
static void move_feature(uint8_t *entry, uint64_t table, uint64_t more)
{
	uint64_t offset;

	memcpy(&offset, entry, sizeof(offset));
	if (offset >= table)
		offset += more;
	memcpy(entry, &offset, sizeof(offset));
}

/* Adds the table of the features and the data after it. If the file had an
 * index of the trace, adds the new one, and sets the last entry of the table to
 * it: only our recorder's recordings are joined, and it writes no feature with a
 * higher number.
 */
static int add_features(struct joined_data *joined,
			const struct data_file *file, uint8_t *bytes,
			uint64_t size)
{
	const bool has_index = file->features[0] >> PERF_DATA_FEATURE_AUXTRACE &
			       1;
	const uint64_t table = file->feature_offset;
	uint64_t count = 0;
	uint64_t index[2];

	for (int i = 0; i < 4; i++)
		count += (uint64_t)__builtin_popcountll(file->features[i]);
	if (size - table < count * SECTION_BYTES)
		return -ERROR_FORMAT;
	for (uint64_t i = 0; i < count; i++)
		move_feature(bytes + table + i * SECTION_BYTES, table,
			     joined->size - table);
	index[0] = joined->size + size - table;
	index[1] = joined->index.size;
	if (has_index)
		memcpy(bytes + table + (count - 1) * SECTION_BYTES, index,
		       sizeof(index));
	if (add_piece(joined, bytes + table, size - table))
		return -ERROR_MEMORY;
	return has_index ? add_piece(joined, joined->index.bytes,
				     joined->index.size) :
			   0;
}

static int join(struct joined_data *joined, const struct data_file *file,
		uint8_t *bytes, uint64_t size)
{
	const uint64_t front = file->data_offset + file->data_size;
	uint64_t data_size;
	uint64_t count = 0;
	int error;

	if (file->is_pipe || file->is_cut || front > size)
		return -ERROR_FORMAT;
	byte_buffer_u64(&joined->index, 0);
	note_own(joined, file);
	error = add_piece(joined, bytes, front);
	if (!error)
		error = add_parts(joined, file);
	count = joined->index.size / SECTION_BYTES;
	if (joined->index.failed)
		return -ERROR_MEMORY;
	memcpy(joined->index.bytes, &count, sizeof(count));
	data_size = joined->size - file->data_offset;
	memcpy(bytes + HEADER_DATA_SIZE, &data_size, sizeof(data_size));
	return error ? error : add_features(joined, file, bytes, size);
}

/* Joins the files of @recording. @bytes is a copy of its file data, of @size
 * bytes, and is changed. Borrows both. Returns 0, -ERROR_MEMORY, or
 * -ERROR_FORMAT if data is a pipe's, is cut, or has parts that do not fit the
 * file; the caller frees @joined in any case.
 */
static int joined_data_make(struct joined_data *joined,
			    const struct recording *recording, uint8_t *bytes,
			    uint64_t size)
{
	const struct data_file *file = recording_data_file(recording);

	*joined = (struct joined_data){
		.pieces = ARRAY_OF(struct data_piece),
		.heads = arena_new(),
	};
	if (!joined->heads)
		return -ERROR_MEMORY;
	return file->parts.count ? join(joined, file, bytes, size) :
				   add_piece(joined, bytes, size);
}

static void joined_data_free(struct joined_data *joined)
{
	array_free(&joined->pieces);
	byte_buffer_free(&joined->index);
	arena_free(joined->heads);
}

/* The rest of this file has three parts: listing the traced programs' files and
 * their separate debug files, from all mappings of the recording; removing
 * private words from a copy of the records; and writing the archive, one member
 * after another, the records first.
 *
 * The copy is a private mapping, so that the recording does not change. A word
 * of a stack is kept if it is an address of code of any process at any time, or
 * of the stack itself; unwinding needs no others. The recording may be from an
 * untrusted source, and this user may read more than its author: only ELF files
 * are added, and no links in its folder are followed.
 */

/* A file of the traced programs. */
struct program_file {
	char *path; /* its present path */
	char *name; /* its path on the traced machine */
};

static int add(struct array *files, const char *path, const char *name)
{
	struct program_file *file = array_add(files);

	if (!file)
		return -ERROR_MEMORY;
	file->path = strdup(path);
	file->name = strdup(name);
	return file->path && file->name ? 0 : -ERROR_MEMORY;
}

static int compare_name(const void *a, const void *b)
{
	const struct program_file *one = a;
	const struct program_file *other = b;

	return strcmp(one->name ? one->name : "",
		      other->name ? other->name : "");
}

static void free_file(struct program_file *file)
{
	free(file->path);
	free(file->name);
}

/* Sorts the list and removes duplicates. */
static void make_unique(struct array *files)
{
	size_t kept = 0;

	array_sort(files, compare_name);
	for (size_t i = 0; i < files->count; i++) {
		struct program_file *file = array_at(files, i);

		if (kept && !compare_name(array_at(files, kept - 1), file))
			free_file(file);
		else
			*(struct program_file *)array_at(files, kept++) = *file;
	}
	files->count = kept;
}

/* Returns whether @path is an ELF file. A recording from an untrusted source
 * may name any file of this machine, and only such files are added.
 */
static bool is_elf(const char *path)
{
	int fd = *path ? regular_file_open(path) : -1;
	char magic[SELFMAG];
	bool is_read = fd >= 0 && read(fd, magic, SELFMAG) == SELFMAG;

	if (fd >= 0)
		close(fd);
	return is_read && !memcmp(magic, ELFMAG, SELFMAG);
}

static int add_map(const struct recording *recording,
		   const struct sideband_mmap *map, struct arena *arena,
		   struct array *files)
{
	const char *path;

	if (map->kernel || !map->executable || map->path[0] != '/' ||
	    map->path[1] == '/' || regular_file_goes_up(map->path) ||
	    recording_contains_program(recording, map))
		return 0;
	path = recording_user_path(recording, map, arena);
	if (!path)
		return -ERROR_MEMORY;
	if (!is_elf(path) || !recording_has_program(recording, map, path))
		return 0;
	return add(files, path, map->path);
}

static int add_maps(const struct recording *recording, struct arena *arena,
		    struct array *files)
{
	struct sideband *sideband =
		sideband_open(recording, SIDEBAND_BIT(SIDEBAND_MMAP));
	struct sideband_record record;
	int status = -ERROR_MEMORY;

	while (sideband && (status = sideband_next(sideband, &record)) > 0) {
		status = add_map(recording, &record.mmap, arena, files);
		/* Each process lists the same libraries: remove duplicates now
		 * and then.
		 */
		if (files->count % 4096 == 4095)
			make_unique(files);
		if (status)
			break;
	}
	sideband_close(sideband);
	make_unique(files);
	return status;
}

/* Adds the debug file of @file, if it has a separate one. */
static int add_debug_file(const struct program_file *file, struct array *files)
{
	const char *slash = strrchr(file->name, '/');
	char *path = elf_file_debug_path(file->path);
	char name[PATH_MAX];
	int length;
	int error;

	if (!path)
		return 0;
	length = snprintf(name, sizeof(name), "%.*s/.debug/%s",
			  (int)(slash - file->name), file->name,
			  strrchr(path, '/') + 1);
	error = length < (int)sizeof(name) ? add(files, path, name) : 0;
	free(path);
	return error;
}

/* Lists the ELF files that the recording's processes had mapped as code, if they
 * are still the same and the recording has no copy of them, and their debug
 * files, which go into a folder .debug beside each file, where
 * readers look for them. Sets @files to struct program_file, in order of name.
 *
 * Returns 0 or -ERROR_MEMORY. The caller frees the list in any case.
 */
static int program_files_find(const struct recording *recording,
			      struct array *files)
{
	struct arena *arena = arena_new();
	int error = -ERROR_MEMORY;
	size_t count;

	*files = ARRAY_OF(struct program_file);
	if (arena)
		error = add_maps(recording, arena, files);
	count = files->count;
	for (size_t i = 0; i < count && !error; i++) {
		/* A copy, since adding moves the list. */
		const struct program_file file =
			*(struct program_file *)array_at(files, i);

		error = add_debug_file(&file, files);
	}
	make_unique(files);
	arena_free(arena);
	return error;
}

static void program_files_free(struct array *files)
{
	for (size_t i = 0; i < files->count; i++)
		free_file(array_at(files, i));
	array_free(files);
}

/* How far a thread's stack may extend above its stack pointer. */
#define STACK_REACH (UINT64_C(1) << 23)

/* Addresses from @first up to, not including, @end. */
struct code_range {
	uint64_t first;
	uint64_t end;
};

struct stack_words {
	const struct recording *recording;
	const struct arch_frames *frames;
	uint8_t *bytes;
	size_t size;
	struct array code; /* struct code_range, sorted, disjoint */
};

static void join_ranges(struct array *code)
{
	size_t kept = 0;

	array_sort_by(code, KEYS(RISING(struct code_range, first)));
	for (size_t i = 0; i < code->count; i++) {
		const struct code_range *range = array_at(code, i);
		struct code_range *last = kept ? array_at(code, kept - 1) :
						 NULL;

		if (!last || range->first > last->end)
			*(struct code_range *)array_at(code, kept++) = *range;
		else if (range->end > last->end)
			last->end = range->end;
	}
	code->count = kept;
}

/* Collects the code ranges of all processes at all times: a word that is in
 * none of them is not a code address.
 */
static int read_code(struct stack_words *words)
{
	struct sideband *sideband =
		sideband_open(words->recording, SIDEBAND_BIT(SIDEBAND_MMAP));
	struct sideband_record record;
	int status = -ERROR_MEMORY;

	while (sideband && (status = sideband_next(sideband, &record)) > 0) {
		const struct sideband_mmap *map = &record.mmap;
		struct code_range *range;

		if (map->kernel || !map->executable)
			continue;
		range = array_add(&words->code);
		if (!range) {
			status = -ERROR_MEMORY;
			break;
		}
		range->first = map->address;
		range->end = map->address + map->size_bytes;
	}
	sideband_close(sideband);
	join_ranges(&words->code);
	return status;
}

static int compare_address(const void *key, const void *item)
{
	uint64_t address = *(const uint64_t *)key;
	const struct code_range *range = item;

	if (address < range->first)
		return -1;
	return address >= range->end;
}

static bool is_code(const struct stack_words *words, uint64_t word)
{
	uint64_t address = word & words->frames->code_bits;

	return words->code.count &&
	       bsearch(&address, words->code.items, words->code.count,
		       words->code.item_size, compare_address);
}

/* Zeroes the words of @stack, whose address is @first, that are neither
 * addresses of code nor of the stack itself.
 */
static void keep_addresses(const struct stack_words *words, uint8_t *stack,
			   size_t room, uint64_t first)
{
	size_t at = (size_t)(-first & 7);

	memset(stack, 0, at < room ? at : room);
	for (; at + 8 <= room; at += 8) {
		uint64_t word;

		memcpy(&word, stack + at, 8);
		if (word - first >= STACK_REACH && !is_code(words, word))
			memset(stack + at, 0, 8);
	}
	if (at < room)
		memset(stack + at, 0, room - at);
}

/* Zeroes the private words of a sample's copy of the user stack. The number
 * before the copy is the size reserved for it; the part that the kernel did not
 * fill may contain data of an earlier record.
 */
static int consume_sample(struct stack_words *words,
			  const struct sideband_user_state *user)
{
	const struct arch_frames *frames = words->frames;
	uint64_t kept = user->stack_size;
	uint64_t first = 0;
	uint64_t offset;
	uint64_t room;

	if (!recording_offset(words->recording, user->stack, &offset) ||
	    offset < 8 || offset > words->size)
		return -ERROR_UNSUPPORTED;
	memcpy(&room, words->bytes + offset - 8, 8);
	if (room > words->size - offset)
		room = words->size - offset;
	/* A stack cannot be unwound without registers. */
	if (kept > room || !frames->register_count ||
	    !sideband_register(&user->registers,
			       frames->perf_registers[frames->stack_pointer],
			       &first))
		kept = 0;
	memset(words->bytes + offset + kept, 0, room - kept);
	keep_addresses(words, words->bytes + offset, kept, first);
	return 0;
}

static int consume_samples(struct stack_words *words, size_t *stacks)
{
	struct sideband *sideband =
		sideband_open(words->recording, SIDEBAND_BIT(SIDEBAND_SAMPLE));
	struct sideband_record record;
	int status = -ERROR_MEMORY;

	while (sideband && (status = sideband_next(sideband, &record)) > 0) {
		if (!record.sample.user.stack)
			continue;
		status = consume_sample(words, &record.sample.user);
		if (status)
			break;
		++*stacks;
	}
	sideband_close(sideband);
	return status;
}

/* Removes private data from copies of user stacks, such as environments and
 * passwords. In @bytes, a copy of the recording's data file of @size bytes,
 * sets every word of each stack's copy to zero, except addresses of code or of
 * the stack itself, which unwinding needs.
 *
 * Returns 0 and the number of stacks; -ERROR_MEMORY; -ERROR_UNSUPPORTED if
 * stacks are in compressed records, where they cannot be changed.
 */
static int stack_words_keep(const struct recording *recording, uint8_t *bytes,
			    size_t size, size_t *stacks)
{
	struct stack_words words = {
		.recording = recording,
		.frames = &arch_for(recording_arch(recording))->frames,
		.bytes = bytes,
		.size = size,
		.code = ARRAY_OF(struct code_range),
	};
	int status;

	*stacks = 0;
	status = read_code(&words);
	if (!status)
		status = consume_samples(&words, stacks);
	array_free(&words.code);
	return status;
}

struct packing {
	const struct recording_archive_options *options;
	const struct log *log;
	struct recording *recording;
	struct seekable_writer writer;
	struct archive_result *result;
};

/* Returns a private mapping of the file open as @fd, of @size bytes, or NULL.
 */
static uint8_t *own_copy(int fd, size_t size)
{
	void *bytes =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);

	return bytes == MAP_FAILED ? NULL : bytes;
}

static int leave_stacks_out(struct packing *packing, uint8_t *bytes,
			    uint64_t size)
{
	int error = stack_words_keep(packing->recording, bytes, size,
				     &packing->result->stacks);

	if (error == -ERROR_UNSUPPORTED)
		log_message(packing->log, LOG_ERROR, "data", LOG_NO_OFFSET,
			    "stacks in compressed records cannot be left out: "
			    "--keep-stacks keeps them");
	return error;
}

/* Adds @bytes, of @size bytes, together with the other files of records. */
static int add_joined(struct packing *packing, struct tar_header *header,
		      uint8_t *bytes, uint64_t size)
{
	struct joined_data joined;
	int error = joined_data_make(&joined, packing->recording, bytes, size);

	if (error == -ERROR_FORMAT)
		log_message(packing->log, LOG_ERROR, "data", LOG_NO_OFFSET,
			    "too damaged to append data.0 and others to it");
	header->size = joined.size;
	if (!error)
		error = archive_add_pieces(&packing->writer, header,
					   joined.pieces.items,
					   joined.pieces.count);
	packing->result->recording_bytes += joined.size;
	joined_data_free(&joined);
	return error;
}

static int add_changed(struct packing *packing, int fd, const struct stat *stat)
{
	struct tar_header header = {
		.name = "data",
		.type = TAR_FILE,
		.mode = stat->st_mode & 0777,
		.changed = stat->st_mtim,
	};
	const size_t size = (size_t)stat->st_size;
	uint8_t *bytes = own_copy(fd, size);
	int error = 0;

	if (!bytes) {
		log_message(packing->log, LOG_ERROR, "data", LOG_NO_OFFSET,
			    "cannot be read: %s", strerror(errno));
		return -ERROR_SYSTEM;
	}
	if (!packing->options->keeps_stacks)
		error = leave_stacks_out(packing, bytes, size);
	if (!error)
		error = add_joined(packing, &header, bytes, size);
	munmap(bytes, size);
	return error;
}

/* Adds the files data, data.0 … of the recording as one member named "data".
 */
static int add_data(struct packing *packing)
{
	const char *path = recording_data_path(packing->recording);
	int fd = regular_file_open(path);
	struct stat stat;
	int error = -ERROR_SYSTEM;

	if (fd < 0 || fstat(fd, &stat) < 0)
		log_message(packing->log, LOG_ERROR, path, LOG_NO_OFFSET,
			    "cannot be read: %s", regular_file_error(errno));
	else if (!stat.st_size)
		error = archive_add_file(&packing->writer, path, "data");
	else
		error = add_changed(packing, fd, &stat);
	if (fd >= 0)
		close(fd);
	return error;
}

static int add_entry(struct packing *packing, const FTSENT *entry,
		     const char *name)
{
	struct tar_header header = {
		.type = TAR_FOLDER,
		.mode = entry->fts_statp->st_mode & 0777,
		.changed = entry->fts_statp->st_mtim,
	};

	snprintf(header.name, sizeof(header.name), "%s", name);
	if (entry->fts_info == FTS_D)
		return archive_add_folder(&packing->writer, &header);
	if (entry->fts_info == FTS_SL)
		log_message(packing->log, LOG_WARNING, entry->fts_path,
			    LOG_NO_OFFSET,
			    "left out: a link, which may lead to any file");
	if (entry->fts_info != FTS_F)
		return 0;
	packing->result->recording_bytes += (uint64_t)entry->fts_statp->st_size;
	return archive_add_file(&packing->writer, entry->fts_path, name);
}

static int compare_entry(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Returns whether @name is a file of records that joined_data_make() adds. */
static bool is_joined(const struct packing *packing, const char *name)
{
	const struct array *parts =
		&recording_data_file(packing->recording)->parts;

	for (size_t i = 0; i < parts->count; i++)
		if (!strcmp(((const struct data_part *)parts->items)[i].name,
			    name))
			return true;
	return false;
}

/* Returns whether the file or folder @name of the recording is left out: the
 * data, which is added by add_data(); the cached symbols, which are made from
 * kallsyms again; and copies of programs' files if the user wants none in the
 * archive.
 */
static bool is_left_out(const struct packing *packing, const char *name)
{
	static const char programs[] = "programs";
	const size_t length = sizeof(programs) - 1;

	if (!strcmp(name, "data") || !strcmp(name, "symbols") ||
	    is_joined(packing, name))
		return true;
	return packing->options->without_files &&
	       !strncmp(name, programs, length) &&
	       (!name[length] || name[length] == '/');
}

/* Adds all other files of the folder @path. Does not follow links in it: in
 * another user's recording they could lead to files of the user who packs it.
 */
static int add_folder(struct packing *packing, const char *path)
{
	char *copy = strdup(path);
	char *const roots[] = { copy, NULL };
	FTS *tree = copy ? fts_open(roots,
				    FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR,
				    compare_entry) :
			   NULL;
	FTSENT *entry;
	int error = tree ? 0 : -ERROR_MEMORY;

	while (!error && (entry = fts_read(tree))) {
		const char *name = entry->fts_path + entry->fts_pathlen;

		/* The part after the root, which may end with a slash. */
		for (short level = entry->fts_level; level > 0; level--)
			do
				name--;
			while (name > entry->fts_path && name[-1] != '/');
		if (entry->fts_level > 0 && !is_left_out(packing, name))
			error = add_entry(packing, entry, name);
	}
	if (tree)
		fts_close(tree);
	free(copy);
	return error;
}

static int add_programs(struct packing *packing)
{
	struct array files;
	int error = program_files_find(packing->recording, &files);

	for (size_t i = 0; i < files.count && !error; i++) {
		const struct program_file *file = array_at(&files, i);
		char name[PATH_MAX];

		if (snprintf(name, sizeof(name), "files%s", file->name) >=
		    PATH_MAX)
			continue;
		error = archive_add_file(&packing->writer, file->path, name);
		packing->result->files++;
	}
	program_files_free(&files);
	return error;
}

static bool is_folder(const char *path, const char *below)
{
	char name[PATH_MAX];
	struct stat stat_of_name;

	snprintf(name, sizeof(name), "%s%s", path, below);
	return !stat(name, &stat_of_name) && S_ISDIR(stat_of_name.st_mode);
}

static int pack(struct packing *packing, const char *path)
{
	bool has_programs = is_folder(path, "/files") ||
			    packing->options->without_files ||
			    !recording_names_user(packing->recording);
	int error = add_data(packing);

	if (!error && is_folder(path, ""))
		error = add_folder(packing, path);
	if (!error && !has_programs)
		error = add_programs(packing);
	if (!error)
		error = archive_finish(&packing->writer);
	packing->result->archive_bytes = packing->writer.written;
	return error;
}

int recording_archive_write(const char *path, int fd, const char *name,
			    const struct recording_archive_options *options,
			    const struct log *log,
			    struct archive_result *result)
{
	struct packing packing = {
		.options = options,
		.log = log,
		.result = result,
	};
	int error = recording_open(path, log, &packing.recording);

	if (error)
		return error;
	recording_set_root(packing.recording, options->symfs);
	error = seekable_writer_open(&packing.writer, fd, name, log);
	if (!error)
		error = pack(&packing, path);
	seekable_writer_free(&packing.writer);
	recording_close(packing.recording);
	return error;
}
