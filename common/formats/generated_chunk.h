/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FORMATS_GENERATED_CHUNK_H
#define KT_COMMON_FORMATS_GENERATED_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

/* The code that a process generated, in the recording's file
 * code/<pid>.generated: GENERATED_MAGIC, then chunks, each of which is a struct
 * generated_chunk and the bytes of whole pages. Little-endian; times in
 * nanoseconds of the recording's clock. Chunks of one page are in the order of
 * time, and only a page that differs from its previous chunk gets another one,
 * and at the end one that was read again (GENERATED_IS_SAME).
 */
#define GENERATED_MAGIC "KTGENER1"

enum { GENERATED_PAGE_BYTES = 4096 };

struct generated_chunk {
	uint64_t address;
	uint64_t size;	  /* of the bytes after this struct */
	uint64_t born_ns; /* the recorder first saw this memory; exec ends it */
	uint64_t since_ns; /* the previous bytes were still there; 0: unread */
	uint64_t begin_ns; /* the bytes were read from then on, */
	uint64_t end_ns;   /* until then */
	uint64_t flags;	   /* GENERATED_IS_WRITABLE */
};

/* The process may have changed the bytes without a record of a mapping. */
#define GENERATED_IS_WRITABLE UINT64_C(1)

/* The page had the bytes of its previous chunk at end_ns, too; no bytes follow. */
#define GENERATED_IS_SAME UINT64_C(2)

/* Returns whether a mapping whose record has the name @path is memory that a
 * program fills with code itself.
 */
bool generated_path(const char *path);

/* Returns whether the file @path is a jitdump, by its name: jit-PID.dump. The
 * program maps it only to be found.
 */
bool generated_dump_path(const char *path);

#endif
