/* SPDX-License-Identifier: MIT */
#include "tests/snapshot_fixture.h"
#include "tests/etmv4_packets.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static const uint32_t code[] = {
	[0x00 / 4] = 0xd503201f, /* nop */
	[0x04 / 4] = 0x94000003, /* bl 0x10 */
	[0x08 / 4] = 0xd503201f, /* nop */
	[0x0c / 4] = 0x540000a0, /* b.eq 0x20 */
	[0x10 / 4] = 0xd503201f, /* nop */
	[0x14 / 4] = 0xd65f03c0, /* ret */
	[0x20 / 4] = 0xd503201f, /* nop */
	[0x24 / 4] = 0xd4000001, /* svc #0 */
	[0x28 / 4] = 0x14000002, /* b 0x30 */
	[0x30 / 4] = 0xd503207f, /* wfi */
	[0x34 / 4] = 0x17fffffb, /* b 0x20 */
	[0x40 / 4] = 0xd69f03e0, /* eret */
	[0x50 / 4] = 0xd73f0801, /* blraa x0, x1 */
	[0x54 / 4] = 0xd71f0801, /* braa x0, x1 */
	[0x58 / 4] = 0xd65f0bff, /* retaa */
	[0x5c / 4] = 0xd69f0bff, /* eretaa */
	[0x60 / 4] = 0x14000004, /* b 0x70 */
	[0x70 / 4] = 0xd503201f, /* nop */
	[0x74 / 4] = 0xd5181220, /* msr trfcr_el1, x0 */
	[0x78 / 4] = 0xd5033fdf, /* isb */
	[0x7c / 4] = 0xd65f03c0, /* ret */
};

void snapshot_fixture_file(const struct scratch_folder *folder,
			   const char *name, const void *bytes, size_t size)
{
	char path[256];
	FILE *file;

	scratch_folder_path(folder, name, path, sizeof(path));
	/* Creates the file again: a truncated and rewritten file is flushed to
	 * disk.
	 */
	remove(path);
	file = fopen(path, "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

void snapshot_fixture_write(const struct scratch_folder *folder)
{
	scratch_folder_write(folder, "snapshot.ini",
			     "[snapshot]\nversion=1.0\n[device_list]\n"
			     "device0=cpu.ini\ndevice1=etm.ini\n"
			     "[trace]\nmetadata=trace.ini\n");
	scratch_folder_write(folder, "cpu.ini",
			     "[device]\nname=cpu_2\nclass=core\n"
			     "type=Cortex-A53\n[dump1]\nfile=code.bin\n"
			     "address=0xFFFFFFC000080000\n");
	scratch_folder_write(folder, "etm.ini",
			     "[device]\nname=ETM_2\nclass=trace_source\n"
			     "type=ETM4.0\n[regs]\n"
			     "TRCCONFIGR(0x004)=0x1\n"
			     "TRCTRACEIDR(0x010)=0x12\n"
			     "TRCIDR0(0x078)=0x28000EA1\n"
			     "TRCIDR1(0x079)=0x4100F403\n"
			     "TRCIDR2(0x07A)=0x00000488\n");
	scratch_folder_write(folder, "trace.ini",
			     "[trace_buffers]\nbuffers=buffer0\n"
			     "[buffer0]\nname=ETB_0\nfile=trace.bin\n"
			     "format=source_data\n"
			     "[source_buffers]\nETM_2=ETB_0\n"
			     "[core_trace_sources]\ncpu_2=ETM_2\n");
	snapshot_fixture_file(folder, "code.bin", code, sizeof(code));
}

/* Calls and returns, a system call, an interrupt. */
size_t snapshot_fixture_trace(uint8_t *bytes, size_t rounds)
{
	static const uint8_t start[] = { SYNC, TRACE_ON, CONTEXT(0) };
	static const uint8_t round[] = {
		EXECUTED,	    EXECUTED,	   ADDRESS(0x08),
		NOT_EXECUTED,	    EXECUTED,	   ADDRESS(0x20),
		EXCEPTION(2, 0x28), ADDRESS(0x40), EXECUTED,
		ADDRESS(0x28),	    EXECUTED,	   EXCEPTION(14, 0x34),
		ADDRESS(0x40),	    EXECUTED,	   ADDRESS(0x00),
	};
	size_t size = 0;

	for (size_t i = 0; i < rounds; i++) {
		if (i % SNAPSHOT_SYNC_ROUNDS == 0) {
			memcpy(bytes + size, start, sizeof(start));
			size += sizeof(start);
		}
		memcpy(bytes + size, round, sizeof(round));
		size += sizeof(round);
	}
	ck_assert_uint_le(size, SNAPSHOT_TRACE_ROOM(rounds));
	return size;
}
