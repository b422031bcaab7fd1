/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_UNPACK_H
#define KT_ARCHIVE_UNPACK_H

struct log;
struct output_folder;

/* Unpacks the archive @path into @folder, which is empty: names in the archive
 * lead nowhere else.
 *
 * Returns 0; -ERROR_UNSUPPORTED, said to nobody, if it is no archive; or a
 * negative enum error said to @log, with what was unpacked before it left there.
 */
int unpack(const char *path, const struct output_folder *folder,
	   const struct log *log);

#endif
