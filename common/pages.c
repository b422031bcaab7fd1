/* SPDX-License-Identifier: MIT */
#include "common/pages.h"

#include <sys/mman.h>
#include <unistd.h>

size_t pages_release(const uint8_t *bytes, size_t from, size_t to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = ((uintptr_t)bytes + from + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)bytes + to) & ~(page - 1);

	if (start >= end)
		return from;
	madvise((void *)start, end - start, MADV_DONTNEED);
	return end - (uintptr_t)bytes;
}
