/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KCORE_PATH_H
#define KT_COLLECTOR_KCORE_PATH_H

/* The path of a file in a recording's kcore_dir (docs/formats.md). */
struct kcore_path {
	char text[4096];
};

/* Returns that of @name in the recording @folder, or for NULL that of kcore_dir itself;
 * cut where it is too long for the kernel.
 */
struct kcore_path kcore_path_of(const char *folder, const char *name);

#endif
