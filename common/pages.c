/* SPDX-License-Identifier: MIT */
#include "common/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void pages_release(const void *from, const void *to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = ((uintptr_t)from + page - 1) & ~(page - 1);
	uintptr_t end = (uintptr_t)to & ~(page - 1);

	if (start < end)
		madvise((void *)start, end - start, MADV_DONTNEED);
}
