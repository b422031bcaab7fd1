/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/written.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "machine/guest/init/copy_file.h"
#include "machine/guest/init/name_list.h"

#define NOTE_MAX 65536

/* A walk through all written files; paths start at the root. */
struct walk {
	const struct settings *settings;
	const struct layers *layers;
	struct name_list back;	  /* copied to the host */
	struct name_list failed;  /* not copied, with the reason */
	struct name_list removed; /* they still exist on the host */
	struct name_list left;	  /* outside of all folders of settings->keep */
};

static int walk_folder(struct walk *walk, const char *path);

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return !strncmp(path, folder, length) &&
	       (path[length] == '/' || !path[length]);
}

/* Returns the number of the keep folder that contains @path, or -1. */
static int kept_by(const struct settings *settings, const char *path)
{
	for (size_t i = 0; i < settings->keep_count; i++)
		if (is_below(path, settings->keep[i]))
			return (int)i;
	return -1;
}

/* Returns @path relative to the user's working directory if it is below that.
 */
static const char *shown_name(const struct walk *walk, const char *path)
{
	const char *cwd = walk->settings->cwd;

	if (cwd && is_below(path, cwd) && path[strlen(cwd)])
		return path + strlen(cwd) + 1;
	return path;
}

/* A file that was opened for writing, or whose owner was changed, is in the
 * upper layer too, even if its content equals the host's.
 */
static bool is_unchanged(const struct walk *walk, const char *path,
			 const struct stat *now)
{
	struct stat was;

	return !fstatat(walk->layers->host, path + 1, &was,
			AT_SYMLINK_NOFOLLOW) &&
	       was.st_mode == now->st_mode && was.st_size == now->st_size &&
	       was.st_mtim.tv_sec == now->st_mtim.tv_sec &&
	       was.st_mtim.tv_nsec == now->st_mtim.tv_nsec;
}

static void add_failed(struct walk *walk, const char *path)
{
	char text[PATH_MAX + 128];

	snprintf(text, sizeof(text), "%s: %s", shown_name(walk, path),
		 strerror(errno));
	name_list_add(&walk->failed, text);
}

/* Sets @at to the path of @path within keep folder number @keep. */
static void host_path(const struct walk *walk, int keep, const char *path,
		      char at[PATH_MAX])
{
	const char *rest = path + strlen(walk->settings->keep[keep]);

	snprintf(at, PATH_MAX, "/run/keep%d%s", keep, rest);
}

static void take_file(struct walk *walk, const char *path, const char *source,
		      const struct stat *info)
{
	int keep = kept_by(walk->settings, path);
	char target[PATH_MAX];

	if (is_unchanged(walk, path, info))
		return;
	if (keep < 0) {
		name_list_add(&walk->left, shown_name(walk, path));
		return;
	}
	host_path(walk, keep, path, target);
	if (copy_file(source, target, info))
		add_failed(walk, path);
	else
		name_list_add(&walk->back, shown_name(walk, path));
}

static int take_folder(struct walk *walk, const char *path,
		       const struct stat *info)
{
	int keep = kept_by(walk->settings, path);
	char target[PATH_MAX];

	if (keep >= 0) {
		host_path(walk, keep, path, target);
		if (copy_folder(target, info)) {
			add_failed(walk, path);
			return 0;
		}
	}
	return walk_folder(walk, path);
}

/* For a removed file the layer has a device with number 0. */
static void take_device(struct walk *walk, const char *path,
			const struct stat *info)
{
	if (S_ISCHR(info->st_mode) && info->st_rdev == makedev(0, 0) &&
	    kept_by(walk->settings, path) >= 0)
		name_list_add(&walk->removed, shown_name(walk, path));
}

static int take_entry(struct walk *walk, const char *path)
{
	char source[PATH_MAX];
	struct stat info;

	if (snprintf(source, sizeof(source), "/proc/self/fd/%d%s",
		     walk->layers->written, path) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (lstat(source, &info))
		return -1;
	if (S_ISDIR(info.st_mode))
		return take_folder(walk, path, &info);
	if (S_ISREG(info.st_mode) || S_ISLNK(info.st_mode))
		take_file(walk, path, source, &info);
	else
		take_device(walk, path, &info);
	return 0;
}

static int not_dots(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

/* Walks in the order of names. */
static int walk_folder(struct walk *walk, const char *path)
{
	char below[PATH_MAX];
	struct dirent **entries;
	int count;
	int result = 0;

	snprintf(below, sizeof(below), "/proc/self/fd/%d%s",
		 walk->layers->written, path);
	count = scandir(below, &entries, not_dots, alphasort);
	if (count < 0)
		return -1;
	for (int i = 0; i < count; i++) {
		int length = snprintf(below, sizeof(below), "%s/%s", path,
				      entries[i]->d_name);

		if (!result && length < PATH_MAX)
			result = take_entry(walk, below);
		free(entries[i]);
	}
	free(entries);
	return result;
}

static void print_note(const struct walk *walk, FILE *note)
{
	name_list_print(&walk->back, "came back from the machine", note);
	name_list_print(&walk->removed,
			"removed in the machine, and still here", note);
	name_list_print(&walk->left,
			"left in the machine, and gone (--keep FOLDER brings "
			"back what is written below it)",
			note);
	name_list_print(&walk->failed, "could not be brought back", note);
}

static int send_note(const struct walk *walk, struct frame_writer *writer)
{
	char *text = NULL;
	size_t length = 0;
	FILE *note = open_memstream(&text, &length);
	int error = -1;

	if (note) {
		print_note(walk, note);
		error = fclose(note);
	}
	if (!error && length)
		error = frame_writer_put(writer, FRAME_NOTE, 0, text,
					 length < NOTE_MAX ? length : NOTE_MAX);
	free(text);
	return error;
}

static int mount_kept(const struct settings *settings, struct problem *problem)
{
	for (size_t i = 0; i < settings->keep_count; i++) {
		char tag[32];
		char path[32];

		snprintf(tag, sizeof(tag), "keep%zu", i);
		snprintf(path, sizeof(path), "/run/keep%zu", i);
		if (mounts_shared(tag, path, problem))
			return -1;
	}
	return 0;
}

/* Unmounting writes all data to the host. */
static int unmount_kept(const struct settings *settings,
			struct problem *problem)
{
	for (size_t i = 0; i < settings->keep_count; i++) {
		char path[32];
		int fd;
		int failed;

		snprintf(path, sizeof(path), "/run/keep%zu", i);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		failed = fd < 0 || syncfs(fd);
		if (fd >= 0)
			failed |= close(fd);
		if (umount2(path, 0) || failed)
			return problem_set(problem,
					   "not all that was written below %s "
					   "reached the host",
					   settings->keep[i]);
	}
	return 0;
}

static int walk_all(struct walk *walk, struct frame_writer *writer,
		    struct problem *problem)
{
	if (walk_folder(walk, ""))
		return problem_set(problem, "cannot list what was written");
	if (unmount_kept(walk->settings, problem))
		return -1;
	if (send_note(walk, writer))
		return problem_set(problem, "cannot tell what was written");
	errno = 0;
	return walk->failed.count ?
		       problem_set(problem, "%zu files were not brought back",
				   walk->failed.count) :
		       0;
}

int written_keep(const struct settings *settings, const struct layers *layers,
		 struct frame_writer *writer, struct problem *problem)
{
	struct walk walk = { .settings = settings, .layers = layers };
	int result;

	if (!settings->written)
		return 0;
	if (mount_kept(settings, problem))
		return -1;
	result = walk_all(&walk, writer, problem);
	name_list_free(&walk.back);
	name_list_free(&walk.failed);
	name_list_free(&walk.removed);
	name_list_free(&walk.left);
	return result;
}
