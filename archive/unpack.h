/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_UNPACK_H
#define KT_ARCHIVE_UNPACK_H

struct log;
struct output_folder;

/* Unpacks the archive @path into @folder, which is empty; writes nothing
 * outside of it.
 *
 * Returns 0; -ERROR_UNSUPPORTED, without a message, if it is not an archive; or
 * a negative enum error, logged to @log unless it is -ERROR_MEMORY. Files that were unpacked before the
 * error stay.
 */
int unpack(const char *path, const struct output_folder *folder,
	   const struct log *log);

#endif
