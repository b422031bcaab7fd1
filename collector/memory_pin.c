/* SPDX-License-Identifier: MIT */
#include "collector/memory_pin.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct pin {
	pthread_t thread;
	bool is_used;
	int memory;
	uint64_t address;
	void *page; /* the read into it does not end */
};

struct memory_pins {
	int faults; /* the userfaultfd */
	size_t page_size;
	uint8_t *pages;
	struct pin pins[MEMORY_PIN_COUNT];
};

static bool watch_pages(struct memory_pins *pins, size_t size)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { .start = (uintptr_t)pins->pages, .len = size },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	return !ioctl(pins->faults, UFFDIO_API, &api) &&
	       !ioctl(pins->faults, UFFDIO_REGISTER, &range);
}

struct memory_pins *memory_pins_new(void)
{
	struct memory_pins *pins = calloc(1, sizeof(*pins));
	size_t size;

	if (!pins)
		return NULL;
	pins->page_size = (size_t)sysconf(_SC_PAGESIZE);
	size = pins->page_size * MEMORY_PIN_COUNT;
	pins->faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	pins->pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pins->faults >= 0 && pins->pages != MAP_FAILED &&
	    watch_pages(pins, size))
		return pins;
	memory_pins_free(pins);
	return NULL;
}

void memory_pins_free(struct memory_pins *pins)
{
	if (!pins)
		return;
	for (int i = 0; i < MEMORY_PIN_COUNT; i++)
		memory_unpin(pins, i);
	if (pins->faults >= 0)
		close(pins->faults);
	if (pins->pages != MAP_FAILED)
		munmap(pins->pages, pins->page_size * MEMORY_PIN_COUNT);
	free(pins);
}

/* The result does not matter: if the read fails, nothing is pinned. */
static void *hold(void *context)
{
	const struct pin *pin = context;

	return pread(pin->memory, pin->page, 1, (off_t)pin->address) < 0 ?
		       NULL :
		       context;
}

int memory_pin(struct memory_pins *pins, int memory, uint64_t address)
{
	struct pin *pin;
	int number = 0;

	while (pins && number < MEMORY_PIN_COUNT && pins->pins[number].is_used)
		number++;
	if (!pins || number == MEMORY_PIN_COUNT)
		return -1;
	pin = &pins->pins[number];
	*pin = (struct pin){
		.memory = memory,
		.address = address,
		.page = pins->pages + (size_t)number * pins->page_size,
	};
	pin->is_used = !pthread_create(&pin->thread, NULL, hold, pin);
	return pin->is_used ? number : -1;
}

/* The page is provided until the thread has ended, because it may not have
 * reached the page yet. Then it becomes unresolved again, for the next pin.
 */
void memory_unpin(struct memory_pins *pins, int number)
{
	struct uffdio_zeropage zero = { 0 };
	struct pin *pin;

	if (!pins || number < 0 || !pins->pins[number].is_used)
		return;
	pin = &pins->pins[number];
	zero.range.start = (uintptr_t)pin->page;
	zero.range.len = pins->page_size;
	ioctl(pins->faults, UFFDIO_ZEROPAGE, &zero);
	pthread_join(pin->thread, NULL);
	madvise(pin->page, pins->page_size, MADV_DONTNEED);
	pin->is_used = false;
}
