/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KCORE_FOLDER_H
#define KT_COLLECTOR_KCORE_FOLDER_H

#include "common/output_folder.h"

/* Opens kcore_dir (docs/formats.md) of the recording @recording, and creates it
 * if it does not exist. Returns like output_folder_sub().
 */
int kcore_folder_open(struct output_folder *folder,
		      const struct output_folder *recording,
		      const struct log *log);

/* Writes the file @name in kcore_dir, like output_folder_write(). */
int kcore_folder_write(const struct output_folder *recording, const char *name,
		       void (*write)(FILE *out, const void *context),
		       const void *context, const struct log *log);

#endif
