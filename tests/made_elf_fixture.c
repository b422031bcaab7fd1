/* SPDX-License-Identifier: MIT */
#include "tests/made_elf_fixture.h"

#include <check.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

enum { FRAMES, NAMES, SYMBOLS, CODE, SECTIONS };

/* Section names, followed by function names. */
static const char section_names[] = "\0.eh_frame\0.strtab\0.symtab\0.text";
enum { FRAMES_NAME = 1, STRTAB_NAME = 11, SYMTAB_NAME = 19, TEXT_NAME = 27 };

void made_elf_begin(struct made_elf *elf, uint16_t machine)
{
	const Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
		.e_type = ET_DYN,
		.e_machine = machine,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shoff = MADE_ELF_SECTIONS,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS + 1,
		.e_shstrndx = NAMES + 1,
	};
	const Elf64_Phdr load = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_vaddr = MADE_ELF_BASE,
		.p_filesz = MADE_ELF_BYTES,
		.p_memsz = MADE_ELF_BYTES,
		.p_align = MADE_ELF_BYTES,
	};

	memset(elf, 0, sizeof(*elf));
	memcpy(elf->bytes, &header, sizeof(header));
	memcpy(elf->bytes + sizeof(header), &load, sizeof(load));
	memcpy(elf->bytes + MADE_ELF_NAMES, section_names,
	       sizeof(section_names));
	elf->names_size = sizeof(section_names);
}

/* An entry of .eh_frame: its length, @head, @program, DW_CFA_nop to align. */
static void add_entry(struct made_elf *elf, const void *head, size_t head_size,
		      const uint8_t *program, size_t size)
{
	uint8_t *at = elf->bytes + MADE_ELF_FRAMES + elf->frames_size;
	uint32_t length = (uint32_t)(head_size + size + 7) / 8 * 8 + 4;

	ck_assert_uint_lt(MADE_ELF_FRAMES + elf->frames_size + length + 8,
			  MADE_ELF_NAMES);
	memcpy(at, &length, sizeof(length));
	memcpy(at + 4, head, head_size);
	memcpy(at + 4 + head_size, program, size);
	elf->frames_size += 4 + length;
}

void made_elf_common(struct made_elf *elf, uint8_t link, const uint8_t *program,
		     size_t size)
{
	/* Id, version, "zR", alignments, link, and the encoding for R:
	 * relative, signed.
	 */
	const uint8_t head[] = { 0, 0, 0,    0,	   1, 'z', 'R',
				 0, 1, 0x78, link, 1, 0x1b };

	elf->common = elf->frames_size;
	add_entry(elf, head, sizeof(head), program, size);
}

static void describe(struct made_elf *elf, const uint8_t *program, size_t size)
{
	struct {
		uint32_t distance;
		int32_t start;
		uint32_t size;
		uint8_t augmentation;
	} __attribute__((packed)) head = {
		.distance = (uint32_t)(elf->frames_size + 4 - elf->common),
		.size = MADE_ELF_FUNCTION,
	};
	uint64_t place = MADE_ELF_BASE + MADE_ELF_FRAMES + elf->frames_size + 8;

	head.start = (int32_t)(made_elf_next(elf) - place);
	add_entry(elf, &head, sizeof(head), program, size);
}

uint64_t made_elf_next(const struct made_elf *elf)
{
	return MADE_ELF_BASE + MADE_ELF_CODE +
	       elf->functions * MADE_ELF_FUNCTION;
}

void made_elf_function(struct made_elf *elf, const char *name,
		       const uint8_t *program, size_t size)
{
	const Elf64_Sym symbol = {
		.st_name = (uint32_t)elf->names_size,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_shndx = CODE + 1,
		.st_value = made_elf_next(elf),
		.st_size = MADE_ELF_FUNCTION,
	};
	size_t length = strlen(name) + 1;

	ck_assert_uint_le(MADE_ELF_NAMES + elf->names_size + length,
			  MADE_ELF_SYMBOLS);
	memcpy(elf->bytes + MADE_ELF_NAMES + elf->names_size, name, length);
	elf->names_size += length;
	if (program)
		describe(elf, program, size);
	elf->functions++;
	memcpy(elf->bytes + MADE_ELF_SYMBOLS + elf->functions * sizeof(symbol),
	       &symbol, sizeof(symbol));
}

void made_elf_end(struct made_elf *elf)
{
	Elf64_Shdr sections[SECTIONS + 1] = {
		[FRAMES + 1] = { .sh_name = FRAMES_NAME,
				 .sh_type = SHT_PROGBITS,
				 .sh_flags = SHF_ALLOC,
				 .sh_addr = MADE_ELF_BASE + MADE_ELF_FRAMES,
				 .sh_offset = MADE_ELF_FRAMES,
				 .sh_size = elf->frames_size + 4 },
		[NAMES + 1] = { .sh_name = STRTAB_NAME,
				.sh_type = SHT_STRTAB,
				.sh_offset = MADE_ELF_NAMES,
				.sh_size = elf->names_size },
		[SYMBOLS + 1] = { .sh_name = SYMTAB_NAME,
				  .sh_type = SHT_SYMTAB,
				  .sh_offset = MADE_ELF_SYMBOLS,
				  .sh_link = NAMES + 1,
				  .sh_info = 1,
				  .sh_entsize = sizeof(Elf64_Sym) },
		[CODE + 1] = { .sh_name = TEXT_NAME,
			       .sh_type = SHT_PROGBITS,
			       .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			       .sh_addr = MADE_ELF_BASE + MADE_ELF_CODE,
			       .sh_offset = MADE_ELF_CODE,
			       .sh_size = MADE_ELF_BYTES - MADE_ELF_CODE },
	};

	sections[SYMBOLS + 1].sh_size =
		(elf->functions + 1) * sizeof(Elf64_Sym);
	memcpy(elf->bytes + MADE_ELF_SECTIONS, sections, sizeof(sections));
}

void made_elf_write(const struct made_elf *elf, const char *path)
{
	FILE *file = fopen(path, "wb");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(elf->bytes, 1, MADE_ELF_BYTES, file),
			  MADE_ELF_BYTES);
	ck_assert_int_eq(fclose(file), 0);
}
