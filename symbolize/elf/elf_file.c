/* SPDX-License-Identifier: MIT */
#include "symbolize/elf/elf_file.h"

#include "common/log.h"
#include "common/regular_file.h"
#include "symbolize/elf/debug_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct elf_file {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf; /* of the module */
	GElf_Addr bias;
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = debug_search,
	.section_address = dwfl_offline_section_address,
};

/* libdwfl owns @fd once it has accepted the file. */
static bool open_module(struct elf_file *file, const char *path, int fd)
{
	file->dwfl = dwfl_begin(&callbacks);
	if (file->dwfl)
		file->module = dwfl_report_offline(file->dwfl, path, path, fd);
	if (!file->module) {
		close(fd);
		return false;
	}
	dwfl_report_end(file->dwfl, NULL, NULL);
	file->elf = dwfl_module_getelf(file->module, &file->bias);
	return file->elf;
}

struct elf_file *elf_file_open(const char *path, const struct log *log)
{
	struct elf_file *file = calloc(1, sizeof(*file));
	int fd = file ? regular_file_open(path) : -1;

	if (!file || (fd >= 0 && open_module(file, path, fd)))
		return file;
	log_message(log, LOG_WARNING, path, LOG_NO_OFFSET, "no symbols: %s",
		    fd < 0 ? regular_file_error(errno) : dwfl_errmsg(-1));
	elf_file_close(file);
	return NULL;
}

void elf_file_close(struct elf_file *file)
{
	if (!file)
		return;
	if (file->dwfl)
		dwfl_end(file->dwfl);
	free(file);
}

char *elf_file_debug_path(const char *path)
{
	struct elf_file *file = elf_file_open(path, NULL);
	const char *debug = NULL;
	char *found = NULL;
	GElf_Addr bias;

	if (!file)
		return NULL;
	dwfl_module_getdwarf(file->module, &bias);
	dwfl_module_info(file->module, NULL, NULL, NULL, NULL, NULL, NULL,
			 &debug);
	if (debug && *debug == '/' && strcmp(debug, path))
		found = strdup(debug);
	elf_file_close(file);
	return found;
}

Dwfl_Module *elf_file_module(const struct elf_file *file)
{
	return file->module;
}

uint64_t elf_file_bias(const struct elf_file *file)
{
	return file->bias;
}

bool elf_file_offset(const struct elf_file *file, uint64_t address,
		     uint64_t *offset)
{
	size_t count = 0;

	if (elf_getphdrnum(file->elf, &count) < 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(file->elf, (int)i, &segment) ||
		    segment.p_type != PT_LOAD || address < segment.p_vaddr ||
		    address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*offset = address - segment.p_vaddr + segment.p_offset;
		return true;
	}
	return false;
}
