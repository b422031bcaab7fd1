/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_SNAPSHOT_FILES_H
#define KT_DECODER_SNAPSHOT_FILES_H

#include "common/array.h"
#include "decoder/file_map.h"

struct recording;

/* The files of a snapshot directory, mapped for as long as it is open. */
struct snapshot_files {
	const struct recording *recording;	/* that the snapshot is of */
	struct array maps;			/* struct file_map */
};

struct snapshot_files snapshot_files_new(const struct recording *recording);
void snapshot_files_free(struct snapshot_files *files);

/* Maps the file @name beside snapshot.ini.
 *
 * Returns 0, its path and *@map, good until the next is opened; -ERROR_MEMORY;
 * or a negative enum error with the reason in the recording's log.
 */
int snapshot_files_open(struct snapshot_files *files, const char *name,
			const char **path, const struct file_map **map);

#endif
