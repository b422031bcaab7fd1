/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FORMATS_GENERATED_CHUNK_H
#define KT_COMMON_FORMATS_GENERATED_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

/* The code that a process generated, in the recording's file
 * code/<pid>.generated: GENERATED_MAGIC, then chunks, each of which is a struct
 * generated_chunk and the bytes of whole pages. Little-endian; times in
 * nanoseconds of the recording's clock. Chunks of one page are in the order of
 * time. A page gets a chunk when it is first read, and another one whenever its
 * bytes differ from its previous chunk. At the end of the recording, a page
 * that was read again without a difference gets one more chunk, with
 * GENERATED_IS_SAME.
 */
#define GENERATED_MAGIC "KTGENER1"

enum { GENERATED_PAGE_BYTES = 4096 };

struct generated_chunk {
	uint64_t address;
	uint64_t size; /* of the bytes after this struct */
	/* when the recorder first saw the process's memory, which ends at exec
	 */
	uint64_t born_ns;
	/* until then the page had its previous bytes; 0: never read before */
	uint64_t since_ns;
	uint64_t begin_ns; /* the bytes were read between this time */
	uint64_t end_ns;   /* and this time */
	uint64_t flags;	   /* GENERATED_IS_WRITABLE */
};

/* The process may have changed the bytes without a record of a mapping. */
#define GENERATED_IS_WRITABLE UINT64_C(1)

/* At end_ns the page still had the bytes of its previous chunk; no bytes
 * follow.
 */
#define GENERATED_IS_SAME UINT64_C(2)

/* Returns whether @path, the name in a mapping's record, is that of memory
 * without a file, which a program may fill with code itself.
 */
bool generated_path(const char *path);

/* Returns whether the file @path has the name of a jitdump: jit-PID.dump. A
 * program maps this file only so that its name is recorded.
 */
bool generated_dump_path(const char *path);

#endif
