/* SPDX-License-Identifier: MIT */
#include "serve/kernel_files.h"
#include "common/error.h"
#include "common/log.h"
#include "serve/refusal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static bool is_copying(const struct kernel_files *files)
{
	return files->started != files->finished;
}

int kernel_files_open(struct kernel_files *files, struct kernel_source source,
		      const struct log *log)
{
	*files = (struct kernel_files){
		.source = source,
		.finish_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	for (size_t i = 0; i < BUDGET_KERNEL_COPIES; i++)
		for (size_t j = 0; j < SERVE_FILES; j++)
			files->copies[i].fds[j] = -1;
	if (files->finish_fd >= 0)
		return output_folder_temporary(&files->folder, log);
	log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "copies of the kernel cannot be waited for: %s",
		    strerror(errno));
	return -ERROR_SYSTEM;
}

/* Frees the disk space of the copy, in the order of invariant 5. A file that
 * cannot be truncated stays open, and counts.
 */
static int withdraw(struct shared_copy *copy)
{
	for (size_t i = 0; i < SERVE_FILES; i++) {
		if (copy->fds[i] < 0)
			continue;
		if (ftruncate(copy->fds[i], 0))
			return -ERROR_SYSTEM;
		close(copy->fds[i]);
		copy->fds[i] = -1;
	}
	return 0;
}

/* The copy that is the next to be replaced. */
static struct shared_copy *oldest(struct kernel_files *files)
{
	return &files->copies[(files->newest + 1) % BUDGET_KERNEL_COPIES];
}

/* Opens the files of a new copy. They get their own descriptors here, since
 * a client could give a file with a name another name (link(2)).
 */
static int open_new(struct kernel_files *files)
{
	struct shared_copy *copy = oldest(files);
	bool is_whole = true;

	for (size_t i = 0; i < SERVE_FILES; i++) {
		copy->fds[i] = output_folder_reopen(
			&files->folder, serve_file_name((enum serve_file)i),
			O_RDWR);
		is_whole &= copy->fds[i] >= 0;
	}
	return is_whole ? 0 : -ERROR_SYSTEM;
}

static int copy_once(struct kernel_files *files, const struct log *log)
{
	int error = withdraw(oldest(files));

	if (!error) {
		error = files->source.copy(files->source.context,
					   &files->folder, log);
		if (error)
			return error;
		error = open_new(files);
	}
	if (error)
		log_message(log, LOG_ERROR, files->folder.path, LOG_NO_OFFSET,
			    "the kernel's copies cannot be replaced: %s",
			    strerror(errno));
	return error;
}

static void *run_copy(void *context)
{
	struct kernel_files *files = context;
	const struct log log = { refusal_keep, &files->making.reason };

	files->making.error = copy_once(files, &log);
	for (size_t i = 0; i < SERVE_FILES; i++)
		output_folder_remove(&files->folder,
				     serve_file_name((enum serve_file)i));
	if (files->making.error)
		withdraw(oldest(files));
	eventfd_write(files->finish_fd, 1);
	return NULL;
}

/* Changes up to here are in the copy; later ones make it outdated. */
static int start(struct kernel_files *files, const struct log *log)
{
	int cause;

	assert(!is_copying(files)); /* invariant 1 */
	files->source.has_changed(files->source.context);
	files->is_current = false;
	files->making = (struct copy_result){ 0 };
	cause = pthread_create(&files->thread, NULL, run_copy, files);
	if (!cause) {
		files->started++;
		return 1;
	}
	errno = cause;
	log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "no thread can be started: %s", strerror(cause));
	return -ERROR_SYSTEM;
}

void kernel_files_finish(struct kernel_files *files)
{
	eventfd_t count;

	if (!is_copying(files))
		return;
	pthread_join(files->thread, NULL);
	eventfd_read(files->finish_fd, &count);
	files->finished = files->started;
	files->last = files->making;
	if (files->last.error)
		return;
	files->succeeded = files->finished;
	files->newest = (size_t)(oldest(files) - files->copies);
	files->is_current = true;
}

void kernel_files_close(struct kernel_files *files)
{
	if (!files->source.copy)
		return;
	kernel_files_finish(files);
	for (size_t i = 0; i < BUDGET_KERNEL_COPIES; i++)
		withdraw(&files->copies[i]);
	if (files->finish_fd >= 0)
		close(files->finish_fd);
	output_folder_discard(&files->folder);
}

/* Opens the files anew, so that each client has its own file position and can
 * only read.
 */
static int open_files(const struct kernel_files *files, const struct log *log,
		      int fds[SERVE_FILES])
{
	const struct shared_copy *copy = &files->copies[files->newest];

	for (size_t i = 0; i < SERVE_FILES; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/self/fd/%d", copy->fds[i]);
		fds[i] = open(path, O_RDONLY | O_CLOEXEC);
		if (fds[i] >= 0)
			continue;
		log_message(log, LOG_ERROR, serve_file_name((enum serve_file)i),
			    LOG_NO_OFFSET, "cannot be opened: %s",
			    strerror(errno));
		while (i--)
			close(fds[i]);
		return -ERROR_SYSTEM;
	}
	return 0;
}

static int fail_like_copy(const struct kernel_files *files,
			  const struct log *log)
{
	const struct serve_refused *reason = &files->last.reason;

	errno = reason->cause;
	log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET, "%s", reason->text);
	return files->last.error;
}

/* Returns whether the newest copy has all changes before now. */
static bool is_current(struct kernel_files *files)
{
	if (files->is_current &&
	    files->source.has_changed(files->source.context))
		files->is_current = false;
	return files->is_current;
}

int kernel_files_take(struct kernel_files *files, uint64_t since,
		      const struct log *log, int fds[SERVE_FILES])
{
	if (files->succeeded > since)
		return open_files(files, log, fds);
	if (files->finished > since)
		return fail_like_copy(files, log);
	if (is_copying(files))
		return 1;
	return is_current(files) ? open_files(files, log, fds) :
				   start(files, log);
}

bool kernel_files_is_waiting(const struct kernel_files *files, uint64_t since)
{
	return files->finished <= since && is_copying(files);
}
