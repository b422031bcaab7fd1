/* SPDX-License-Identifier: MIT */
#include "report/steps/checkpoint_index.h"

#include "common/pack.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	HEADER_BYTES = 40,
	ENTRY_BYTES = 32,
	/* One a few megabytes of trace: this is many terabytes. */
	MOST_ENTRIES = 1 << 20,
};

static const char magic[8] = "ktindex1";

struct header {
	uint64_t key;
	uint64_t table;		/* where it lies */
	uint64_t count;		/* of its entries */
	uint64_t hash;		/* of its bytes */
};

struct entry {
	uint64_t time_ns;
	uint64_t offset;
	uint64_t size;
	uint64_t hash;
};

/* Returns @size bytes of @fd from @offset on, to be freed, or NULL. */
static uint8_t *read_part(int fd, uint64_t offset, uint64_t size)
{
	struct stat file;
	uint8_t *bytes;

	if (fstat(fd, &file) < 0 || offset > (uint64_t)file.st_size ||
	    size > (uint64_t)file.st_size - offset)
		return NULL;
	bytes = malloc(size + 1);
	if (bytes && pread(fd, bytes, size, (off_t)offset) != (ssize_t)size) {
		free(bytes);
		bytes = NULL;
	}
	return bytes;
}

static bool read_header(int fd, uint64_t key, struct header *header)
{
	uint8_t *bytes = read_part(fd, 0, HEADER_BYTES);
	struct pack pack;
	bool fits;

	if (!bytes)
		return false;
	pack = pack_to_read(bytes + sizeof(magic),
			    HEADER_BYTES - sizeof(magic));
	pack_u64(&pack, &header->key);
	pack_u64(&pack, &header->table);
	pack_u64(&pack, &header->count);
	pack_u64(&pack, &header->hash);
	fits = !memcmp(bytes, magic, sizeof(magic)) && pack_is_whole(&pack) &&
	       header->key == key && header->count <= MOST_ENTRIES;
	free(bytes);
	return fits;
}

static bool read_entry(struct pack *pack, struct entry *entry)
{
	pack_u64(pack, &entry->time_ns);
	pack_u64(pack, &entry->offset);
	pack_u64(pack, &entry->size);
	pack_u64(pack, &entry->hash);
	return !pack->failed;
}

/* Finds the last entry before @time_ns. */
static bool find_entry(int fd, uint64_t key, uint64_t time_ns,
		       struct entry *found)
{
	struct header header;
	struct entry entry;
	struct pack pack;
	uint8_t *table;
	uint64_t size;
	bool has_found = false;

	if (!read_header(fd, key, &header))
		return false;
	size = header.count * ENTRY_BYTES;
	table = read_part(fd, header.table, size);
	if (!table)
		return false;
	pack = pack_to_read(table, size);
	if (pack_hash(PACK_HASH_FIRST, table, size) == header.hash)
		while (read_entry(&pack, &entry) && entry.time_ns < time_ns) {
			*found = entry;
			has_found = true;
		}
	free(table);
	return has_found;
}

bool checkpoint_index_fits(const char *path, uint64_t key)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct header header;
	bool fits = fd >= 0 && read_header(fd, key, &header);

	if (fd >= 0)
		close(fd);
	return fits;
}

uint8_t *checkpoint_index_find(const char *path, uint64_t key,
			       uint64_t time_ns, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct entry entry;
	uint8_t *bytes = NULL;

	if (fd < 0)
		return NULL;
	if (find_entry(fd, key, time_ns, &entry)) {
		bytes = read_part(fd, entry.offset, entry.size);
		*size = entry.size;
	}
	close(fd);
	if (bytes &&
	    pack_hash(PACK_HASH_FIRST, bytes, entry.size) != entry.hash) {
		free(bytes);
		bytes = NULL;
	}
	return bytes;
}

struct index_writer {
	char *path;
	char *temporary;	/* NULL: the file has no name yet */
	int fd;
	uint64_t key;
	uint64_t at;		/* where the next bytes go */
	struct pack table;
	uint64_t count;
	bool failed;
};

/* Opens a file in the folder that the index is to be in: one without a name if
 * the file system has that, so that nothing is left if the program is ended.
 */
static int open_file(struct index_writer *writer)
{
	char *end = strrchr(writer->path, '/');
	char *folder = end ? strndup(writer->path,
				     (size_t)(end - writer->path) + 1) :
			     strdup(".");

	if (folder)
		writer->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
	free(folder);
	if (writer->fd >= 0)
		return 0;
	writer->temporary = malloc(strlen(writer->path) + 8);
	if (!writer->temporary)
		return -1;
	strcpy(writer->temporary, writer->path);
	strcat(writer->temporary, ".XXXXXX");
	writer->fd = mkostemp(writer->temporary, O_CLOEXEC);
	if (writer->fd < 0) {
		free(writer->temporary);
		writer->temporary = NULL;
	}
	return writer->fd;
}

struct index_writer *index_writer_open(const char *path, uint64_t key)
{
	struct index_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->fd = -1;
	writer->key = key;
	writer->at = HEADER_BYTES;
	writer->table = pack_to_write();
	writer->path = strdup(path);
	if (!writer->path || open_file(writer) < 0) {
		index_writer_free(writer);
		return NULL;
	}
	return writer;
}

static void write_part(struct index_writer *writer, uint64_t offset,
		       const void *bytes, size_t size)
{
	if (!writer->failed && pwrite(writer->fd, bytes, size,
				      (off_t)offset) != (ssize_t)size)
		writer->failed = true;
}

void index_writer_add(struct index_writer *writer, uint64_t time_ns,
		      const uint8_t *bytes, size_t size)
{
	struct entry entry = {
		.time_ns = time_ns,
		.offset = writer->at,
		.size = size,
		.hash = pack_hash(PACK_HASH_FIRST, bytes, size),
	};

	write_part(writer, writer->at, bytes, size);
	writer->at += size;
	writer->count++;
	pack_u64(&writer->table, &entry.time_ns);
	pack_u64(&writer->table, &entry.offset);
	pack_u64(&writer->table, &entry.size);
	pack_u64(&writer->table, &entry.hash);
}

static void write_header(struct index_writer *writer)
{
	const struct pack *table = &writer->table;
	struct header header = {
		.key = writer->key,
		.table = writer->at,
		.count = writer->count,
		.hash = pack_hash(PACK_HASH_FIRST, table->bytes, table->size),
	};
	struct pack pack = pack_to_write();

	if (table->size)
		write_part(writer, writer->at, table->bytes, table->size);
	pack_u64(&pack, &header.key);
	pack_u64(&pack, &header.table);
	pack_u64(&pack, &header.count);
	pack_u64(&pack, &header.hash);
	if (pack.failed || table->failed || writer->count > MOST_ENTRIES)
		writer->failed = true;
	else
		write_part(writer, sizeof(magic), pack.bytes, pack.size);
	write_part(writer, 0, magic, sizeof(magic));
	pack_free(&pack);
}

/* Gives the file a name beside its last one: links replace no file. */
static bool give_name(struct index_writer *writer)
{
	char source[32];
	size_t room = strlen(writer->path) + 32;

	if (writer->temporary)
		return true;
	writer->temporary = malloc(room);
	if (!writer->temporary)
		return false;
	snprintf(writer->temporary, room, "%s.%ld", writer->path,
		 (long)getpid());
	snprintf(source, sizeof(source), "/proc/self/fd/%d", writer->fd);
	if (linkat(AT_FDCWD, source, AT_FDCWD, writer->temporary,
		   AT_SYMLINK_FOLLOW) == 0)
		return true;
	free(writer->temporary);
	writer->temporary = NULL;
	return false;
}

void index_writer_finish(struct index_writer *writer)
{
	write_header(writer);
	if (writer->failed || !give_name(writer) ||
	    fchmod(writer->fd, 0644) < 0 ||
	    rename(writer->temporary, writer->path) < 0)
		return;
	free(writer->temporary);
	writer->temporary = NULL;
}

void index_writer_free(struct index_writer *writer)
{
	if (!writer)
		return;
	if (writer->temporary)
		unlink(writer->temporary);
	if (writer->fd >= 0)
		close(writer->fd);
	free(writer->temporary);
	free(writer->path);
	pack_free(&writer->table);
	free(writer);
}
