/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_UNPACK_H
#define KT_ARCHIVE_UNPACK_H

struct log;

/* Unpacks the archive @path into the folder @folder, which is there and empty
 * and which nobody else writes to: names in the archive are followed nowhere
 * else.
 *
 * Returns 0; -ERROR_UNSUPPORTED, said to nobody, if it is no archive; or a
 * negative enum error said to @log, with what was unpacked before it left there.
 */
int unpack(const char *path, const char *folder, const struct log *log);

#endif
