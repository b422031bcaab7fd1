/* SPDX-License-Identifier: MIT */
#include "collector/bytes/kcore_folder.h"

int kcore_folder_open(struct output_folder *folder,
		      const struct output_folder *recording,
		      const struct log *log)
{
	return output_folder_sub(folder, recording, "kcore_dir", log);
}

int kcore_folder_write(const struct output_folder *recording, const char *name,
		       void (*write)(FILE *out, const void *context),
		       const void *context, const struct log *log)
{
	struct output_folder folder;
	int error = kcore_folder_open(&folder, recording, log);

	if (!error)
		error = output_folder_write(&folder, name, write, context, log);
	output_folder_close(&folder);
	return error;
}
