/* SPDX-License-Identifier: MIT */
#include "symbolize/kernel/kernel_symbols.h"

#include "common/budget.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/cache_file.h"
#include "common/files/file_io.h"
#include "common/files/file_map.h"
#include "common/files/output_folder.h"
#include "common/files/regular_file.h"
#include "common/formats/build_id.h"
#include "common/formats/kallsyms.h"
#include "common/log.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_name.h"
#include "symbolize/functions/function_table.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct kernel_reader {
	struct kernel_symbols kernel;
	const struct recording *recording;
	const struct log *log;
	struct log_buffer *kept; /* NULL: no thread reads */
	pthread_t thread;
	int status; /* result of the thread */
};

static void start(struct kernel_reader *reader);

/* The file: this header, the symbols, the functions. Members are in the byte
 * order of this machine: a machine with another order runs another program, and
 * so has another key.
 */
struct header {
	char magic[8];
	uint64_t key;
	uint64_t hash; /* of everything after it */
	uint64_t symbols;
};

/* The offset of the first byte that is hashed. */
#define HASHED_FROM offsetof(struct header, symbols)

static const char magic[8] = "ktsymb1";

/* A file larger than that is not ours: a kernel has some 10 MB of symbols. */
enum { MOST_BYTES = 1 << 28 };

/* Sets *@key for the symbols of @recording. Returns false if the recording has
 * no copy of kallsyms in a file, or a file cannot be read: the symbols are not
 * cached then.
 */
static bool cached_symbols_key(const struct recording *recording, uint64_t *key)
{
	const char *kallsyms = recording_kallsyms_path(recording);
	const char *modules = recording_modules_path(recording);

	*key = pack_hash_number(PACK_HASH_FIRST, build_id);
	return kallsyms && cache_key_add_file(key, kallsyms) &&
	       (!modules || cache_key_add_file(key, modules)) &&
	       cache_key_add_file(key, recording_data_path(recording));
}

/* Maps the file @fd. All of it is read soon, so its pages are prefaulted where
 * the kernel supports this. Returns 0, or -ERROR_SYSTEM with errno.
 */
static int map_all(int fd, size_t most_bytes, struct file_map *map)
{
	if (file_map_open_fd(map, fd) < 0)
		return -ERROR_SYSTEM;
	if (map->size > most_bytes) {
		file_map_close(map);
		errno = EFBIG;
		return -ERROR_SYSTEM;
	}
	if (map->bytes)
		madvise((void *)(uintptr_t)map->bytes, map->size,
			MADV_POPULATE_READ);
	return 0;
}

/* Returns whether only this user or root can write to @file. */
static bool is_own(const struct stat *file)
{
	return (file->st_uid == geteuid() || file->st_uid == 0) &&
	       !(file->st_mode & (S_IWGRP | S_IWOTH));
}

/* Copies the @size bytes of the file @fd to memory. @map stays empty on error. */
static void copy_all(int fd, size_t size, struct file_map *map)
{
	struct pages pages = { 0 };

	if (!size || size > MOST_BYTES || !pages_grow(&pages, size))
		return;
	if (read_at(fd, pages.memory, size, 0) < 0)
		pages_free(&pages);
	else
		*map = (struct file_map){ pages.memory, size };
}

/* Maps the cached file, or copies it if another user could change it after it
 * was checked. Returns whether it has @key, and its hash and counts match its
 * size.
 */
static bool map_whole(const char *path, uint64_t key, struct file_map *file)
{
	int fd = regular_file_open_cached(path);
	const struct header *header;
	struct stat stat;
	bool is_whole;

	*file = (struct file_map){ 0 };
	if (fd < 0)
		return false;
	if (!fstat(fd, &stat) && !is_own(&stat))
		copy_all(fd, (size_t)stat.st_size, file);
	else
		map_all(fd, MOST_BYTES, file);
	close(fd);
	header = (const void *)file->bytes;
	is_whole = file->size >= sizeof(*header) &&
		   !memcmp(header->magic, magic, sizeof(magic)) &&
		   header->key == key &&
		   header->hash == pack_hash(PACK_HASH_FIRST,
					     file->bytes + HASHED_FROM,
					     file->size - HASHED_FROM) &&
		   header->symbols <= (file->size - sizeof(*header)) /
					      sizeof(struct symbol);
	if (!is_whole)
		file_map_close(file);
	return is_whole;
}

int cached_symbols_load(const struct cached_symbols *symbols, uint64_t key,
			const struct log *log)
{
	const struct header *header;
	const struct symbol *all;
	const uint8_t *functions;
	struct file_map file;
	int status;

	if (!map_whole(symbols->path, key, &file))
		return 0;
	header = (const void *)file.bytes;
	all = (const void *)(header + 1);
	functions = (const void *)(all + header->symbols);
	status = function_table_load(symbols->functions, &file, functions,
				     file.size -
					     (size_t)(functions - file.bytes));
	if (!status)
		status = address_map_load(symbols->map, all, header->symbols,
					  function_count(symbols->functions));
	if (status == -ERROR_FORMAT)
		log_message(log, LOG_ERROR, symbols->path, LOG_NO_OFFSET,
			    "was not written by this program; remove it");
	return status ? status : 1;
}

/* Returns the bytes of the file; failed when out of memory. */
static struct byte_buffer file_of(const struct cached_symbols *symbols,
				  uint64_t key)
{
	struct byte_buffer out = { 0 };
	struct header header = { .key = key };
	size_t count;
	const struct symbol *all = address_map_symbols(symbols->map, &count);

	memcpy(header.magic, magic, sizeof(magic));
	header.symbols = count;
	byte_buffer_add(&out, &header, sizeof(header));
	byte_buffer_add(&out, all, count * sizeof(*all));
	function_table_save(symbols->functions, &out);
	if (out.failed)
		return out;
	header.hash = pack_hash(PACK_HASH_FIRST, out.bytes + HASHED_FROM,
				out.size - HASHED_FROM);
	memcpy(out.bytes, &header, sizeof(header));
	return out;
}

void cached_symbols_save(const struct cached_symbols *symbols, uint64_t key)
{
	struct output_draft draft;

	if (output_draft_open(&draft, symbols->path)) {
		struct byte_buffer out = file_of(symbols, key);

		if (!out.failed && !write_at(draft.fd, out.bytes, out.size, 0))
			output_draft_finish(&draft);
		byte_buffer_free(&out);
	}
	output_draft_close(&draft);
}

/* The kernel's symbols from three sources: kallsyms (or trace.dat's copy of
 * it), /proc/modules for the ends of modules, and KSYMBOL records for code that
 * was loaded later. kallsyms is parsed once, in one pass, as it has megabytes.
 *
 * If an address has several names, one with a role is used, else one of
 * kallsyms, else one of a KSYMBOL record, else a mark of a section; of equal
 * ones the last in the file, as in perf. Symbols end where the next one starts;
 * a module's last one ends with the module. Code that the kernel generated is
 * at different addresses each time, so its functions are not distinguished by
 * address.
 *
 * A finished set is cached beside the recording.
 */

/* One line of /proc/modules: the location of a module's code. */
struct module_line {
	const char *name; /* not NUL-terminated; part of the caller's text */
	size_t name_length;
	uint64_t address;
	uint64_t size_bytes;
};

/* An iterator over the text of /proc/modules. */
struct module_map {
	const char *text; /* borrowed */
	const char *end;
};

int text_file_read(const char *path, const struct log *log,
		   struct text_file *file)
{
	int fd = regular_file_open(path);
	struct file_map map = { 0 };
	int status = -ERROR_SYSTEM;

	if (fd >= 0)
		status = map_all(fd, BUDGET_TEXT_BYTES, &map);
	*file = (struct text_file){ (const char *)map.bytes, map.size };
	if (status < 0)
		log_message(log, LOG_ERROR, path, LOG_NO_OFFSET,
			    "cannot be read: %s", regular_file_error(errno));
	if (fd >= 0)
		close(fd);
	return status;
}

void text_file_free(struct text_file *file)
{
	file_map_close(&(struct file_map){
		.bytes = (const uint8_t *)file->text,
		.size = file->size_bytes,
	});
	*file = (struct text_file){ 0 };
}

/* Returns the address of the kernel proper's symbol @name, 0 if it has none.
 * The text has megabytes, so only the lines that contain the name are parsed.
 */
static uint64_t address_of(const char *text, size_t size, const char *name)
{
	const char *end = text + size;
	const char *at = text;
	struct kallsyms_line line;

	while (at < end &&
	       (at = memmem(at, (size_t)(end - at), name, strlen(name)))) {
		const char *begin = memrchr(text, '\n', (size_t)(at - text));
		struct kallsyms kallsyms;

		begin = begin ? begin + 1 : text;
		kallsyms = kallsyms_of(begin, (size_t)(end - begin));
		if (kallsyms_next(&kallsyms, &line) &&
		    kallsyms_line_is_kernels(&line, name))
			return line.address;
		at += strlen(name);
	}
	return 0;
}

bool kernel_range_find(const char *text, size_t size, const char *name,
		       struct kernel_range *range)
{
	char start[64];
	char end[64];

	snprintf(start, sizeof(start), "__%s_text_start", name);
	snprintf(end, sizeof(end), "__%s_text_end", name);
	range->start = address_of(text, size, start);
	range->end = address_of(text, size, end);
	if (range->start && range->start < range->end)
		return true;
	*range = (struct kernel_range){ 0, 0 };
	return false;
}

static struct module_map module_map_of(const char *text, size_t size)
{
	return (struct module_map){ .text = text, .end = text + size };
}

/* Parses a line of /proc/modules: "name size references users state address",
 * see m_show() in kernel/module/procfs.c.
 */
static bool read_line(const char *text, size_t length, struct module_line *line)
{
	char copy[512];
	const char *blank = memchr(text, ' ', length);
	unsigned long long size;
	unsigned long long address;

	if (!blank || length >= sizeof(copy))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	if (sscanf(copy, "%*s %llu %*s %*s %*s 0x%llx", &size, &address) != 2)
		return false;
	line->name = text;
	line->name_length = (size_t)(blank - text);
	line->address = address;
	line->size_bytes = size;
	return address != 0;
}

/* Returns 1 and sets @line, or returns 0 at the end. Skips invalid lines. */
static int module_map_next(struct module_map *map, struct module_line *line)
{
	while (map->text < map->end) {
		const char *at = map->text;
		size_t left = (size_t)(map->end - at);
		const char *end = memchr(at, '\n', left);

		if (!end)
			end = map->end;
		map->text = end + (end < map->end);
		if (read_line(at, (size_t)(end - at), line))
			return 1;
	}
	return 0;
}

/* The precedence of names for one address, ascending. */
enum {
	RANK_MARK, /* of a section */
	/* code announced while recording; a name in kallsyms wins */
	RANK_ANNOUNCED,
	RANK_KALLSYMS,
	RANK_ROLE, /* a name with a role, as a thunk's */
};

static bool is_code(char type)
{
	return type == 'T' || type == 't' || type == 'W' || type == 'w';
}

/* Returns whether a symbol of @type is absolute: an offset into per-CPU data,
 * not an address.
 */
static bool is_offset(char type)
{
	return type == 'A' || type == 'a';
}

/* Returns whether the symbol is one of Arm's "$x", "$d" …, which separate code
 * from data (ELF for the Arm architecture).
 */
static bool is_mapping(const struct kallsyms_line *line)
{
	return line->name_length && line->name[0] == '$';
}

static unsigned int rank_of(const struct kallsyms_line *line, uint8_t role)
{
	if (role != CODE_FUNCTION)
		return RANK_ROLE;
	return function_name_is_mark(line->name, line->name_length) ?
		       RANK_MARK :
		       RANK_KALLSYMS;
}

/* Returns whether the running kernel generated the symbol's code: BPF programs,
 * trampolines of ftrace and kprobes. Such code is at different addresses each
 * time, and often exists several times.
 */
static bool is_generated(const struct kallsyms_line *line)
{
	static const char builtin[] = "__builtin__";
	size_t length = sizeof(builtin) - 1;

	return (line->module_length == 3 && !memcmp(line->module, "bpf", 3)) ||
	       (line->module_length > length &&
		!memcmp(line->module, builtin, length));
}

/* Returns the number of the function that @line is an entry, a cold part or the
 * padding of. Adds the function if it is new. FUNCTION_NONE: out of memory.
 */
static uint32_t function_of(const struct kernel_symbols *kernel,
			    const struct kallsyms_line *line,
			    const char *module, const struct symbol *symbol)
{
	const char *name = line->name;
	size_t length = line->name_length;
	uint32_t function;

	if (symbol->padding) {
		size_t padding = function_name_padding(name, length);

		return function_table_add(kernel->functions, name + padding,
					  length - padding, module, 'k');
	}
	if (!symbol->is_cold && !is_generated(line))
		return function_table_add_entry(kernel->functions, name, length,
						module, 'k', line->address);
	function = function_table_add(kernel->functions, name, length, module,
				      'k');
	if (function != FUNCTION_NONE && !symbol->is_cold)
		function_table_locate(kernel->functions, function,
				      line->address);
	return function;
}

static int add_code(const struct kernel_symbols *kernel,
		    const struct name_lookup *roles,
		    const struct kallsyms_line *line)
{
	struct symbol symbol = {
		.start = line->address,
		.padding = function_name_padding(line->name,
						 line->name_length) > 0,
		.is_cold = function_name_is_cold(line->name, line->name_length),
	};
	const char *module = function_table_module(
		kernel->functions, line->module, line->module_length);

	if (!module)
		return -ERROR_MEMORY;
	symbol.function = function_of(kernel, line, module, &symbol);
	if (symbol.function == FUNCTION_NONE)
		return -ERROR_MEMORY;
	if (!symbol.padding)
		symbol.role = (uint8_t)arch_role(kernel->arch, roles,
						 line->name, line->name_length);
	return address_map_add(kernel->map, &symbol,
			       rank_of(line, symbol.role));
}

/* Reserves memory by typical sizes: kallsyms of x86-64 has 44 bytes a line and
 * 67 a function.
 */
static int reserve(const struct kernel_symbols *kernel, size_t size)
{
	int status = address_map_reserve(kernel->map, size / 40);

	return status ? status :
			function_table_reserve(kernel->functions, size / 64);
}

/* Handles a data symbol: it ends the function before it. The kernel's own
 * symbols are sorted, so the data symbols that follow it are skipped, until
 * there is code again. *@data is the address of the previous symbol if that was
 * the kernel's own data, else 0.
 */
static int add_data(const struct kernel_symbols *kernel,
		    const struct kallsyms_line *line, uint64_t *data)
{
	uint64_t before = *data;

	*data = line->module_length ? 0 : line->address;
	if (before && before <= *data)
		return 0;
	return address_map_stop(kernel->map, line->address);
}

int kernel_symbols_add_kallsyms(const struct kernel_symbols *kernel,
				const char *text, size_t size)
{
	const struct name_lookup roles =
		name_lookup_of(kernel->arch->roles, kernel->arch->role_count);
	struct kallsyms kallsyms = kallsyms_of(text, size);
	struct kallsyms_line line;
	/* address of the previous symbol if that is the kernel's own data */
	uint64_t data = 0;
	int status = reserve(kernel, size);

	while (!status && kallsyms_next(&kallsyms, &line) > 0) {
		/* With kptr_restrict all addresses are zero. */
		if (!line.address || is_offset(line.type) ||
		    is_mapping(&line) ||
		    function_name_is_label(line.name, line.name_length))
			continue;
		if (!is_code(line.type)) {
			status = add_data(kernel, &line, &data);
			continue;
		}
		status = add_code(kernel, &roles, &line);
		data = 0;
	}
	return status;
}

int kernel_symbols_add_modules(const struct kernel_symbols *kernel,
			       const char *text, size_t size)
{
	struct module_map modules = module_map_of(text, size);
	struct module_line line;
	int status = 0;

	while (!status && module_map_next(&modules, &line) > 0) {
		status = address_map_stop(kernel->map, line.address);
		if (!status)
			status = address_map_stop(
				kernel->map, line.address + line.size_bytes);
	}
	return status;
}

/* Adds code announced while recording: BPF programs, trampolines. */
static int kernel_symbols_add_named(const struct kernel_symbols *kernel,
				    uint64_t address, uint64_t size_bytes,
				    const char *name)
{
	const char *module = function_table_module(kernel->functions, "", 0);
	struct symbol symbol = {
		.start = address,
		.end = address + size_bytes,
	};

	/* The record is untrusted: its range may exceed the address space. */
	if (symbol.end < address)
		return 0;
	symbol.function = function_table_add(kernel->functions, name,
					     strlen(name), module, 'k');
	if (symbol.function == FUNCTION_NONE)
		return -ERROR_MEMORY;
	function_table_locate(kernel->functions, symbol.function, address);
	return address_map_add(kernel->map, &symbol, RANK_ANNOUNCED);
}

int kernel_symbols_finish(const struct kernel_symbols *kernel)
{
	int status = address_map_finish(kernel->map);

	return status ? status :
			same_names_tell_apart(kernel->functions, kernel->map);
}

/* Returns whether any symbol was added. */
static bool kernel_symbols_usable(const struct kernel_symbols *kernel)
{
	return function_count(kernel->functions) > 1;
}

/* Reads the copy of kallsyms that trace-cmd stores in the recording itself. */
static int read_kept_kallsyms(const struct kernel_symbols *kernel,
			      const struct recording *recording,
			      const struct log *log)
{
	struct text_part text = recording_kallsyms(recording);
	int status =
		kernel_symbols_add_kallsyms(kernel, text.text, text.size_bytes);

	if (!status && !kernel_symbols_usable(kernel))
		log_message(log, LOG_WARNING, recording_path(recording),
			    LOG_NO_OFFSET,
			    "its kallsyms has no addresses: it was recorded "
			    "without the right to see them "
			    "(kernel.kptr_restrict)");
	return status;
}

static int read_kallsyms(const struct kernel_symbols *kernel,
			 const struct recording *recording,
			 const struct log *log)
{
	const char *path = recording_kallsyms_path(recording);
	struct text_file file;
	int status;

	if (!path && recording_kallsyms(recording).text)
		return read_kept_kallsyms(kernel, recording, log);
	if (!path) {
		log_message(log, LOG_WARNING, recording_path(recording),
			    LOG_NO_OFFSET,
			    "holds no copy of kallsyms: kernel functions have "
			    "no names; record with ktrace-hw record or perf "
			    "record --kcore, or put the traced kernel's "
			    "/proc/kallsyms beside a snapshot.ini");
		return 0;
	}
	status = text_file_read(path, log, &file);
	if (status < 0)
		return status;
	status =
		kernel_symbols_add_kallsyms(kernel, file.text, file.size_bytes);
	if (!status && !kernel_symbols_usable(kernel))
		log_message(log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "has no addresses: it was copied without the right "
			    "to see them (kernel.kptr_restrict)");
	text_file_free(&file);
	return status;
}

static int read_modules(const struct kernel_symbols *kernel,
			const struct recording *recording,
			const struct log *log)
{
	const char *path = recording_modules_path(recording);
	struct text_file file;
	int status;

	if (!path)
		return 0;
	status = text_file_read(path, log, &file);
	if (status < 0)
		return status;
	status = kernel_symbols_add_modules(kernel, file.text, file.size_bytes);
	text_file_free(&file);
	return status;
}

static int read_ksymbols(const struct kernel_symbols *kernel,
			 const struct recording *recording)
{
	struct sideband *sideband =
		sideband_open(recording, SIDEBAND_BIT(SIDEBAND_KSYMBOL));
	struct sideband_record record;
	int status = -ERROR_MEMORY;

	if (!sideband)
		return status;
	while ((status = sideband_next(sideband, &record)) > 0) {
		if (record.ksymbol.unregister)
			continue;
		status = kernel_symbols_add_named(kernel,
						  record.ksymbol.address,
						  record.ksymbol.size_bytes,
						  record.ksymbol.name);
		if (status < 0)
			break;
	}
	sideband_close(sideband);
	return status;
}

static int read_all(const struct kernel_symbols *kernel,
		    const struct recording *recording, const struct log *log)
{
	int status = read_kallsyms(kernel, recording, log);

	if (!status)
		status = read_modules(kernel, recording, log);
	if (!status)
		status = read_ksymbols(kernel, recording);
	return status ? status : kernel_symbols_finish(kernel);
}

int kernel_symbols_add_all(const struct kernel_symbols *kernel,
			   const struct recording *recording,
			   const struct log *log)
{
	const struct cached_symbols cached = {
		.functions = kernel->functions,
		.map = kernel->map,
		.path = kernel->cache,
	};
	uint64_t key;
	bool has_key = kernel->cache && cached_symbols_key(recording, &key);
	int status = has_key ? cached_symbols_load(&cached, key, log) : 0;

	if (status)
		return status < 0 ? status : 0;
	status = read_all(kernel, recording, log);
	/* Without names nothing is cached: the next command must warn again. */
	if (!status && has_key && kernel_symbols_usable(kernel))
		cached_symbols_save(&cached, key);
	return status;
}

static void *read_apart(void *ctx)
{
	struct kernel_reader *reader = ctx;

	reader->status = kernel_symbols_add_all(&reader->kernel,
						reader->recording,
						log_buffer_log(reader->kept));
	return NULL;
}

/* Starts a thread that reads the symbols. If it cannot be started,
 * kernel_reader_end() reads them.
 */
static void start(struct kernel_reader *reader)
{
	reader->kept = log_buffer_new();
	if (!reader->kept ||
	    !pthread_create(&reader->thread, NULL, read_apart, reader))
		return;
	log_buffer_free(reader->kept);
	reader->kept = NULL;
}

struct kernel_reader *kernel_reader_begin(const struct kernel_symbols *kernel,
					  const struct recording *recording,
					  const struct log *log, bool is_apart)
{
	struct kernel_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->kernel = *kernel;
	reader->recording = recording;
	reader->log = log;
	if (is_apart)
		start(reader);
	return reader;
}

static int await(struct kernel_reader *reader)
{
	pthread_join(reader->thread, NULL);
	log_buffer_pass_on(reader->kept, reader->log);
	log_buffer_free(reader->kept);
	return reader->status;
}

int kernel_reader_end(struct kernel_reader *reader)
{
	int status;

	if (!reader)
		return -ERROR_MEMORY;
	status = reader->kept ?
			 await(reader) :
			 kernel_symbols_add_all(&reader->kernel,
						reader->recording, reader->log);
	free(reader);
	return status;
}
