/* SPDX-License-Identifier: MIT */
#include "tests/capture_fixture.h"
#include "tests/etmv4_packets.h"
#include "tests/etmv7_packets.h"
#include "tests/snapshot_fixture.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static const uint32_t a64_code[] = {
	[0x00 / 4] = 0xd503201f, /* nop */
	[0x04 / 4] = 0x94000003, /* bl 0x10 */
	[0x08 / 4] = 0xd503201f, /* nop */
	[0x0c / 4] = 0x540000a0, /* b.eq 0x20 */
	[0x10 / 4] = 0xd503201f, /* nop */
	[0x14 / 4] = 0xd65f03c0, /* ret */
	[0x20 / 4] = 0xd503201f, /* nop */
	[0x24 / 4] = 0xd4000001, /* svc #0 */
	[0x28 / 4] = 0x14000002, /* b 0x30 */
	[0x30 / 4] = 0xd503201f, /* nop */
	[0x34 / 4] = 0x17fffff3, /* b 0x00 */
	[0x40 / 4] = 0xd69f03e0, /* eret */
};

static const uint32_t a32_code[] = {
	[0x00 / 4] = 0xe1a00000, /* nop */
	[0x04 / 4] = 0xeb000001, /* bl 0x10 */
	[0x08 / 4] = 0xe1a00000, /* nop */
	[0x0c / 4] = 0x0a000003, /* beq 0x20 */
	[0x10 / 4] = 0xe1a00000, /* nop */
	[0x14 / 4] = 0xe12fff1e, /* bx lr */
	[0x28 / 4] = 0xea000000, /* b 0x30 */
	[0x30 / 4] = 0xe1a00000, /* nop */
	[0x34 / 4] = 0xeafffff1, /* b 0x00 */
	[0x40 / 4] = 0xe1b0f00e, /* movs pc, lr */
};

/* A kernel that a 32-bit program enters, and the program: A32 below 0x30, T32
 * above.
 */
static const uint32_t vectors_code[] = {
	[0x00 / 4] = 0x14000010, /* b 0x40 */
	[0x20 / 4] = 0x14000010, /* b 0x60 */
	[0x40 / 4] = 0xd503201f, /* nop */
	[0x44 / 4] = 0xd69f03e0, /* eret */
	[0x60 / 4] = 0xd503201f, /* nop */
	[0x64 / 4] = 0xd69f03e0, /* eret */
};

static const uint32_t program_code[] = {
	[0x00 / 4] = 0xe1a00000, /* nop */
	[0x04 / 4] = 0xfa000009, /* blx 0x30 */
	[0x08 / 4] = 0xe1a00000, /* nop */
	[0x0c / 4] = 0x0a000001, /* beq 0x18 */
	[0x10 / 4] = 0xe1a00000, /* nop */
	[0x14 / 4] = 0xe1a00000, /* nop */
	[0x18 / 4] = 0xef000000, /* svc #0 */
	[0x1c / 4] = 0xeafffff7, /* b 0x00 */
	[0x20 / 4] = 0xe1a00000, /* nop */
	[0x24 / 4] = 0xe12fff1e, /* bx lr */
	[0x30 / 4] = 0xb108bf00, /* nop; cbz r0, 0x38 */
	[0x34 / 4] = 0xbf00bf00, /* nop; nop */
	[0x38 / 4] = 0x4770bf08, /* it eq; bxeq lr */
	[0x3c / 4] = 0xeff0f7ff, /* blx 0x20 */
	[0x40 / 4] = 0xf806f000, /* bl 0x50 */
	[0x44 / 4] = 0x3001bf1c, /* itt ne; addne r0, #1 */
	[0x48 / 4] = 0xbf00e000, /* bne 0x4c; nop */
	[0x4c / 4] = 0xbf00bd00, /* pop {pc}; nop */
	[0x50 / 4] = 0xf040bf00, /* nop; bne.w 0x5a */
	[0x54 / 4] = 0xbf008002, /* nop */
	[0x58 / 4] = 0xbf00e000, /* b 0x5c; nop */
	[0x5c / 4] = 0x00004770, /* bx lr */
};

static const uint8_t v4_begin[] = { SYNC, TRACE_ON, CONTEXT(0) };
static const uint8_t v4_sync[] = { SYNC, CONTEXT(0) };
static const uint8_t v4_round[] = {
	EXECUTED, /* bl */
	EXECUTED,
	ADDRESS(0x08), /* ret */
	NOT_EXECUTED,  /* b.eq */
	EXECUTED,
	ADDRESS(0x20), /* ret */
	EXCEPTION(2, 0x28),
	ADDRESS(0x40),
	EXECUTED,
	ADDRESS(0x28), /* eret */
	EXECUTED,      /* b */
	EXCEPTION(14, 0x30),
	ADDRESS(0x40),
	EXECUTED,
	ADDRESS(0x30), /* eret */
	EXECUTED,      /* b */
};

static const uint8_t v4_32_begin[] = { SYNC, TRACE_ON, CONTEXT_A32(0) };
static const uint8_t v4_32_sync[] = { SYNC, CONTEXT_A32(0) };
static const uint8_t v4_32_round[] = {
	EXECUTED,		      /* blx */
	EXECUTED,		      /* cbz */
	NOT_EXECUTED,		      /* bxeq */
	EXECUTED,		      /* blx */
	EXECUTED,     USER_T32(0x40), /* bx */
	EXECUTED,		      /* bl */
	NOT_EXECUTED,		      /* bne.w */
	0x06,	      14 << 1 | 1,    USER_T32(0x56),	 CONTEXT(0x20),
	EXECUTED,     EXECUTED,	      CONTEXT_T32(0x56), /* b, eret */
	EXECUTED,					 /* b */
	EXECUTED,     USER_T32(0x44),			 /* bx */
	EXECUTED,					 /* bne */
	EXECUTED,     USER_A32(0x08),			 /* pop */
	EXECUTED,					 /* beq */
	0x06,	      2 << 1 | 1,     USER_A32(0x1c),	 CONTEXT(0),
	EXECUTED,     EXECUTED,	      CONTEXT_A32(0x1c), /* b, eret */
	EXECUTED,					 /* b */
};

/* Mispredictions: of a return's target and of a branch that is not taken. The
 * trace of the wrong path is cancelled.
 */
#define AHEAD_ROUND(commit_1, commit_2, commit_3) \
	EXECUTED,			       /* bl */ \
		EXECUTED, ADDRESS(0x28),       /* ret */ \
		EXECUTED, CANCEL(2), commit_1, /* b */ \
		EXECUTED, ADDRESS(0x08),       /* ret */ \
		EXECUTED,		       /* b.eq */ \
		EXCEPTION(2, 0x28), ADDRESS(0x40), CANCEL_MISPREDICT(1), \
		EXECUTED, ADDRESS(0x20), /* ret */ \
		EXCEPTION(2, 0x28), ADDRESS(0x40), commit_2, NOT_EXECUTED, \
		MISPREDICT, ADDRESS(0x28), /* eret */ \
		EXECUTED,		   /* b */ \
		EXCEPTION(14, 0x30), ADDRESS(0x40), EXECUTED, \
		ADDRESS(0x30),					   /* eret */ \
		NOT_EXECUTED, EXECUTED_CANCEL_MISPREDICT, commit_3 /* b */
#define AHEAD_BEGIN TRACE_ON, CONTEXT(0x28), EXECUTED, EXECUTED

static const uint8_t ahead_v4_begin[] = { SYNC, AHEAD_BEGIN };
static const uint8_t ahead_v4_sync[] = { SYNC_DEPTH(2), CONTEXT(0) };
static const uint8_t ahead_v4_round[] = {
	AHEAD_ROUND(COMMIT(3), COMMIT(2), COMMIT(4)),
};
static const uint8_t ahead_ete_begin[] = { SYNC_CYCLES, AHEAD_BEGIN };
static const uint8_t ahead_ete_sync[] = { SYNC_DEPTH_CYCLES(2), CONTEXT(0) };
static const uint8_t ahead_ete_round[] = {
	AHEAD_ROUND(CYCLES_COMMIT(20, 3), LEAST_CYCLES_COMMIT(6, 2),
		    FEW_CYCLES_COMMIT(9, 4)),
};

static const uint8_t ahead_end[] = { CANCEL(2) };

static const uint8_t ptm_begin[] = { V7_SYNC, PTM_START(V7_TRACE_ON, 0) };
static const uint8_t ptm_sync[] = { V7_SYNC, PTM_START(V7_PERIODIC, 0) };
static const uint8_t ptm_round[] = {
	PTM_EXECUTED,				 /* bl */
	V7_BRANCH(0x08),			 /* bx */
	PTM_NOT_EXECUTED,			 /* beq */
	V7_BRANCH(0x28),			 /* bx */
	PTM_EXECUTED,				 /* b */
	V7_EXCEPTION(14, 0x40), V7_BRANCH(0x30), /* movs */
	PTM_EXECUTED,				 /* b */
};

static const uint8_t etmv3_begin[] = { V7_SYNC, ETMV3_START(V7_TRACE_ON, 0) };
static const uint8_t etmv3_sync[] = { V7_SYNC, ETMV3_START(V7_PERIODIC, 0) };
static const uint8_t etmv3_round[] = {
	ETMV3_EXECUTED(4),	V7_BRANCH(0x08),   ETMV3_EXECUTED_NOT(1),
	ETMV3_EXECUTED(2),	V7_BRANCH(0x28),   ETMV3_EXECUTED(1),
	V7_EXCEPTION(14, 0x40), ETMV3_EXECUTED(1), V7_BRANCH(0x30),
	ETMV3_EXECUTED(2),
};

#define PACKETS(begins, syncs, rounds) \
	.begin = begins, .begin_size = sizeof(begins), .sync = syncs, \
	.sync_size = sizeof(syncs), .round = rounds, \
	.round_size = sizeof(rounds)

#define V8_CPU \
	.core = "Cortex-A53", .base = ETMV4_BASE, .code = a64_code, \
	.code_size = sizeof(a64_code), .id_register = "TRCTRACEIDR"
#define V8 V8_CPU, PACKETS(v4_begin, v4_sync, v4_round)

#define V8_32 \
	.core = "Cortex-A53", .base = ETMV4_BASE, .code = vectors_code, \
	.code_size = sizeof(vectors_code), .program = program_code, \
	.program_size = sizeof(program_code), .id_register = "TRCTRACEIDR", \
	PACKETS(v4_32_begin, v4_32_sync, v4_32_round)

#define ETMV4_REGISTERS \
	"ETM4.0\n[regs]\nTRCCONFIGR=0x1\nTRCIDR0=0x28000EA1\n" \
	"TRCIDR1=0x4100F403\nTRCIDR2=0x00000488\n"
#define ETE_REGISTERS \
	"ETE\n[regs]\nTRCCONFIGR=0x1\nTRCDEVARCH=0x47705A13\n" \
	"TRCIDR0=0x2801CEA1\nTRCIDR1=0x4100FFF0\nTRCIDR2=0xD0001088\n"

#define V7 \
	.core = "Cortex-A7", .base = ETMV7_BASE, .code = a32_code, \
	.code_size = sizeof(a32_code), .id_register = "ETMTRACEIDR"

const struct capture_kind capture_kinds[CAPTURE_KINDS] = {
	[CAPTURE_ETMV4] = { .name = "ETMv4", V8, .unit = ETMV4_REGISTERS },
	[CAPTURE_ETE] = { .name = "ETE", V8, .unit = ETE_REGISTERS },
	[CAPTURE_ETMV4_32] = {
		.name = "ETMv4, 32-bit program", V8_32, .unit = ETMV4_REGISTERS,
	},
	[CAPTURE_ETE_32] = {
		.name = "ETE, 32-bit program", V8_32, .unit = ETE_REGISTERS,
	},
	[CAPTURE_AHEAD_ETMV4] = {
		.name = "ETMv4, ahead", V8_CPU,
		PACKETS(ahead_v4_begin, ahead_v4_sync, ahead_v4_round),
		.end = ahead_end, .end_size = sizeof(ahead_end),
		.unit = "ETM4.0\n[regs]\nTRCCONFIGR=0x1\nTRCIDR0=0x28000EA1\n"
			"TRCIDR1=0x4100F403\nTRCIDR2=0x00000488\nTRCIDR8=7\n",
	},
	[CAPTURE_AHEAD_ETE] = {
		.name = "ETE, ahead", V8_CPU,
		PACKETS(ahead_ete_begin, ahead_ete_sync, ahead_ete_round),
		.end = ahead_end, .end_size = sizeof(ahead_end),
		.unit = "ETE\n[regs]\nTRCCONFIGR=0x11\nTRCDEVARCH=0x47705A13\n"
			"TRCIDR0=0x0801CEA1\nTRCIDR1=0x4100FFF0\n"
			"TRCIDR2=0xD0001088\nTRCIDR8=7\n",
	},
	[CAPTURE_PTM] = {
		.name = "PTM", V7, PACKETS(ptm_begin, ptm_sync, ptm_round),
		.unit = "PTM1.1\n[regs]\nETMCR=0x0\nETMIDR=0x411CF312\n"
			"ETMCCER=0x34C01AC2\n",
	},
	[CAPTURE_ETMV3] = {
		.name = "ETMv3", V7,
		PACKETS(etmv3_begin, etmv3_sync, etmv3_round),
		.unit = "ETM3.5\n[regs]\nETMCR=0x0\nETMIDR=0x411CF250\n"
			"ETMCCER=0x344008F2\n",
	},
};

static void write_cpu(const struct scratch_folder *folder, size_t cpu,
		      const struct capture_kind *kind)
{
	char name[32];
	char text[512];

	snprintf(name, sizeof(name), "cpu%zu.ini", cpu);
	snprintf(text, sizeof(text),
		 "[device]\nname=cpu_%zu\nclass=core\ntype=%s\n"
		 "[dump1]\nfile=code%zu.bin\naddress=%#llx\n",
		 cpu, kind->core, cpu, (unsigned long long)kind->base);
	if (kind->program)
		snprintf(text + strlen(text), 128,
			 "[dump2]\nfile=program%zu.bin\naddress=%#x\n", cpu,
			 ETMV4_USER);
	scratch_folder_write(folder, name, text);
	snprintf(name, sizeof(name), "code%zu.bin", cpu);
	snapshot_fixture_file(folder, name, kind->code, kind->code_size);
	snprintf(name, sizeof(name), "program%zu.bin", cpu);
	if (kind->program)
		snapshot_fixture_file(folder, name, kind->program,
				      kind->program_size);
	snprintf(name, sizeof(name), "unit%zu.ini", cpu);
	snprintf(
		text, sizeof(text),
		"[device]\nname=unit_%zu\nclass=trace_source\ntype=%s%s=%#zx\n",
		cpu, kind->unit, kind->id_register, CAPTURE_FIRST_ID + cpu);
	scratch_folder_write(folder, name, text);
}

void capture_fixture_write(const struct scratch_folder *folder,
			   const enum capture_name *kinds, size_t count,
			   const char *format)
{
	char list[1024] = "[snapshot]\nversion=1.0\n[device_list]\n";
	char sources[512] = "[source_buffers]\n";
	char cores[512] = "[core_trace_sources]\n";
	char text[2048];

	for (size_t i = 0; i < count; i++) {
		write_cpu(folder, i, &capture_kinds[kinds[i]]);
		snprintf(list + strlen(list), 128,
			 "device%zu=cpu%zu.ini\ndevice%zu=unit%zu.ini\n", 2 * i,
			 i, 2 * i + 1, i);
		snprintf(sources + strlen(sources), 64, "unit_%zu=ETB\n", i);
		snprintf(cores + strlen(cores), 64, "cpu_%zu=unit_%zu\n", i, i);
	}
	strcat(list, "[trace]\nmetadata=trace.ini\n");
	scratch_folder_write(folder, "snapshot.ini", list);
	snprintf(text, sizeof(text),
		 "[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=ETB\n"
		 "file=" CAPTURE_TRACE "\nformat=%s\n%s%s",
		 format, sources, cores);
	scratch_folder_write(folder, "trace.ini", text);
}

static size_t append(uint8_t *bytes, size_t size, const uint8_t *more,
		     size_t count)
{
	memcpy(bytes + size, more, count);
	return size + count;
}

size_t capture_fixture_trace(enum capture_name name, size_t syncs,
			     size_t rounds, uint8_t *bytes, size_t *places)
{
	const struct capture_kind *kind = &capture_kinds[name];
	size_t size = 0;

	for (size_t i = 0; i < syncs; i++) {
		places[i] = size;
		size = i ? append(bytes, size, kind->sync, kind->sync_size) :
			   append(bytes, size, kind->begin, kind->begin_size);
		for (size_t j = 0; j < rounds; j++)
			size = append(bytes, size, kind->round,
				      kind->round_size);
	}
	if (kind->end)
		size = append(bytes, size, kind->end, kind->end_size);
	ck_assert_uint_le(size, CAPTURE_ROOM(syncs, rounds));
	return size;
}
