/* SPDX-License-Identifier: MIT */
#include "report/steps/checkpoint_index.h"

#include "common/build_id.h"
#include "common/bytes.h"
#include "common/regular_file.h"
#include "decoder/recording/recording.h"
#include "symbolize/functions/function_table.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Number of bytes hashed at the start and end of a file. */
enum { LOOKED_AT = 1 << 16 };

char *checkpoint_index_path(const struct recording *recording, const char *name)
{
	const char *of = recording_path(recording);
	size_t room = strlen(of) + strlen(name) + sizeof("/");
	char *path = malloc(room);
	struct stat file;
	bool is_folder = stat(of, &file) == 0 && S_ISDIR(file.st_mode);

	if (path)
		snprintf(path, room, "%s%c%s", of, is_folder ? '/' : '.', name);
	return path;
}

static bool hash_part(int fd, off_t offset, uint64_t *hash)
{
	uint8_t *bytes = malloc(LOOKED_AT);
	ssize_t size = bytes ? pread(fd, bytes, LOOKED_AT, offset) : -1;

	if (size >= 0)
		*hash = pack_hash(*hash, bytes, (size_t)size);
	free(bytes);
	return size >= 0;
}

static bool hash_file(const char *path, uint64_t *hash)
{
	int fd = regular_file_open(path);
	struct stat file;
	bool is_read = fd >= 0 && fstat(fd, &file) == 0;

	if (is_read) {
		*hash = pack_hash_number(*hash, (uint64_t)file.st_size);
		*hash = pack_hash_number(*hash, (uint64_t)file.st_mtim.tv_sec);
		*hash = pack_hash_number(*hash, (uint64_t)file.st_mtim.tv_nsec);
		is_read = hash_part(fd, 0, hash) &&
			  (file.st_size <= LOOKED_AT ||
			   hash_part(fd, file.st_size - LOOKED_AT, hash));
	}
	if (fd >= 0)
		close(fd);
	return is_read;
}

bool checkpoint_index_key(const struct recording *recording,
			  const struct function_table *functions, uint64_t *key)
{
	const char *kcore = recording_kcore_path(recording);
	/* Other versions of this program may find other events. */
	uint64_t hash = pack_hash_number(PACK_HASH_FIRST, build_id);

	hash = pack_hash_number(hash, function_table_digest(functions));
	if (kcore && !hash_file(kcore, &hash))
		return false;
	*key = hash;
	return hash_file(recording_data_path(recording), key);
}
