/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FORMATS_PROGRAM_KEY_H
#define KT_COMMON_FORMATS_PROGRAM_KEY_H

#include <stddef.h>
#include <stdint.h>

/* The name of a program's file in a recording that contains a copy of it:
 * programs/<key>/<the file's name>. The identity comes from the record of its
 * mapping (PERF_RECORD_MMAP2): the build id in hexadecimal; or, if the file has
 * none, "<major>-<minor>-<inode>-<generation>" in decimal.
 */
struct program_key {
	char text[64]; /* "" if the identity is unknown */
};

/* Size of the members maj, min, ino and ino_generation of PERF_RECORD_MMAP2,
 * which identify a file without a build id.
 */
enum { PROGRAM_INODE_BYTES = 24 };

/* Returns the key of a build id of @size bytes, at most ELF_BUILD_ID_SIZE. */
struct program_key program_key_of_id(const uint8_t *build_id, size_t size);
/* Returns the key of the PROGRAM_INODE_BYTES at @bytes, as in the record. */
struct program_key program_key_of_inode(const uint8_t *bytes);

#endif
