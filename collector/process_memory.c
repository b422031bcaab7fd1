/* SPDX-License-Identifier: MIT */
#include "collector/process_memory_internal.h"

#include "common/array.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "common/formats/generated_chunk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Two parts. A pin keeps the memory of a process that ends: a thread of the
 * recorder reads a byte of it into a page that a userfaultfd leaves unresolved,
 * so that the read, and with it the kernel's reference to the memory, lasts
 * until memory_unpin(). A process_memory reads the pages of ranges that may
 * have generated code and writes those that are new or differ from their last
 * copy.
 *
 * Pages without memory are skipped by the page map. Pages that are unmapped
 * while they are read are no error.
 */

enum { MEMORY_PIN_COUNT = 64 };

struct pin {
	pthread_t thread;
	bool is_used;
	int memory; /* descriptor of /proc/PID/mem, borrowed */
	int ended;  /* an eventfd: the thread adds 1 at its end */
	uint64_t address;
	void *page; /* the read into this page waits until memory_unpin() */
};

struct memory_pins {
	int faults; /* the userfaultfd */
	/* the eventfd of all pins; its count is 0 between the calls */
	int ended;
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
	pins->ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pins->pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pins->faults >= 0 && pins->ended >= 0 &&
	    pins->pages != MAP_FAILED && watch_pages(pins, size))
		return pins;
	memory_pins_free(pins);
	return NULL;
}

/* Releases pin @number; -1 is allowed. The page is provided, so that the read
 * ends if it has not ended yet, and becomes unresolved again, for the next pin.
 */
static void memory_unpin(struct memory_pins *pins, int number)
{
	struct uffdio_zeropage zero = { 0 };
	struct pin *pin;
	eventfd_t count;

	if (!pins || number < 0 || !pins->pins[number].is_used)
		return;
	pin = &pins->pins[number];
	zero.range.start = (uintptr_t)pin->page;
	zero.range.len = pins->page_size;
	ioctl(pins->faults, UFFDIO_ZEROPAGE, &zero);
	pthread_join(pin->thread, NULL);
	eventfd_read(pins->ended, &count);
	pin->is_used = false;
	madvise(pin->page, pins->page_size, MADV_DONTNEED);
}

void memory_pins_free(struct memory_pins *pins)
{
	if (!pins)
		return;
	for (int i = 0; i < MEMORY_PIN_COUNT; i++)
		memory_unpin(pins, i);
	if (pins->faults >= 0)
		close(pins->faults);
	if (pins->ended >= 0)
		close(pins->ended);
	if (pins->pages != MAP_FAILED)
		munmap(pins->pages, pins->page_size * MEMORY_PIN_COUNT);
	free(pins);
}

/* Reads a byte of the memory, which pins it while the read lasts. If the read
 * fails, nothing is pinned.
 */
static void *hold(void *context)
{
	const struct pin *pin = context;
	ssize_t size = pread(pin->memory, pin->page, 1, (off_t)pin->address);

	eventfd_write(pin->ended, 1);
	return size < 0 ? NULL : context;
}

/* Waits until the thread of @pin waits for its page, and thus holds the memory.
 * Returns false if its read ended instead, or that cannot be found out.
 */
static bool await_fault(const struct memory_pins *pins, const struct pin *pin)
{
	struct pollfd polled[] = {
		{ .fd = pins->faults, .events = POLLIN },
		{ .fd = pins->ended, .events = POLLIN },
	};
	struct uffd_msg message;

	for (;;) {
		if (poll(polled, 2, -1) < 0 && errno != EINTR)
			return false;
		while (read(pins->faults, &message, sizeof(message)) ==
		       sizeof(message))
			if (message.event == UFFD_EVENT_PAGEFAULT &&
			    message.arg.pagefault.address / pins->page_size ==
				    (uintptr_t)pin->page / pins->page_size)
				return true;
		if (polled[1].revents & POLLIN)
			return false;
	}
}

/* Pins the memory of @memory, a descriptor of /proc/PID/mem, in which @address
 * is mapped. Returns the number of the pin; -1 if there is none: @pins is NULL,
 * all are in use, or the process has ended.
 */
static int memory_pin(struct memory_pins *pins, int memory, uint64_t address)
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
		.ended = pins->ended,
		.page = pins->pages + (size_t)number * pins->page_size,
	};
	pin->is_used = !pthread_create(&pin->thread, NULL, hold, pin);
	if (!pin->is_used)
		return -1;
	if (await_fault(pins, pin))
		return number;
	memory_unpin(pins, number);
	return -1;
}

enum {
	PAGE = GENERATED_PAGE_BYTES,
	PAGES_AT_ONCE = 64, /* read by one system call */
	STATES_AT_ONCE = 512,
	/* New code is expected up to NEXT_BYTES after a page with code, and in
	 * the last BLOCK_BYTES before the end of HotSpot's blocks
	 * (follow_blocks()).
	 */
	NEXT_BYTES = 2 * PAGE,
	BLOCK_BYTES = 4 * PAGE,
};

struct memory_range {
	uint64_t start;
	uint64_t end;
	/* all mapping records of the range are writable: find_line() is not
	 * needed
	 */
	bool is_writable;
	/* end of the blocks (follow_blocks()); 0: not searched yet */
	uint64_t next_block;
	/* blocks lead to next_block, where there is no other one yet */
	bool has_blocks;
};

/* The last copy of a page. A page that was never anything but zeros, as most of
 * a huge page, has no bytes and no chunk.
 */
struct page_copy {
	uint64_t address;
	uint64_t seen_ns;    /* the last time that it was read */
	uint64_t written_ns; /* end_ns of its last chunk */
	uint64_t flags;	     /* of its last chunk */
	uint8_t *bytes;	     /* NULL: zeros */
};

struct process_memory {
	struct memory_pins *pins;
	int pin;
	int bytes;   /* /proc/PID/mem */
	int pagemap; /* /proc/PID/pagemap: which pages have memory */
	int maps;    /* /proc/PID/maps */
	uint64_t born_ns;
	struct array ranges; /* struct memory_range, by address, disjoint */
	struct array copies; /* struct page_copy, by address */
	/* number of copies that are sorted, from the first; the others are new
	 */
	size_t sorted;
	uint8_t *buffer; /* room for PAGES_AT_ONCE pages */
	uint8_t *chunks; /* not written yet; room for PAGES_AT_ONCE */
};

static int open_file(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

struct process_memory *process_memory_open(pid_t pid, uint64_t born_ns,
					   struct memory_pins *pins)
{
	struct process_memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return NULL;
	memory->pins = pins;
	memory->pin = -1;
	memory->born_ns = born_ns;
	memory->ranges = ARRAY_OF(struct memory_range);
	memory->copies = ARRAY_OF(struct page_copy);
	memory->bytes = open_file(pid, "mem");
	memory->pagemap = open_file(pid, "pagemap");
	memory->maps = open_file(pid, "maps");
	memory->buffer = malloc((size_t)PAGES_AT_ONCE * PAGE);
	memory->chunks = malloc((size_t)PAGES_AT_ONCE * PROCESS_MEMORY_LEAST);
	if (memory->bytes >= 0 && memory->pagemap >= 0 && memory->maps >= 0 &&
	    memory->buffer && memory->chunks)
		return memory;
	process_memory_close(memory);
	return NULL;
}

static void close_file(int fd)
{
	if (fd >= 0)
		close(fd);
}

void process_memory_close(struct process_memory *memory)
{
	if (!memory)
		return;
	memory_unpin(memory->pins, memory->pin);
	close_file(memory->bytes);
	close_file(memory->pagemap);
	close_file(memory->maps);
	for (size_t i = 0; i < memory->copies.count; i++)
		free(((struct page_copy *)array_at(&memory->copies, i))->bytes);
	array_free(&memory->copies);
	array_free(&memory->ranges);
	free(memory->buffer);
	free(memory->chunks);
	free(memory);
}

/* Joins ranges that touch or overlap. */
static void join_ranges(struct array *ranges)
{
	size_t kept = 0;

	array_sort_by(ranges, KEYS(RISING(struct memory_range, start)));
	for (size_t i = 0; i < ranges->count; i++) {
		const struct memory_range *range = array_at(ranges, i);
		struct memory_range *last = kept ? array_at(ranges, kept - 1) :
						   NULL;

		if (!last || range->start > last->end) {
			*(struct memory_range *)array_at(ranges, kept++) =
				*range;
			continue;
		}
		if (range->end > last->end)
			last->end = range->end;
		last->is_writable &= range->is_writable;
		if (range->next_block > last->next_block)
			last->next_block = range->next_block;
		last->has_blocks = false;
	}
	ranges->count = kept;
}

int process_memory_add(struct process_memory *memory, uint64_t start,
		       uint64_t end, bool is_writable)
{
	const struct memory_range range = {
		.start = start & -(uint64_t)PAGE,
		.end = (end + PAGE - 1) & -(uint64_t)PAGE,
		.is_writable = is_writable,
	};

	if (range.start >= range.end)
		return 0;
	if (array_append(&memory->ranges, &range) < 0)
		return -ERROR_MEMORY;
	join_ranges(&memory->ranges);
	if (memory->pin < 0)
		memory->pin = memory_pin(memory->pins, memory->bytes, start);
	return 0;
}

int process_memory_inherit(struct process_memory *memory,
			   const struct process_memory *parent)
{
	int error = 0;

	for (size_t i = 0; i < parent->ranges.count && !error; i++) {
		const struct memory_range *range = array_at(&parent->ranges, i);

		error = process_memory_add(memory, range->start, range->end,
					   range->is_writable);
	}
	return error;
}

/* A mapping, from a line of /proc/PID/maps. */
struct maps_line {
	uint64_t start;
	uint64_t end; /* 0: unknown */
	bool is_writable;
};

/* Returns the mapping that contains @address now; an empty, writable one if
 * there is none or the file cannot be read.
 */
static struct maps_line find_line(const struct process_memory *memory,
				  uint64_t address)
{
	struct maps_line found = { 0, 0, true };
	char text[512];
	int fd = dup(memory->maps);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (!file) {
		close_file(fd);
		return found;
	}
	rewind(file);
	while (fgets(text, sizeof(text), file)) {
		struct maps_line line;
		char write;

		if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %*c%c", &line.start,
			   &line.end, &write) != 3 ||
		    address < line.start || address >= line.end)
			continue;
		line.is_writable = write == 'w';
		found = line;
		break;
	}
	fclose(file);
	return found;
}

/* Returns the copy of the page at @address, among those of earlier reads, or
 * NULL.
 */
static struct page_copy *find_copy(struct process_memory *memory,
				   uint64_t address)
{
	const struct array sorted = {
		.items = memory->copies.items,
		.count = memory->sorted,
		.item_size = memory->copies.item_size,
	};
	size_t at = array_count_below(
		&sorted, KEYS(RISING(struct page_copy, address)), address);
	struct page_copy *copy;

	if (at == sorted.count)
		return NULL;
	copy = array_at(&sorted, at);
	return copy->address == address ? copy : NULL;
}

/* One reading of a process's memory. */
struct reading {
	struct process_memory *memory;
	const struct trace_clock *clock;
	int fd;
	uint64_t *left;
	uint64_t recent_ns; /* 0: read all pages */
	const struct memory_range *range;
	/* from here to range->next_block there may be new blocks */
	uint64_t first_next;
	/* index of the first copy that is not below the current page */
	size_t next;
	/* the last page below the current one that is not zeros */
	uint64_t used;
	uint64_t begin_ns; /* when the pages in the buffer were read */
	uint64_t end_ns;
	/* the mapping of a page in the buffer; looked up after the page was
	 * read
	 */
	struct maps_line line;
	size_t chunk_bytes; /* filled of memory->chunks */
	bool is_news;
};

/* Returns whether the page at @address was writable after it was read; true if
 * that is unknown.
 */
static bool is_writable(struct reading *reading, uint64_t address)
{
	const struct maps_line *line = &reading->line;

	if (reading->range->is_writable)
		return true;
	if (address < line->start || address >= line->end)
		reading->line = find_line(reading->memory, address);
	return line->is_writable;
}

/* Writes the chunks of the pages in the buffer. */
static int write_chunks(struct reading *reading)
{
	size_t size = reading->chunk_bytes;

	reading->chunk_bytes = 0;
	return file_map_put(reading->fd, reading->memory->chunks, size);
}

static void add_chunk(struct reading *reading, struct page_copy *copy,
		      uint64_t since_ns)
{
	struct generated_chunk chunk = {
		.address = copy->address,
		.size = PAGE,
		.born_ns = reading->memory->born_ns,
		.since_ns = since_ns,
		.begin_ns = reading->begin_ns,
		.end_ns = reading->end_ns,
		.flags = is_writable(reading, copy->address) ?
				 GENERATED_IS_WRITABLE :
				 0,
	};
	uint8_t *to = reading->memory->chunks + reading->chunk_bytes;

	reading->is_news = true;
	copy->written_ns = chunk.end_ns;
	copy->flags = chunk.flags;
	*reading->left -= PROCESS_MEMORY_LEAST;
	memcpy(to, &chunk, sizeof(chunk));
	memcpy(to + sizeof(chunk), copy->bytes, PAGE);
	reading->chunk_bytes += PROCESS_MEMORY_LEAST;
}

static bool is_zero(const uint8_t *bytes)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, PAGE - 1);
}

/* Returns whether the bytes of @copy are @bytes. */
static bool has_bytes(const struct page_copy *copy, const uint8_t *bytes)
{
	return copy->bytes ? !memcmp(copy->bytes, bytes, PAGE) : is_zero(bytes);
}

/* Returns the copy of the page at @address; adds one, of zeros that were never
 * seen, if there is none. Returns NULL when out of memory.
 */
static struct page_copy *copy_of(struct reading *reading, uint64_t address)
{
	struct page_copy *copy = find_copy(reading->memory, address);

	if (copy)
		return copy;
	copy = array_add(&reading->memory->copies);
	if (copy)
		*copy = (struct page_copy){ .address = address };
	return copy;
}

static int take_page(struct reading *reading, uint64_t address,
		     const uint8_t *bytes)
{
	struct page_copy *copy;
	uint64_t since_ns;

	if (*reading->left < PROCESS_MEMORY_LEAST)
		return 0;
	copy = copy_of(reading, address);
	if (!copy)
		return -ERROR_MEMORY;
	since_ns = copy->seen_ns;
	copy->seen_ns = since_ns ? reading->begin_ns : reading->end_ns;
	if (has_bytes(copy, bytes))
		return 0;
	if (!copy->bytes)
		copy->bytes = malloc(PAGE);
	if (!copy->bytes)
		return -ERROR_MEMORY;
	memcpy(copy->bytes, bytes, PAGE);
	copy->seen_ns = reading->end_ns;
	add_chunk(reading, copy, since_ns);
	return 0;
}

/* Reads @count pages, at most PAGES_AT_ONCE, that have memory. Pages that are
 * unmapped meanwhile are skipped.
 */
static int read_pages(struct reading *reading, uint64_t address, size_t count)
{
	struct process_memory *memory = reading->memory;
	ssize_t size;
	int error = 0;

	reading->line = (struct maps_line){ 0 };
	reading->begin_ns = trace_clock_ns(reading->clock);
	size = pread(memory->bytes, memory->buffer, count * PAGE,
		     (off_t)address);
	reading->end_ns = trace_clock_ns(reading->clock);
	for (ssize_t at = 0; at + PAGE <= size && !error; at += PAGE)
		error = take_page(reading, address + (uint64_t)at,
				  memory->buffer + at);
	return error ? error : write_chunks(reading);
}

/* Whether a page has memory: in RAM, or swapped out
 * (Documentation/admin-guide/mm/pagemap.rst).
 */
#define HAS_MEMORY (UINT64_C(3) << 62)

/* Advances range->next_block to the end of the blocks in which HotSpot, Java's
 * VM, allocates code. Returns its previous value. Each block starts with its
 * length in segments of 128 bytes (struct HeapBlock in HotSpot's
 * memory/heap.hpp); zeros follow the last block. Compilers' buffers are large
 * blocks that remain zeros, so new code may be far after other code. If the
 * memory is not HotSpot's, the result is meaningless, but only changes which
 * pages looks read.
 */
static uint64_t follow_blocks(const struct process_memory *memory,
			      struct memory_range *range)
{
	enum { SEGMENT_BYTES = 128 };
	uint64_t before;
	uint64_t length = 0;

	if (!range->next_block)
		range->next_block = range->start;
	before = range->next_block;
	while (range->next_block < range->end &&
	       pread(memory->bytes, &length, sizeof(length),
		     (off_t)range->next_block) == sizeof(length) &&
	       length &&
	       length <= (range->end - range->next_block) / SEGMENT_BYTES)
		range->next_block += length * SEGMENT_BYTES;
	range->has_blocks = !length && range->next_block > range->start;
	return before;
}

/* Returns whether a look (a reading with recent_ns) reads the page of @copy. */
static bool is_likely(const struct reading *reading,
		      const struct page_copy *copy)
{
	uint64_t address = copy->address;

	return copy->written_ns >= reading->recent_ns ||
	       (address >= reading->first_next &&
		address <= reading->range->next_block) ||
	       (!copy->bytes && !reading->range->has_blocks &&
		address - reading->used <= NEXT_BYTES);
}

/* Returns whether the page at @address, whose entry of the page map is @state,
 * is to be read. Must be called by ascending address.
 */
static bool is_wanted(struct reading *reading, uint64_t address, uint64_t state)
{
	const struct array *copies = &reading->memory->copies;
	const struct page_copy *copy;

	if (!(state & HAS_MEMORY) || !reading->recent_ns)
		return state & HAS_MEMORY;
	for (; reading->next < reading->memory->sorted; reading->next++) {
		copy = array_at(copies, reading->next);
		if (copy->bytes && copy->address < address)
			reading->used = copy->address;
		if (copy->address < address)
			continue;
		return copy->address > address || is_likely(reading, copy);
	}
	return true;
}

/* Reads the wanted ones of the @count pages at @address. */
static int read_wanted(struct reading *reading, uint64_t address,
		       const uint64_t *states, size_t count)
{
	size_t run = 0;
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		bool wanted = is_wanted(reading, address + i * PAGE, states[i]);

		run += wanted;
		if (run &&
		    (!wanted || run == PAGES_AT_ONCE || i == count - 1)) {
			error = read_pages(reading,
					   address + (i + wanted - run) * PAGE,
					   run);
			run = 0;
		}
	}
	return error;
}

/* Returns the addresses of reading->range that are searched for pages to read. If
 * it has blocks, a look searches from the first recent change to the last block.
 */
static struct maps_line span_of(const struct reading *reading)
{
	const struct memory_range *range = reading->range;
	const struct page_copy *copies = reading->memory->copies.items;
	struct maps_line span = { .start = range->start, .end = range->end };
	uint64_t page = range->next_block & -(uint64_t)PAGE;

	if (!reading->recent_ns || !range->has_blocks)
		return span;
	if (reading->first_next > span.start)
		span.start = reading->first_next;
	if (page + PAGE < span.end)
		span.end = page + PAGE;
	for (size_t i = 0; i < reading->memory->sorted; i++)
		if (copies[i].written_ns >= reading->recent_ns &&
		    copies[i].address >= range->start &&
		    copies[i].address < span.start) {
			span.start = copies[i].address;
			break;
		}
	return span;
}

static int read_range(struct reading *reading)
{
	const struct maps_line span = span_of(reading);
	uint64_t states[STATES_AT_ONCE];
	uint64_t address = span.start;
	int error = 0;

	while (address < span.end && !error) {
		uint64_t pages = (span.end - address) / PAGE;
		size_t most = pages < STATES_AT_ONCE ? (size_t)pages :
						       STATES_AT_ONCE;
		ssize_t size =
			pread(reading->memory->pagemap, states,
			      most * sizeof(states[0]),
			      (off_t)(address / PAGE * sizeof(states[0])));
		size_t count = size < 0 ? 0 : (size_t)size / sizeof(states[0]);

		if (!count)
			return 0;
		error = read_wanted(reading, address, states, count);
		address += count * PAGE;
	}
	return error;
}

int process_memory_read(struct process_memory *memory, uint64_t recent_ns,
			const struct trace_clock *clock, int fd, uint64_t *left)
{
	struct reading reading = {
		.memory = memory,
		.clock = clock,
		.fd = fd,
		.left = left,
		.recent_ns = recent_ns,
	};
	int error = 0;

	for (size_t i = 0; i < memory->ranges.count && !error; i++) {
		struct memory_range *range = array_at(&memory->ranges, i);
		uint64_t next = follow_blocks(memory, range);

		if (next == range->next_block)
			next = next > BLOCK_BYTES ? next - BLOCK_BYTES : 0;
		reading.first_next = next & -(uint64_t)PAGE;
		reading.range = range;
		error = read_range(&reading);
	}
	if (memory->sorted != memory->copies.count)
		array_sort_by(&memory->copies,
			      KEYS(RISING(struct page_copy, address)));
	memory->sorted = memory->copies.count;
	return error ? error : reading.is_news;
}

void process_memory_next(const struct process_memory *memory,
			 uint64_t *addresses, size_t count)
{
	memset(addresses, 0, count * sizeof(*addresses));
	for (size_t i = 0; i < memory->ranges.count && count; i++) {
		const struct memory_range *range = array_at(&memory->ranges, i);

		if (!range->has_blocks)
			continue;
		*addresses++ = range->next_block;
		count--;
	}
}

int process_memory_finish(struct process_memory *memory, int fd, uint64_t *left)
{
	for (size_t i = 0; i < memory->copies.count; i++) {
		const struct page_copy *copy = array_at(&memory->copies, i);
		const struct generated_chunk chunk = {
			.address = copy->address,
			.born_ns = memory->born_ns,
			.since_ns = copy->written_ns,
			.begin_ns = copy->seen_ns,
			.end_ns = copy->seen_ns,
			.flags = copy->flags | GENERATED_IS_SAME,
		};

		if (!copy->written_ns || copy->seen_ns <= copy->written_ns ||
		    *left < sizeof(chunk))
			continue;
		*left -= sizeof(chunk);
		if (file_map_put(fd, (const uint8_t *)&chunk, sizeof(chunk)))
			return -ERROR_SYSTEM;
	}
	return 0;
}
