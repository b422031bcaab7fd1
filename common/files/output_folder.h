/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FILES_OUTPUT_FOLDER_H
#define KT_COMMON_FILES_OUTPUT_FOLDER_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct log;

/* Folders that ktrace-hw writes to: recordings, temporary folders, and files
 * that reports cache beside a recording.
 *
 * The recorder runs as root, often in a folder that other users can write to
 * (/tmp, a user's home). They can plant links, hard links and pipes there, and
 * replace a folder while it is written to. All creating, renaming and removing
 * below such a folder goes through this module, which holds the folder by a
 * descriptor, so that no path is looked up twice:
 *
 *	           output_folder_open()          output_folder_lock()
 *	 (none) ── output_folder_make() ──► open ──────────────────► locked
 *	    ▲      output_folder_sub()       │                          │
 *	    │      output_folder_temporary() │                          │
 *	    └───────── output_folder_close(), output_folder_discard() ──┘
 *
 * Invariants; tests/common/test_output_folder.c has a test for each:
 *
 *  1. A path is walked once, name by name. A link in it is followed only if
 *     root or the effective user made the link (common/files/regular_file.h);
 *     the last name is never followed.
 *  2. An open folder belongs to this user and nobody else may write to it (mode
 *     bits 022 are clear; an ACL's grants show in the group bits). Its names
 *     therefore change only by this user's processes, even where another user
 *     can rename or remove the folder as a whole.
 *  3. A new file is one that this module created (O_EXCL). If a file, link or
 *     pipe has its name already, that is an error, or the name is removed
 *     first; its content or target is not touched.
 *  4. An existing file is opened only if it is a regular file of this user with
 *     one link.
 *  5. Only names below an open folder are removed. Removal enters neither links
 *     nor mount points nor folders that break invariant 2.
 *  6. A folder is renamed or removed only while its name still leads to it.
 *  7. One process at a time has a folder locked; the lock ends with the
 *     processes that hold the descriptor, however they end.
 *
 * "This user" is the owner that a new file gets. On file systems that map
 * owners (9p, NFS with root_squash, FAT) it differs from the effective user:
 * the module then creates an unnamed or empty file to learn it.
 *
 * Threads: a struct output_folder may be read by several threads; one thread
 * opens and closes it. Memory: the path and the name.
 *
 * Errors: functions return -ERROR_MEMORY, or -ERROR_SYSTEM with errno set.
 * Those with a log write one message, except when out of memory. The message
 * names the path and a remedy.
 */
struct output_folder {
	char *path;  /* for messages and for readers; NULL: not open */
	char *name;  /* the last component of @path, in @parent */
	int fd;	     /* the folder */
	int parent;  /* the folder that contains it; -1: unknown */
	uid_t owner; /* of it and of all files in it */
};

/* Opens the existing folder @path to write to it.
 *
 * Returns 0; -ERROR_NOT_FOUND, without a message, if nothing has the name; or
 * another error with its message in @log. @folder is zeroed after an error.
 */
int output_folder_open(struct output_folder *folder, const char *path,
		       const struct log *log);

/* Creates the folder @path with mode 0700 and opens it. Returns like
 * output_folder_open(); errno is EEXIST if something has the name.
 */
int output_folder_make(struct output_folder *folder, const char *path,
		       const struct log *log);

/* Opens the folder @name in the folder that contains @other. Returns like
 * output_folder_open().
 */
int output_folder_beside(struct output_folder *folder,
			 const struct output_folder *other, const char *name,
			 const struct log *log);

/* Opens the folder @name of @parent, and creates it if nothing has the name.
 * Returns 0, or an error with its message in @log; @folder is zeroed after an
 * error.
 */
int output_folder_sub(struct output_folder *folder,
		      const struct output_folder *parent, const char *name,
		      const struct log *log);

/* Creates a folder with a random name in $TMPDIR, or in /var/tmp without it,
 * and locks it if the file system has locks; removes temporary folders of killed
 * processes. Returns like output_folder_open().
 */
int output_folder_temporary(struct output_folder *folder,
			    const struct log *log);

/* Closes the folder; a zeroed one is allowed. */
void output_folder_close(struct output_folder *folder);

/* Removes the folder with all that it contains, and closes it. */
void output_folder_discard(struct output_folder *folder);

/* Locks the folder for as long as the descriptor is open (flock(2)).
 *
 * Returns 0, or -ERROR_SYSTEM with the message in @log if another process has
 * it locked. Succeeds on a file system without locks.
 */
int output_folder_lock(const struct output_folder *folder,
		       const struct log *log);

/* Returns whether a process has the folder @path locked; false also if this
 * process is not allowed to read the folder.
 */
bool output_folder_is_locked(const char *path);

/* Returns whether the name still leads to the folder. */
bool output_folder_is_in_place(const struct output_folder *folder);

/* Returns whether the folder contains nothing. */
bool output_folder_is_empty(const struct output_folder *folder);

/* Returns whether the folder has an entry @name of any type. */
bool output_folder_has(const struct output_folder *folder, const char *name);

/* Renames the folder itself to @name within its parent folder. Replaces at most
 * an empty folder. The path for messages keeps the old name. Returns 0 or an
 * error.
 */
int output_folder_move(struct output_folder *folder, const char *name);

/* Removes the folder itself if it is empty. */
void output_folder_remove_empty(const struct output_folder *folder);

/* Returns a descriptor of the new, empty file @name, mode 0600, for reading and
 * writing; or -1 with errno: EEXIST if something has the name. The caller
 * closes it.
 */
int output_folder_create(const struct output_folder *folder, const char *name);

/* Like output_folder_create(), but removes the name from an existing file
 * first.
 */
int output_folder_replace(const struct output_folder *folder, const char *name);

/* Replaces the file @name by the output that @write writes to the stream;
 * @context is passed to it. Returns 0 or an error with its message in @log.
 */
int output_folder_write(const struct output_folder *folder, const char *name,
			void (*write)(FILE *out, const void *context),
			const void *context, const struct log *log);

/* Replaces the file @name by @size bytes. Returns like output_folder_write().
 */
int output_folder_save(const struct output_folder *folder, const char *name,
		       const void *bytes, size_t size, const struct log *log);

/* Returns a descriptor of the existing file @name, opened with @flags of
 * open(2); or -1 with errno: EPERM if it is not as invariant 4 requires.
 */
int output_folder_reopen(const struct output_folder *folder, const char *name,
			 int flags);

/* Renames the file @from to @to, replacing a file with that name. Returns 0 or
 * an error.
 */
int output_folder_rename(const struct output_folder *folder, const char *from,
			 const char *to);

/* Removes the file @name, if there is one. */
void output_folder_remove(const struct output_folder *folder, const char *name);

/* Removes the files whose names start with @prefix; "" removes all. */
void output_folder_remove_files(const struct output_folder *folder,
				const char *prefix);

/* Removes the folder @name, and the files and folders in it down to @depth
 * levels below it. Deeper folders stay, and so do the folders that contain
 * them.
 */
void output_folder_remove_sub(const struct output_folder *folder,
			      const char *name, int depth);

/* Logs that the file @name of @folder cannot be written, with errno as the
 * reason. Returns -ERROR_SYSTEM, or -ERROR_MEMORY without a message.
 */
int output_folder_fail(const struct output_folder *folder, const char *name,
		       const struct log *log);

/* Returns the folder of temporary files: $TMPDIR, or /var/tmp without it. */
const char *output_temporary_path(void);

/* Logs that a temporary file cannot be written, with errno as the reason, and
 * keeps errno. Returns -ERROR_SYSTEM.
 */
int output_temporary_fail(const struct log *log);

/* Returns a descriptor of an unnamed, empty file in $TMPDIR, or in /var/tmp
 * without it; or -1 with the message in @log.
 */
int output_temporary_file(const struct log *log);

/* A file that appears under its name only when it is complete. */
struct output_draft {
	struct output_folder folder;
	char *name;
	char *temporary; /* its name until then; NULL: none */
	int fd;		 /* -1: not open */
};

/* Opens a draft of the file @path, for reading and writing, if its folder
 * belongs to this user and is not writable by everybody. Returns whether that
 * succeeded. The caller must close it either way.
 */
bool output_draft_open(struct output_draft *draft, const char *path);

/* Renames the file to its final name. Returns whether that succeeded. */
bool output_draft_finish(struct output_draft *draft);

/* Closes the file, which is lost unless it was finished. */
void output_draft_close(struct output_draft *draft);

#endif
