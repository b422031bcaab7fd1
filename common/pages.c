/* SPDX-License-Identifier: MIT */
#include "common/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

bool pages_grow(struct pages *pages, size_t size)
{
	void *grown = pages->memory ? mremap(pages->memory, pages->size, size,
					     MREMAP_MAYMOVE) :
				      mmap(NULL, size, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (grown == MAP_FAILED)
		return false;
	*pages = (struct pages){ .memory = grown, .size = size };
	return true;
}

void pages_free(struct pages *pages)
{
	if (pages->memory)
		munmap(pages->memory, pages->size);
	*pages = (struct pages){ 0 };
}

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
