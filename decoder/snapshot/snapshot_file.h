/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_SNAPSHOT_FILE_H
#define KT_DECODER_SNAPSHOT_FILE_H

#include "common/file_map.h"

struct recording;

/* Maps the file @name of the snapshot directory that @recording is, for as long
 * as the recording is open.
 *
 * Returns 0, its path and *@map, good until the next is opened; -ERROR_MEMORY;
 * or a negative enum error with the reason in the recording's log.
 */
int snapshot_file_open(struct recording *recording, const char *name,
		       const char **path, const struct file_map **map);

#endif
