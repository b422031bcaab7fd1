/* SPDX-License-Identifier: MIT */
#include "collector/bytes/kcore_path.h"

#include <stdio.h>

struct kcore_path kcore_path_of(const char *folder, const char *name)
{
	struct kcore_path path;

	snprintf(path.text, sizeof(path.text), "%s/kcore_dir%s%s", folder,
		 name ? "/" : "", name ? name : "");
	return path;
}
