/* SPDX-License-Identifier: MIT */
#include "tests/recording_fixture.h"
#include "common/formats/perf_data.h"
#include "tests/remove_folder_fixture.h"

#include <check.h>
#include <elf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTR_SIZE = 136, PMU_TYPE = 8, HEADER_SIZE = PERF_DATA_HEADER_SIZE };

static void append(struct recording_fixture *fixture, const void *bytes,
		   size_t size)
{
	if (fixture->size + size > fixture->room) {
		fixture->room = (fixture->size + size) * 2;
		fixture->bytes = realloc(fixture->bytes, fixture->room);
		ck_assert_ptr_nonnull(fixture->bytes);
	}
	if (size)
		memcpy(fixture->bytes + fixture->size, bytes, size);
	fixture->size += size;
}

static void append_u64(struct recording_fixture *fixture, uint64_t value)
{
	append(fixture, &value, sizeof(value));
}

static void append_attr(struct recording_fixture *fixture, uint32_t type,
			uint64_t config, uint64_t ids_offset)
{
	uint8_t attr[ATTR_SIZE] = { 0 };
	uint32_t head[2] = { type, ATTR_SIZE };
	uint64_t sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_IDENTIFIER;
	uint64_t flags = 1 << 18;

	memcpy(attr, head, sizeof(head));
	memcpy(attr + 8, &config, 8);
	memcpy(attr + 24, &sample_type, 8);
	memcpy(attr + 40, &flags, 8);
	append(fixture, attr, sizeof(attr));
	append_u64(fixture, ids_offset);
	append_u64(fixture, 8);
}

static void append_intel_info(struct recording_fixture *fixture,
			      const char *filter)
{
	enum { TEXT = 1 + INTEL_PT_FILTER_STR_LEN + 1, TEXT_WORDS = 8 };
	uint64_t body[TEXT + TEXT_WORDS] = { PERF_DATA_AUXTRACE_INTEL_PT };
	uint64_t *words = body + 1;

	ck_assert_uint_lt(strlen(filter), TEXT_WORDS * sizeof(*body));
	words[INTEL_PT_FILTER_STR_LEN] = strlen(filter);
	memcpy(body + TEXT, filter, strlen(filter));

	words[INTEL_PT_PMU_TYPE] = PMU_TYPE;
	words[INTEL_PT_TIME_MULT] = 1;
	words[INTEL_PT_CAP_USER_TIME_ZERO] = 1;
	words[INTEL_PT_CYC_BIT] = 1 << 1;
	words[INTEL_PT_MAX_NONTURBO_RATIO] = 10;
	recording_fixture_record(fixture, PERF_DATA_AUXTRACE_INFO, 0, body,
				 sizeof(body), NULL);
}

/* The clock's conversion: shift, multiplier. */
static void append_conversion(struct recording_fixture *fixture)
{
	static const uint64_t conversion[] = { 0, 1, 0 };

	recording_fixture_record(fixture, PERF_DATA_TIME_CONV, 0, conversion,
				 sizeof(conversion), NULL);
}

/* The header, two ids, two attributes; then the records. */
static void begin(struct recording_fixture *fixture)
{
	uint8_t header[HEADER_SIZE] = PERF_DATA_MAGIC;

	memset(fixture, 0, sizeof(*fixture));
	fixture->id = 2;
	strcpy(fixture->path, "/tmp/ktrace-hw-test.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(fixture->path));
	append(fixture, header, sizeof(header));
	append_u64(fixture, 1);
	append_u64(fixture, 2);
	append_attr(fixture, PMU_TYPE, 0, HEADER_SIZE);
	append_attr(fixture, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY,
		    HEADER_SIZE + 8);
	fixture->data_start = fixture->size;
}

void recording_fixture_begin(struct recording_fixture *fixture)
{
	recording_fixture_begin_filtered(fixture, "");
}

void recording_fixture_begin_filtered(struct recording_fixture *fixture,
				      const char *filter)
{
	begin(fixture);
	append_intel_info(fixture, filter);
}

void recording_fixture_config(struct recording_fixture *fixture,
			      uint64_t config)
{
	enum { IDS_SIZE = 16, CONFIG_OFFSET = 8 };

	memcpy(fixture->bytes + HEADER_SIZE + IDS_SIZE + CONFIG_OFFSET, &config,
	       sizeof(config));
}

void recording_fixture_clock(struct recording_fixture *fixture)
{
	enum { IDS_SIZE = 16, FLAGS_OFFSET = 40, USE_CLOCKID = 1 << 25 };
	uint8_t *flags = fixture->bytes + HEADER_SIZE + IDS_SIZE + FLAGS_OFFSET;
	uint64_t value;

	memcpy(&value, flags, sizeof(value));
	value |= USE_CLOCKID;
	memcpy(flags, &value, sizeof(value));
}

void recording_fixture_begin_unit(struct recording_fixture *fixture,
				  const uint64_t *unit, size_t count)
{
	uint64_t info[32] = {
		PERF_DATA_AUXTRACE_CORESIGHT, 2, (uint64_t)PMU_TYPE << 32 | 1,
		0, /* version, CPUs */
	};

	ck_assert_uint_le(count + 4, sizeof(info) / sizeof(*info));
	memcpy(info + 4, unit, count * sizeof(*unit));
	begin(fixture);
	recording_fixture_record(fixture, PERF_DATA_AUXTRACE_INFO, 0, info,
				 (count + 4) * sizeof(*info), NULL);
	append_conversion(fixture);
}

void recording_fixture_begin_coresight(struct recording_fixture *fixture)
{
	static const uint64_t unit[] = {
		CORESIGHT_MAGIC_ETMV4,
		0,
		8, /* CPU, parameters */
		0x811,
		0x10, /* time stamps, cycles; id */
		0x28000ea1,
		0x4100f403,
		0x488,
		0,
		0, /* TRCIDR0 … */
		1, /* stamps: the CPU's counter */
	};

	recording_fixture_begin_unit(fixture, unit,
				     sizeof(unit) / sizeof(*unit));
}

static void append_origin(struct recording_fixture *fixture,
			  const struct fixture_origin *origin)
{
	uint32_t task[2] = { (uint32_t)origin->pid, (uint32_t)origin->tid };

	append(fixture, task, sizeof(task));
	append_u64(fixture, origin->time_ns);
	append_u64(fixture, fixture->cpu);
	append_u64(fixture, fixture->id);
}

void recording_fixture_record(struct recording_fixture *fixture, uint32_t type,
			      uint16_t misc, const void *body, size_t size,
			      const struct fixture_origin *origin)
{
	static const uint8_t zeros[8];
	size_t padding = -size & 7;
	size_t total = 8 + size + padding + (origin ? 32 : 0);
	uint16_t tail[2] = { misc, (uint16_t)total };

	append(fixture, &type, sizeof(type));
	append(fixture, tail, sizeof(tail));
	append(fixture, body, size);
	append(fixture, zeros, padding);
	if (origin)
		append_origin(fixture, origin);
}

void recording_fixture_trace(struct recording_fixture *fixture, uint64_t offset,
			     const uint8_t *bytes, size_t size)
{
	uint64_t body[5] = { size, offset, 0, fixture->cpu, fixture->cpu };

	recording_fixture_record(fixture, PERF_DATA_AUXTRACE, 0, body,
				 sizeof(body), NULL);
	append(fixture, bytes, size);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

void recording_fixture_map(struct recording_fixture *fixture, int32_t pid,
			   const char *path, uint64_t address, uint64_t size,
			   uint64_t offset)
{
	recording_fixture_map_at(fixture, pid, 0, path, address, size, offset);
}

void recording_fixture_map_at(struct recording_fixture *fixture, int32_t pid,
			      uint64_t time_ns, const char *path,
			      uint64_t address, uint64_t size, uint64_t offset)
{
	const struct fixture_origin origin = { pid, pid, time_ns };
	struct {
		int32_t pid, tid;
		uint64_t address, size, offset;
		char path[256];
	} map = { pid, pid, address, size, offset, "" };

	ck_assert_uint_lt(strlen(path), sizeof(map.path));
	strcpy(map.path, path);
	recording_fixture_record(fixture, PERF_RECORD_MMAP,
				 PERF_RECORD_MISC_USER, &map, sizeof(map),
				 &origin);
}

void recording_fixture_exec(struct recording_fixture *fixture, int32_t pid,
			    uint64_t time_ns)
{
	const struct fixture_origin origin = { pid, pid, time_ns };
	const struct {
		int32_t pid, tid;
		char name[16];
	} comm = { pid, pid, "program" };

	recording_fixture_record(fixture, PERF_RECORD_COMM,
				 PERF_RECORD_MISC_COMM_EXEC, &comm,
				 sizeof(comm), &origin);
}

void recording_fixture_fork(struct recording_fixture *fixture, int32_t parent,
			    uint64_t time_ns, int32_t pid)
{
	const struct fixture_origin origin = { pid, pid, time_ns };
	const struct {
		int32_t pid, parent, tid, parent_tid;
		uint64_t time_ns;
	} made = { pid, parent, pid, parent, time_ns };

	recording_fixture_record(fixture, PERF_RECORD_FORK, 0, &made,
				 sizeof(made), &origin);
}

void recording_fixture_program(struct recording_fixture *fixture, int32_t pid,
			       const char *name, uint64_t address,
			       const void *bytes, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", fixture->path, name);
	write_file(path, bytes, size);
	recording_fixture_map(fixture, pid, path + strlen(fixture->path),
			      address, size, 0);
}

static void write_core(const struct recording_fixture *fixture,
		       const char *name, uint64_t address, const uint8_t *bytes,
		       size_t size)
{
	enum { CODE_OFFSET = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr) };
	uint8_t core[CODE_OFFSET + 4096] = { 0 };
	Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB },
		.e_type = ET_CORE,
		.e_machine = EM_X86_64,
		.e_phoff = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
	};
	Elf64_Phdr load = {
		.p_type = PT_LOAD,
		.p_offset = CODE_OFFSET,
		.p_vaddr = address,
		.p_filesz = size,
	};
	char path[128];

	memcpy(core, &header, sizeof(header));
	memcpy(core + sizeof(header), &load, sizeof(load));
	memcpy(core + CODE_OFFSET, bytes, size);
	snprintf(path, sizeof(path), "%s/kcore_dir", fixture->path);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/kcore_dir/%s", fixture->path, name);
	write_file(path, core, CODE_OFFSET + size);
}

void recording_fixture_code(const struct recording_fixture *fixture,
			    uint64_t address, const uint8_t *bytes, size_t size)
{
	write_core(fixture, "kcore", address, bytes, size);
}

void recording_fixture_more_code(const struct recording_fixture *fixture,
				 uint64_t address, const uint8_t *bytes,
				 size_t size)
{
	char path[128];
	Elf64_Ehdr header;
	Elf64_Phdr load = {
		.p_type = PT_LOAD,
		.p_vaddr = address,
		.p_filesz = size,
	};
	FILE *file;

	snprintf(path, sizeof(path), "%s/kcore_dir/kcore", fixture->path);
	file = fopen(path, "r+");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(&header, sizeof(header), 1, file), 1);
	ck_assert_uint_eq(header.e_phnum, 1);
	header.e_phnum = 2;
	fseek(file, 0, SEEK_END);
	load.p_offset = (uint64_t)ftell(file);
	fwrite(bytes, 1, size, file);
	fseek(file, 0, SEEK_SET);
	fwrite(&header, sizeof(header), 1, file);
	fseek(file, sizeof(load), SEEK_CUR);
	fwrite(&load, sizeof(load), 1, file);
	ck_assert_int_eq(fclose(file), 0);
}

void recording_fixture_code_at_end(const struct recording_fixture *fixture,
				   uint64_t address, const uint8_t *bytes,
				   size_t size)
{
	write_core(fixture, "kcore_end", address, bytes, size);
}

static void append_text(struct recording_fixture *fixture, const char *text)
{
	uint32_t length = (uint32_t)strlen(text) + 1;

	append(fixture, &length, sizeof(length));
	append(fixture, text, length);
}

static uint64_t text_size(const char *text)
{
	return sizeof(uint32_t) + strlen(text) + 1;
}

/* Appends after the records: the offsets of the features, then the features. */
static void append_features(struct recording_fixture *fixture)
{
	const char *const texts[] = { fixture->version, fixture->arch,
				      fixture->cpuid };
	uint64_t place = fixture->size;

	for (int i = 0; i < 3; i++)
		place += texts[i] ? 16 : 0;
	for (int i = 0; i < 3; i++) {
		if (!texts[i])
			continue;
		append_u64(fixture, place);
		append_u64(fixture, text_size(texts[i]));
		place += text_size(texts[i]);
	}
	for (int i = 0; i < 3; i++)
		if (texts[i])
			append_text(fixture, texts[i]);
}

static uint64_t feature_bits(const struct recording_fixture *fixture)
{
	uint64_t bits = 0;

	if (fixture->version)
		bits |= 1 << PERF_DATA_FEATURE_VERSION;
	if (fixture->arch)
		bits |= 1 << PERF_DATA_FEATURE_ARCH;
	if (fixture->cpuid)
		bits |= 1 << PERF_DATA_FEATURE_CPUID;
	return bits;
}

void recording_fixture_write(struct recording_fixture *fixture)
{
	uint64_t header[9] = {
		HEADER_SIZE,
		ATTR_SIZE + 16,
		HEADER_SIZE + 16,
		2 * (ATTR_SIZE + 16),
		fixture->data_start,
		fixture->size - fixture->data_start,
		0,
		0,
		feature_bits(fixture),
	};
	char path[128];

	append_features(fixture);
	memcpy(fixture->bytes + 8, header, sizeof(header));
	snprintf(path, sizeof(path), "%s/data", fixture->path);
	write_file(path, fixture->bytes, fixture->size);
}

void recording_fixture_end(struct recording_fixture *fixture)
{
	remove_folder(fixture->path);
	free(fixture->bytes);
}
