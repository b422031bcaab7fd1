/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_JITDUMP_H
#define KT_MACHINE_TESTS_JITDUMP_H

#include <stdint.h>

/* The file where a JIT compiler reports the code it has written to perf,
 * under the name by which perf's own suite includes it: Debian's package has
 * the suite without this header. Source:
 * tools/perf/Documentation/jitdump-specification.txt.
 */
#define JITHEADER_MAGIC 0x4a695444 /* "JiTD" */
#define JITHEADER_VERSION 1
#define JITDUMP_FLAGS_ARCH_TIMESTAMP (1ull << 0) /* times are TSC values */

struct jitheader {
	uint32_t magic;
	uint32_t version;
	uint32_t total_size;
	uint32_t elf_mach;
	uint32_t pad1;
	uint32_t pid;
	uint64_t timestamp;
	uint64_t flags;
};

enum jit_record_type { JIT_CODE_LOAD = 0 };

struct jr_prefix {
	uint32_t id;
	uint32_t total_size;
	uint64_t timestamp;
};

/* The function's name and its code follow. */
struct jr_code_load {
	struct jr_prefix p;
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t code_addr;
	uint64_t code_size;
	uint64_t code_index;
};

#endif
