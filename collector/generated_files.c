/* SPDX-License-Identifier: MIT */
#include "collector/generated_files.h"
#include "collector/recording_setup.h"
#include "common/clocks.h"
#include "common/error.h"
#include "common/file_map.h"
#include "common/generated_chunk.h"
#include "common/output_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { COPY_BYTES = 64 << 10 };

/* Returns the last number of the line "NSpid:" of /proc/PID/status, @pid if
 * there is none.
 */
static pid_t inner_pid(pid_t pid)
{
	char path[64];
	char line[256];
	pid_t inner = pid;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		const char *last = strrchr(line, '\t');

		if (!strncmp(line, "NSpid:", 6) && last)
			sscanf(last, "%d", &inner);
	}
	if (file)
		fclose(file);
	return inner;
}

void generated_files_open(struct generated_files *names, pid_t pid)
{
	char path[64];
	struct stat stat_of_process;

	*names = (struct generated_files){
		.pid = pid,
		.inner = inner_pid(pid),
		.dump = -1,
	};
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (!stat(path, &stat_of_process))
		names->owner = stat_of_process.st_uid;
	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	names->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

void generated_files_close(struct generated_files *names)
{
	if (names->root >= 0)
		close(names->root);
	if (names->dump >= 0)
		close(names->dump);
	names->root = -1;
	names->dump = -1;
}

static bool is_trusted(const struct generated_files *names,
		       const struct stat *file)
{
	return S_ISREG(file->st_mode) &&
	       (!file->st_uid || file->st_uid == geteuid() ||
		file->st_uid == names->owner);
}

/* Returns a descriptor of the file @path of the process, or -1. */
static int open_inside(const struct generated_files *names, const char *path,
		       struct stat *file)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd;

	if (names->root < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, names->root, path, &how, sizeof(how));
	if (fd < 0 || (!fstat(fd, file) && is_trusted(names, file)))
		return fd;
	close(fd);
	return -1;
}

void generated_files_add(struct generated_files *names, const char *path)
{
	struct stat file;

	if (names->dump < 0 && generated_dump_path(path))
		names->dump = open_inside(names, path, &file);
}

/* Opens the file <pid>.@suffix of @folder at its end, and creates it if it does
 * not exist.
 */
static int open_copy(const struct generated_files *names,
		     const struct output_folder *folder, const char *suffix)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "%d.%s", (int)names->pid, suffix);
	fd = output_folder_create(folder, name);
	return fd >= 0 || errno != EEXIST ?
		       fd :
		       output_folder_reopen(folder, name, O_WRONLY | O_APPEND);
}

/* Copies the bytes of @from from *@offset to @end to @to, and advances *@offset.
 * With @heading, which is written first if there is anything to copy, only whole
 * lines are copied.
 */
static int copy_bytes(int from, int to, uint64_t *offset, uint64_t end,
		      const char *heading, uint64_t *left)
{
	uint8_t bytes[COPY_BYTES];
	size_t heading_size = heading ? strlen(heading) : 0;

	while (*offset < end) {
		size_t most = end - *offset < sizeof(bytes) ?
				      (size_t)(end - *offset) :
				      sizeof(bytes);
		ssize_t size = pread(from, bytes, most, (off_t)*offset);

		while (heading && size > 0 && bytes[size - 1] != '\n')
			size--;
		if (size <= 0 || (uint64_t)size > *left)
			return 0;
		if (file_map_put(to, (const uint8_t *)heading, heading_size) <
			    0 ||
		    file_map_put(to, bytes, (size_t)size) < 0)
			return -ERROR_SYSTEM;
		heading_size = 0;
		*offset += (uint64_t)size;
		*left -= (uint64_t)size;
	}
	return 0;
}

static int copy_map(struct generated_files *names,
		    const struct output_folder *folder, uint64_t now_ns,
		    uint64_t *left)
{
	char text[64];
	struct stat file;
	int error = -ERROR_SYSTEM;
	int from;
	int to;

	snprintf(text, sizeof(text), "tmp/perf-%d.map", (int)names->inner);
	from = open_inside(names, text, &file);
	if (from < 0)
		return 0;
	if (file.st_ino != names->map_inode ||
	    (uint64_t)file.st_size < names->map_size)
		names->map_size = 0;
	names->map_inode = file.st_ino;
	if ((uint64_t)file.st_size == names->map_size) {
		close(from);
		return 0;
	}
	to = open_copy(names, folder, "map");
	snprintf(text, sizeof(text), "# %" PRIu64 " %" PRIu64 "\n",
		 names->looked_ns, now_ns);
	if (to >= 0)
		error = copy_bytes(from, to, &names->map_size,
				   (uint64_t)file.st_size, text, left);
	if (to >= 0)
		close(to);
	close(from);
	return error;
}

/* Writes the file <pid>.dump_clock. An interrupt between the readings makes them
 * less precise: uses the closest of several.
 */
static int write_clock(const struct generated_files *names,
		       const struct output_folder *folder,
		       const struct trace_clock *clock)
{
	enum { TRIES = 16 };
	uint64_t bracket_ns = UINT64_MAX;
	char text[64] = "";
	int error = -ERROR_SYSTEM;
	int fd;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = trace_clock_ns(clock);
		uint64_t between = monotonic_ns();
		uint64_t after = trace_clock_ns(clock);

		if (after - before >= bracket_ns)
			continue;
		bracket_ns = after - before;
		snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64 "\n",
			 between, before + bracket_ns / 2);
	}
	fd = open_copy(names, folder, "dump_clock");
	if (fd >= 0) {
		error = file_map_put(fd, (const uint8_t *)text, strlen(text));
		close(fd);
	}
	return error;
}

static int copy_dump(struct generated_files *names,
		     const struct output_folder *folder,
		     const struct trace_clock *clock, uint64_t *left)
{
	struct stat file;
	uint64_t offset = 0;
	int error;
	int to;

	if (names->dump < 0 || names->is_dump_copied ||
	    fstat(names->dump, &file) < 0)
		return 0;
	names->is_dump_copied = true;
	if (write_clock(names, folder, clock) < 0)
		return -ERROR_SYSTEM;
	to = open_copy(names, folder, "dump");
	if (to < 0)
		return -ERROR_SYSTEM;
	error = copy_bytes(names->dump, to, &offset, (uint64_t)file.st_size,
			   NULL, left);
	close(to);
	return error;
}

int generated_files_copy(struct generated_files *names,
			 const struct output_folder *folder,
			 const struct trace_clock *clock, bool is_last,
			 uint64_t *left)
{
	uint64_t now_ns = trace_clock_ns(clock);
	int error = copy_map(names, folder, now_ns, left);

	names->looked_ns = now_ns;
	if (!error && is_last)
		error = copy_dump(names, folder, clock, left);
	return error;
}
