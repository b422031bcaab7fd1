/* SPDX-License-Identifier: MIT */
#include "symbolize/kernel/text_file.h"

#include "common/budget.h"
#include "common/error.h"
#include "common/file_map.h"
#include "common/log.h"
#include "common/regular_file.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* All of the file is about to be read: prefault its pages where the kernel
 * supports this.
 */
static int map_all(int fd, struct text_file *file)
{
	struct file_map map;

	if (file_map_open_fd(&map, fd) < 0)
		return -ERROR_SYSTEM;
	if (map.size > BUDGET_TEXT_BYTES) {
		file_map_close(&map);
		errno = EFBIG;
		return -ERROR_SYSTEM;
	}
	if (map.bytes)
		madvise((void *)(uintptr_t)map.bytes, map.size,
			MADV_POPULATE_READ);
	file->text = (const char *)map.bytes;
	file->size_bytes = map.size;
	return 0;
}

int text_file_read(const char *path, const struct log *log,
		   struct text_file *file)
{
	int fd = regular_file_open(path);
	int status = -ERROR_SYSTEM;

	*file = (struct text_file){ 0 };
	if (fd >= 0)
		status = map_all(fd, file);
	if (status < 0)
		log_message(log, LOG_ERROR, path, LOG_NO_OFFSET,
			    "cannot be read: %s", regular_file_error(errno));
	if (fd >= 0)
		close(fd);
	return status;
}

void text_file_free(struct text_file *file)
{
	file_map_close(&(struct file_map){
		.bytes = (const uint8_t *)file->text,
		.size = file->size_bytes,
	});
	*file = (struct text_file){ 0 };
}
