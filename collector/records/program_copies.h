/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_PROGRAM_COPIES_H
#define KT_COLLECTOR_PROGRAM_COPIES_H

#include "common/formats/build_id_cache.h"
#include "common/formats/program_key.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct log;
struct output_folder;

/* Copies of the programs' files that a report will not find by their paths: of
 * other mount namespaces (containers), below another root (chroot), deleted,
 * replaced, and files in memory (memfd_create). They are stored in the folder
 * programs/ of the recording (common/formats/program_key.h), where reports look
 * first.
 *
 *	record of a mapping ──► is it the file at its path? ── yes ──► hold it
 *	                          │ no                       removed at the end?
 *	                          ▼                                        ▼
 *	 /proc/PID/map_files, else /proc/PID/root or /proc/PID/exe: open ──► queue
 *	                          │ gone, or over the budget               │
 *	                          ▼                                        ▼
 *	                        missed                    programs/<key>/<name>
 *
 * Invariants:
 *  1. A file is identified by the build id of the mapping's record, or else by
 *     its device and inode, never by its path alone.
 *  2. Each file is examined and stored once.
 *  3. Omissions are reported by program_copies_finish().
 *  4. Files at their paths, except those of packages (/usr, /lib, /bin, /sbin),
 *     are held open, in case they are removed or replaced before the end, as
 *     `go run` does.
 *  5. Between two reads of the rings less than two PROGRAM_COPY_STEPs are
 *     copied, so that the rings do not overflow meanwhile; more only while more
 *     than PROGRAM_COPIES_WAITING files wait. As long as files wait, the
 *     recorder does not sleep.
 *
 * Memory: the keys and paths of all mapped files; one descriptor for each file
 * that is held or waits, at most PROGRAM_COPIES_HELD and
 * PROGRAM_COPIES_WAITING.
 */
struct program_copies;

/* Maximum size of all copies of a recording together. */
#define PROGRAM_COPIES_BYTES (UINT64_C(512) << 20)

enum {
	PROGRAM_COPY_STEP = 4 << 20,
	PROGRAM_COPIES_WAITING = 64,
	PROGRAM_COPIES_HELD = 1024,
};

/* A mapping of code. */
struct mapped_program {
	pid_t pid;
	uint64_t start;
	uint64_t end;
	const char *path; /* as in the record */
	struct elf_build_id id;
	uint8_t inode[PROGRAM_INODE_BYTES]; /* if there is no build id */
};

/* Borrows @folder, the recording's, and @log. Returns NULL when out of memory.
 */
struct program_copies *program_copies_new(const struct output_folder *folder,
					  const struct log *log);
void program_copies_free(struct program_copies *copies);

/* Examines the file of @program, unless it was examined before. Then queues the
 * file to be copied or keeps it open, if either is needed.
 */
void program_copies_add(struct program_copies *copies,
			const struct mapped_program *program);

/* Returns whether files wait. Here and below @copies may be NULL: nothing is
 * copied.
 */
bool program_copies_wait(const struct program_copies *copies);

/* Copies about PROGRAM_COPY_STEP bytes; more while too many files wait. Returns
 * 0 or a negative enum error with the reason in the log.
 */
int program_copies_step(struct program_copies *copies);

/* Copies all that wait, and warns of files that are missing. Returns like
 * program_copies_step().
 */
int program_copies_finish(struct program_copies *copies);

/* Opens the file of @program in its own mount namespace. Returns a descriptor
 * for the caller to close, or -1.
 */
int program_copies_open_file(const struct mapped_program *program);

#endif
