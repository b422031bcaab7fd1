/* SPDX-License-Identifier: MIT */
/* Generates functions, and others at the same addresses:
 *
 *	generated_code map|dump|none rwx|rx PAUSE_MS
 *
 * Each of VERSIONS functions is called CALLS times at once, and, if PAUSE_MS is
 * not 0, as often between two such pauses. Between the first calls another
 * function, at an address of its own, is called. The functions are listed in a
 * perf map (version_N and stable), in a jitdump, or nowhere. Their memory is
 * always writable, or only while they are written.
 */
#include "tests/e2e/programs/program.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { VERSIONS = 4, CALLS = 10, TURNS = 2000, PAGE = 4096 };

typedef int function(int count);

#ifdef __x86_64__
/* mov ecx, edi; again: dec ecx; jnz again; mov eax, edi; ret */
static const uint8_t even[] = { 0x89, 0xf9, 0xff, 0xc9, 0x75,
				0xfc, 0x89, 0xf8, 0xc3 };
/* mov eax, edi; again: add eax, eax; dec edi; jnz again; nop; ret */
static const uint8_t odd[] = { 0x89, 0xf8, 0x01, 0xc0, 0xff,
			       0xcf, 0x75, 0xfa, 0x90, 0xc3 };
#else
/* again: subs w0, w0, 1; b.ne again; ret */
static const uint8_t even[] = { 0x00, 0x04, 0x00, 0x71, 0xe1, 0xff,
				0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6 };
/* nop; again: subs w0, w0, 1; b.ne again; ret */
static const uint8_t odd[] = { 0x1f, 0x20, 0x03, 0xd5, 0x00, 0x04, 0x00, 0x71,
			       0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6 };
#endif

struct list {
	FILE *file; /* NULL: none */
	int is_dump;
	uint64_t count;
};

/* A recorder finds a jitdump by its mapping. */
static void begin_dump(FILE *file)
{
	const struct {
		uint32_t magic, version, size, machine, padding, pid;
		uint64_t time_ns, flags;
	} header = { 0x4a695444, 1, sizeof(header), 62, 0, (uint32_t)getpid(),
		     now_ns(),	 0 };

	fwrite(&header, sizeof(header), 1, file);
	fflush(file);
	if (mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file),
		 0) == MAP_FAILED)
		exit(1);
}

static struct list open_list(const char *kind)
{
	struct list list = { .is_dump = !strcmp(kind, "dump") };
	char path[64];

	if (!strcmp(kind, "none"))
		return list;
	snprintf(path, sizeof(path),
		 list.is_dump ? "/tmp/jit-%d.dump" : "/tmp/perf-%d.map",
		 (int)getpid());
	list.file = fopen(path, "w+e");
	if (!list.file)
		exit(1);
	if (list.is_dump)
		begin_dump(list.file);
	return list;
}

static void add_to_dump(struct list *list, const uint8_t *code, size_t size,
			const char *name)
{
	struct {
		uint32_t id, size;
		uint64_t time_ns;
		uint32_t pid, tid;
		uint64_t vma, address, code_size, number;
	} record = { 0,
		     (uint32_t)(sizeof(record) + strlen(name) + 1 + size),
		     now_ns(),
		     (uint32_t)getpid(),
		     (uint32_t)getpid(),
		     (uintptr_t)code,
		     (uintptr_t)code,
		     size,
		     list->count++ };

	fwrite(&record, sizeof(record), 1, list->file);
	fwrite(name, strlen(name) + 1, 1, list->file);
	fwrite(code, size, 1, list->file);
}

static void add_to_list(struct list *list, const uint8_t *code, size_t size,
			const char *name)
{
	if (!list->file)
		return;
	if (list->is_dump)
		add_to_dump(list, code, size, name);
	else
		fprintf(list->file, "%lx %lx %s\n", (unsigned long)code,
			(unsigned long)size, name);
	fflush(list->file);
}

/* Writes the function @code to @place of the two pages at @memory. */
static void generate(struct list *list, uint8_t *memory, size_t place,
		     const uint8_t *code, size_t size, const char *name,
		     int is_rwx)
{
	if (!is_rwx && mprotect(memory, 2 * PAGE, PROT_READ | PROT_WRITE))
		exit(1);
	memcpy(memory + place, code, size);
	__builtin___clear_cache((char *)memory + place,
				(char *)memory + place + size);
	if (!is_rwx && mprotect(memory, 2 * PAGE, PROT_READ | PROT_EXEC))
		exit(1);
	add_to_list(list, memory + place, size, name);
}

int main(int argc, char **argv)
{
	int is_rwx = argc == 4 && !strcmp(argv[2], "rwx");
	int pause_ms = argc == 4 ? atoi(argv[3]) : 0;
	struct list list;
	uint8_t *memory;

	if (argc != 4)
		return 1;
	list = open_list(argv[1]);
	memory = mmap(NULL, 2 * PAGE,
		      PROT_READ | PROT_WRITE | (is_rwx ? PROT_EXEC : 0),
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	generate(&list, memory, PAGE, even, sizeof(even), "stable", is_rwx);
	for (int i = 0; i < VERSIONS; i++) {
		function *version = (function *)(uintptr_t)memory;
		function *stable = (function *)(uintptr_t)(memory + PAGE);
		char name[32];

		snprintf(name, sizeof(name), "version_%d", i);
		generate(&list, memory, 0, i % 2 ? odd : even,
			 i % 2 ? sizeof(odd) : sizeof(even), name, is_rwx);
		for (int k = 0; k < CALLS; k++) {
			version(TURNS);
			stable(TURNS);
		}
		usleep((useconds_t)pause_ms * 1000);
		for (int k = 0; pause_ms && k < CALLS; k++)
			version(TURNS);
		usleep((useconds_t)pause_ms * 1000);
	}
	return 0;
}
