/* SPDX-License-Identifier: MIT */
#include "collector/records/program_copies.h"

#include "common/array.h"
#include "common/error.h"
#include "common/files/output_folder.h"
#include "common/files/regular_file.h"
#include "common/log.h"
#include "common/maps.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* Decides for each program file that is mapped whether reports will find it
 * later:
 *
 *	at its path, with its build ID    kept open until the end (struct held), and
 *	                                  copied if it is removed by then
 *	elsewhere: a container's root,    copied at once, from the process's root
 *	deleted, memfd                    or its open mapping
 *
 * Files are read as the process sees them, without following links out of its
 * root. Each file is copied once; the number, size and time of copies are
 * limited, and omissions are counted and reported.
 */

/* A file that is to be copied. */
struct waiting {
	int from;
	int to; /* -1: not begun */
	uint64_t size_bytes;
	struct program_key key;
	char *name; /* of the copy */
};

/* A file at its path, held open because it may be removed during the recording.
 */
struct held {
	int fd;
	char *path;
	struct elf_build_id id;
	struct program_key key;
};

enum file_state {
	FILE_NEW,
	FILE_MISSED, /* was gone; another process may still have it */
	FILE_DONE,   /* is copied, is at its path, or is over the budget */
};

struct program_copies {
	const struct output_folder *folder;
	const struct log *log;
	struct output_folder programs; /* path NULL: not opened yet */
	/* "<key>" and "<key> <path>" of each file */
	struct string_pool *names;
	struct array states;  /* uint8_t: enum file_state, by name */
	struct array waiting; /* struct waiting */
	struct array held;    /* struct held */
	uint64_t bytes;	      /* of all copies */
	uint32_t refused;     /* files over the budget */
	uint64_t refused_bytes;
	char *example; /* path of the first file that is missing */
};

struct program_copies *program_copies_new(const struct output_folder *folder,
					  const struct log *log)
{
	struct program_copies *copies = calloc(1, sizeof(*copies));

	if (!copies)
		return NULL;
	copies->folder = folder;
	copies->log = log;
	copies->names = string_pool_new();
	copies->states = ARRAY_OF(uint8_t);
	copies->waiting = ARRAY_OF(struct waiting);
	copies->held = ARRAY_OF(struct held);
	if (copies->names)
		return copies;
	program_copies_free(copies);
	return NULL;
}

static void close_waiting(struct waiting *waiting)
{
	close(waiting->from);
	if (waiting->to >= 0)
		close(waiting->to);
	free(waiting->name);
}

static void let_go(struct program_copies *copies)
{
	for (size_t i = 0; i < copies->held.count; i++) {
		struct held *held = array_at(&copies->held, i);

		if (held->fd >= 0)
			close(held->fd);
		free(held->path);
	}
	array_free(&copies->held);
}

void program_copies_free(struct program_copies *copies)
{
	if (!copies)
		return;
	for (size_t i = 0; i < copies->waiting.count; i++)
		close_waiting(array_at(&copies->waiting, i));
	array_free(&copies->waiting);
	let_go(copies);
	array_free(&copies->states);
	string_pool_free(copies->names);
	output_folder_close(&copies->programs);
	free(copies->example);
	free(copies);
}

/* Returns the state of the file @name, valid until the next call; NULL when out
 * of memory.
 */
static uint8_t *state_of(struct program_copies *copies, const char *name)
{
	uint32_t number = string_pool_add(copies->names, name, strlen(name));

	return number == STRING_POOL_NONE ?
		       NULL :
		       array_reach(&copies->states, number);
}

static bool is_done(struct program_copies *copies, const char *name)
{
	const uint8_t *state = state_of(copies, name);

	return !state || *state == FILE_DONE;
}

static void set_state(struct program_copies *copies, const char *name,
		      enum file_state to)
{
	uint8_t *state = state_of(copies, name);

	if (state)
		*state = (uint8_t)to;
}

static bool has_id(const struct elf_build_id *a, const struct elf_build_id *b)
{
	return a->size && !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

/* Returns a descriptor of @name below the folder @root of a process: links in
 * @name are resolved as that process would.
 */
static int open_below(const char *root, const char *name)
{
	int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = folder < 0 ? -1 : regular_file_open_in_root(folder, name, 0);

	if (folder >= 0)
		close(folder);
	return fd;
}

static bool is_program(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, SELFMAG, 0) == SELFMAG &&
	       !memcmp(magic, ELFMAG, SELFMAG);
}

/* Returns whether @fd is open on an ELF file with the build id of @program; any
 * ELF file matches a @program without a build id.
 */
static bool is_of(int fd, const struct mapped_program *program)
{
	char path[64];
	struct elf_build_id id;

	if (fd < 0 || !is_program(fd))
		return false;
	if (!program->id.size)
		return true;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	id = elf_build_id_of_file(path);
	return has_id(&id, &program->id);
}

int program_copies_open_file(const struct mapped_program *program)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 (int)program->pid, program->start, program->end);
	fd = regular_file_open(path);
	if (fd >= 0)
		return fd;
	/* Only root may follow links of map_files. */
	snprintf(path, sizeof(path), "/proc/%d/root", (int)program->pid);
	return open_below(path, program->path);
}

/* Returns a descriptor of the file of @program, or -1. */
static int open_program(const struct mapped_program *program)
{
	int fd = program_copies_open_file(program);
	char path[48];

	if (is_of(fd, program))
		return fd;
	if (fd >= 0)
		close(fd);
	/* A deleted program, which has no path. */
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)program->pid);
	fd = program->id.size ? regular_file_open(path) : -1;
	if (is_of(fd, program))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool are_one_file(int fd, const char *path)
{
	struct stat a;
	struct stat b;

	return !fstat(fd, &a) && !stat(path, &b) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* Returns whether reports will find the file of @program by its path. Without a
 * build id the open file decides, as long as it can be opened.
 */
static bool is_at_path(const struct mapped_program *program)
{
	struct elf_build_id id;
	bool is_same;
	int fd;

	if (program->id.size) {
		id = elf_build_id_of_file(program->path);
		return has_id(&id, &program->id);
	}
	fd = program_copies_open_file(program);
	is_same = fd >= 0 ? !is_program(fd) || are_one_file(fd, program->path) :
			    !access(program->path, F_OK);
	if (fd >= 0)
		close(fd);
	return is_same;
}

/* Returns the name of the copy of the file at @path: its last component,
 * without the kernel's mark of deleted files. The caller frees it.
 */
static char *name_of(const char *path)
{
	static const char deleted[] = " (deleted)";
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t length = strlen(name);
	size_t mark = sizeof(deleted) - 1;

	if (length > mark && !strcmp(name + length - mark, deleted))
		length -= mark;
	if (length > NAME_MAX)
		length = NAME_MAX;
	if (!length || (name[0] == '.' && (length == 1 || length == 2)))
		return strdup("program");
	return strndup(name, length);
}

static void miss(struct program_copies *copies, const char *path)
{
	if (!copies->example)
		copies->example = strdup(path);
}

static enum file_state refuse(struct program_copies *copies, const char *path,
			      uint64_t size_bytes)
{
	copies->refused++;
	copies->refused_bytes += size_bytes;
	miss(copies, path);
	return FILE_DONE;
}

/* Queues the file @path, open as @fd, whose ownership passes to @copies. */
static enum file_state queue(struct program_copies *copies, const char *path,
			     int fd, const struct program_key *key)
{
	struct waiting waiting = { .from = fd, .to = -1, .key = *key };
	struct stat stat = { .st_size = 0 };
	enum file_state state = FILE_MISSED;

	if (!fstat(fd, &stat) &&
	    (uint64_t)stat.st_size > PROGRAM_COPIES_BYTES - copies->bytes)
		state = refuse(copies, path, (uint64_t)stat.st_size);
	waiting.size_bytes = (uint64_t)stat.st_size;
	if (stat.st_size && state == FILE_MISSED)
		waiting.name = name_of(path);
	if (!waiting.name || array_append(&copies->waiting, &waiting) < 0) {
		close_waiting(&waiting);
		return state;
	}
	copies->bytes += waiting.size_bytes;
	return FILE_DONE;
}

/* Queues the file of @program to be copied. Returns its new state. */
static enum file_state keep(struct program_copies *copies,
			    const struct mapped_program *program,
			    const struct program_key *key)
{
	int fd = open_program(program);
	enum file_state state = fd < 0 ? FILE_MISSED :
					 queue(copies, program->path, fd, key);

	if (state == FILE_MISSED)
		miss(copies, program->path);
	return state;
}

/* Returns whether @path is that of a file. The kernel names memory without a
 * file "//anon", "[heap]", "/dev/zero", and "/SYSV00000000"; only the last two
 * look like paths, and are not programs.
 */
static bool names_file(const char *path)
{
	return path[0] == '/' && path[1] != '/' &&
	       strncmp(path, "/dev/zero", 9) != 0 &&
	       strncmp(path, "/SYSV", 5) != 0;
}

static struct program_key key_of(const struct mapped_program *program)
{
	return program->id.size ?
		       program_key_of_id(program->id.bytes, program->id.size) :
		       program_key_of_inode(program->inode);
}

/* Returns whether the file at @path is from a package, and so is unlikely to be
 * removed. To hold such files open would keep file systems from being
 * unmounted, and cost a descriptor each.
 */
static bool is_of_package(const char *path)
{
	static const char *const folders[] = { "/usr/", "/lib", "/bin/",
					       "/sbin/" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (!strncmp(path, folders[i], strlen(folders[i])))
			return strncmp(path, "/usr/local/", 11) != 0;
	return false;
}

/* Keeps the file of @program, which is at its path, open. */
static void hold(struct program_copies *copies,
		 const struct mapped_program *program,
		 const struct program_key *key)
{
	struct held held = { .id = program->id, .key = *key };

	if (is_of_package(program->path) ||
	    copies->held.count >= PROGRAM_COPIES_HELD)
		return;
	held.fd = regular_file_open(program->path);
	held.path = held.fd >= 0 && is_program(held.fd) ?
			    strdup(program->path) :
			    NULL;
	if (held.path && !array_append(&copies->held, &held))
		return;
	if (held.fd >= 0)
		close(held.fd);
	free(held.path);
}

/* Returns whether the file is still at its path. */
static bool is_in_place(const struct held *held)
{
	struct elf_build_id id;

	if (!held->id.size)
		return are_one_file(held->fd, held->path);
	id = elf_build_id_of_file(held->path);
	return has_id(&id, &held->id);
}

/* Queues the held files that were removed or replaced. */
static void queue_removed(struct program_copies *copies)
{
	for (size_t i = 0; i < copies->held.count; i++) {
		struct held *held = array_at(&copies->held, i);

		if (is_in_place(held) || is_done(copies, held->key.text))
			continue;
		set_state(copies, held->key.text,
			  queue(copies, held->path, held->fd, &held->key));
		held->fd = -1;
	}
	let_go(copies);
}

void program_copies_add(struct program_copies *copies,
			const struct mapped_program *program)
{
	const struct program_key key = key_of(program);
	char name[sizeof(key.text) + PATH_MAX + 1];

	snprintf(name, sizeof(name), "%s %s", key.text, program->path);
	if (!*key.text || !names_file(program->path) || is_done(copies, name))
		return;
	if (is_at_path(program)) {
		set_state(copies, name, FILE_DONE);
		hold(copies, program, &key);
		return;
	}
	if (!is_done(copies, key.text))
		set_state(copies, key.text, keep(copies, program, &key));
	if (is_done(copies, key.text))
		set_state(copies, name, FILE_DONE);
}

/* Returns how many files were gone in all processes. */
static uint32_t count_missed(const struct program_copies *copies)
{
	const uint8_t *states = copies->states.items;
	uint32_t count = 0;

	for (size_t i = 0; i < copies->states.count; i++)
		count += states[i] == FILE_MISSED;
	return count;
}

bool program_copies_wait(const struct program_copies *copies)
{
	return copies && copies->waiting.count;
}

/* Creates the file that @waiting is copied to. */
static int begin(struct program_copies *copies, struct waiting *waiting)
{
	struct output_folder folder;
	int error = 0;

	if (!copies->programs.path)
		error = output_folder_sub(&copies->programs, copies->folder,
					  "programs", copies->log);
	if (!error)
		error = output_folder_sub(&folder, &copies->programs,
					  waiting->key.text, copies->log);
	if (error)
		return error;
	waiting->to = output_folder_create(&folder, waiting->name);
	if (waiting->to < 0)
		error = output_folder_fail(&folder, waiting->name, copies->log);
	output_folder_close(&folder);
	return error;
}

static int fail(const struct program_copies *copies,
		const struct waiting *waiting)
{
	log_message(copies->log, LOG_ERROR, copies->programs.path,
		    LOG_NO_OFFSET, "cannot write the copy of %s: %s",
		    waiting->name, strerror(errno));
	return -ERROR_SYSTEM;
}

/* Copies at most @most bytes of the first file. Returns how many were copied,
 * or a negative enum error. A file that became shorter is complete earlier.
 */
static int64_t copy_part(struct program_copies *copies, size_t most)
{
	struct waiting *waiting = array_at(&copies->waiting, 0);
	int error = waiting->to < 0 ? begin(copies, waiting) : 0;
	ssize_t copied;

	if (error)
		return error;
	if (most > waiting->size_bytes)
		most = waiting->size_bytes;
	copied = most ? sendfile(waiting->to, waiting->from, NULL, most) : 0;
	if (copied < 0)
		return fail(copies, waiting);
	waiting->size_bytes -= (uint64_t)copied;
	if (copied && waiting->size_bytes)
		return copied;
	close_waiting(waiting);
	array_remove(&copies->waiting, 0, 1);
	return copied;
}

/* Copies files in parts of at most PROGRAM_COPY_STEP until @most bytes are
 * copied and at most PROGRAM_COPIES_WAITING files wait.
 */
static int copy_some(struct program_copies *copies, uint64_t most)
{
	uint64_t done = 0;

	while (copies->waiting.count &&
	       (done < most ||
		copies->waiting.count > PROGRAM_COPIES_WAITING)) {
		int64_t copied = copy_part(copies, PROGRAM_COPY_STEP);

		if (copied < 0)
			return (int)copied;
		done += (uint64_t)copied;
	}
	return 0;
}

int program_copies_step(struct program_copies *copies)
{
	return copies ? copy_some(copies, PROGRAM_COPY_STEP) : 0;
}

int program_copies_finish(struct program_copies *copies)
{
	uint32_t missed;
	int error;

	if (!copies)
		return 0;
	queue_removed(copies);
	error = copy_some(copies, UINT64_MAX);
	missed = count_missed(copies);
	if (missed)
		log_message(copies->log, LOG_WARNING, copies->example,
			    LOG_NO_OFFSET,
			    "%" PRIu32 " files of programs, this one first, "
			    "were gone before they could be copied: their "
			    "functions will have no names",
			    missed);
	if (copies->refused)
		log_message(copies->log, LOG_WARNING, copies->example,
			    LOG_NO_OFFSET,
			    "%" PRIu32 " files of programs (%" PRIu64
			    " MiB) that reports cannot find by their paths are "
			    "not in the recording, which has room for %" PRIu64
			    " MiB of them: their functions will have no names",
			    copies->refused, copies->refused_bytes >> 20,
			    PROGRAM_COPIES_BYTES >> 20);
	return error;
}
