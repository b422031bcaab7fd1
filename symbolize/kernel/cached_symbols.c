/* SPDX-License-Identifier: MIT */
#include "symbolize/kernel/cached_symbols_internal.h"

#include "common/bytes.h"
#include "common/error.h"
#include "common/files/cache_file.h"
#include "common/files/file_io.h"
#include "common/files/output_folder.h"
#include "common/files/regular_file.h"
#include "common/formats/build_id.h"
#include "common/log.h"
#include "common/memory.h"
#include "decoder/recording/recording.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file: this header, the symbols, the functions. Members are in the byte
 * order of the machine: another program would have another key.
 */
struct header {
	char magic[8];
	uint64_t key;
	uint64_t hash; /* of everything after it */
	uint64_t symbols;
};

/* Where the bytes begin that the hash is of. */
#define HASHED_FROM offsetof(struct header, symbols)

static const char magic[8] = "ktsymb1";

/* A file larger than that is not ours: a kernel has some 10 MB of symbols. */
enum { MOST_BYTES = 1 << 28 };

bool cached_symbols_key(const struct recording *recording, uint64_t *key)
{
	const char *kallsyms = recording_kallsyms_path(recording);
	const char *modules = recording_modules_path(recording);

	*key = pack_hash_number(PACK_HASH_FIRST, build_id);
	return kallsyms && cache_key_add_file(key, kallsyms) &&
	       (!modules || cache_key_add_file(key, modules)) &&
	       cache_key_add_file(key, recording_data_path(recording));
}

/* Reads the whole file. Returns its bytes, which the caller frees, and their
 * number; NULL if it cannot be read.
 */
static uint8_t *read_file(const char *path, size_t *size)
{
	int fd = regular_file_open_cached(path);
	uint8_t *bytes = NULL;
	struct stat file;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &file) && file.st_size <= MOST_BYTES &&
	    file.st_size >= (off_t)sizeof(struct header)) {
		*size = (size_t)file.st_size;
		bytes = large_memory_new(*size);
	}
	if (bytes && read_at(fd, bytes, *size, 0) < 0) {
		free(bytes);
		bytes = NULL;
	}
	close(fd);
	return bytes;
}

/* Returns whether the @size bytes at @bytes start with a header of @key, and
 * are whole.
 */
static bool is_whole(const uint8_t *bytes, size_t size, uint64_t key,
		     struct header *header)
{
	memcpy(header, bytes, sizeof(*header));
	return !memcmp(header->magic, magic, sizeof(magic)) &&
	       header->key == key &&
	       header->hash == pack_hash(PACK_HASH_FIRST, bytes + HASHED_FROM,
					 size - HASHED_FROM) &&
	       header->symbols <=
		       (size - sizeof(*header)) / sizeof(struct symbol);
}

int cached_symbols_load(const struct cached_symbols *symbols, uint64_t key,
			const struct log *log)
{
	struct header header;
	size_t size;
	size_t functions; /* offset */
	uint8_t *bytes = read_file(symbols->path, &size);
	int status;

	if (!bytes)
		return 0;
	if (!is_whole(bytes, size, key, &header)) {
		free(bytes);
		return 0;
	}
	functions = sizeof(header) + header.symbols * sizeof(struct symbol);
	status = function_table_load(symbols->functions, bytes,
				     bytes + functions, size - functions);
	if (!status)
		status = address_map_load(
			symbols->map, (const void *)(bytes + sizeof(header)),
			header.symbols, function_count(symbols->functions));
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
