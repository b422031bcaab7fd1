/* SPDX-License-Identifier: MIT */
#include "symbolize/elf/unwind_ranges.h"

#include "common/array.h"
#include "common/byte_reader.h"
#include "common/error.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <string.h>

/* The frame descriptions of a file. */
struct frames {
	const char *ident; /* the start of the file */
	const uint8_t *bytes;
	size_t size;
	uint64_t address; /* of @bytes */
	bool is_eh;	  /* .eh_frame; else .debug_frame */
	uint8_t word;	  /* bytes of an address */
	/* the common description (CIE) that was parsed last, by its offset */
	Dwarf_Off common;
	bool is_common_known;
	uint8_t encoding; /* of its FDEs' addresses, DW_EH_PE_* */
	bool has_lengths; /* its FDEs' augmentations start with their length */
};

/* Sets @frames to the bytes from @address to the end of the file's segment. */
static bool find_bytes(Elf *elf, uint64_t address, struct frames *frames)
{
	size_t file_size;
	const char *file = elf_rawfile(elf, &file_size);
	size_t count = 0;

	if (!file || elf_getphdrnum(elf, &count) < 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;
		uint64_t at;

		if (!gelf_getphdr(elf, (int)i, &segment) ||
		    segment.p_type != PT_LOAD || address < segment.p_vaddr ||
		    address - segment.p_vaddr >= segment.p_filesz ||
		    segment.p_offset > file_size ||
		    segment.p_filesz > file_size - segment.p_offset)
			continue;
		at = address - segment.p_vaddr;
		frames->bytes = (const uint8_t *)file + segment.p_offset + at;
		frames->size = segment.p_filesz - at;
		frames->address = address;
		return true;
	}
	return false;
}

static uint64_t read_leb128(struct byte_reader *reader)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t byte = byte_reader_u8(reader);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	reader->failed = true;
	return 0;
}

/* Reads a number of the format in the low bits of @encoding. */
static uint64_t read_number(struct byte_reader *reader, uint8_t encoding,
			    uint8_t word)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_signed:
		return word == 8 ? byte_reader_u64(reader) :
				   byte_reader_u32(reader);
	case DW_EH_PE_udata2:
		return byte_reader_u16(reader);
	case DW_EH_PE_udata4:
		return byte_reader_u32(reader);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int16_t)byte_reader_u16(reader);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int32_t)byte_reader_u32(reader);
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return byte_reader_u64(reader);
	default: /* compilers do not use LEB128 for addresses of code */
		reader->failed = true;
		return 0;
	}
}

/* Reads an address at the address @here; only absolute ones and those relative
 * to @here are supported.
 */
static uint64_t read_address(struct byte_reader *reader, uint64_t here,
			     uint8_t encoding, uint8_t word)
{
	uint64_t value = read_number(reader, encoding, word);

	switch (encoding & 0xf0) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		value += here;
		break;
	default:
		reader->failed = true;
	}
	return word == 8 ? value : (uint32_t)value;
}

static bool find_eh_frame_by_header(Elf *elf, struct frames *frames)
{
	size_t count = 0;
	GElf_Phdr segment;

	if (elf_getphdrnum(elf, &count) < 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct byte_reader reader;
		uint8_t encoding;
		uint64_t address;

		if (!gelf_getphdr(elf, (int)i, &segment) ||
		    segment.p_type != PT_GNU_EH_FRAME ||
		    !find_bytes(elf, segment.p_vaddr, frames))
			continue;
		/* version, three encodings, the address of .eh_frame */
		reader = byte_reader_of(frames->bytes, frames->size);
		if (byte_reader_u8(&reader) != 1)
			return false;
		encoding = byte_reader_u8(&reader);
		byte_reader_u16(&reader);
		address = read_address(&reader, segment.p_vaddr + 4, encoding,
				       frames->word);
		return !reader.failed && find_bytes(elf, address, frames);
	}
	return false;
}

static bool find_section(Elf *elf, const char *name, struct frames *frames)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *found;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header))
			continue;
		found = elf_strptr(elf, names, header.sh_name);
		if (!found || strcmp(found, name) ||
		    header.sh_type == SHT_NOBITS)
			continue;
		if (header.sh_flags & SHF_COMPRESSED)
			elf_compress(section, 0, 0);
		data = elf_getdata(section, NULL);
		if (!data || !data->d_buf)
			return false;
		frames->bytes = data->d_buf;
		frames->size = data->d_size;
		frames->address = header.sh_addr;
		return true;
	}
	return false;
}

/* Parses the entry at @offset. Returns false at the end. */
static bool parse_entry(const struct frames *frames, Dwarf_Off offset,
			Dwarf_Off *next, Dwarf_CFI_Entry *entry)
{
	Elf_Data data = {
		/* libdw does not write to it. */
		.d_buf = (void *)(uintptr_t)frames->bytes,
		.d_size = frames->size,
		.d_type = ELF_T_BYTE,
		.d_version = EV_CURRENT,
	};

	return dwarf_next_cfi((const unsigned char *)frames->ident, &data,
			      frames->is_eh, offset, next, entry) == 0;
}

/* Reads the encoding of addresses in the FDEs of @cie. Returns false if it has
 * parts that are not known.
 */
static bool read_augmentation(struct frames *frames, const Dwarf_CIE *cie)
{
	struct byte_reader data = byte_reader_of(cie->augmentation_data,
						 cie->augmentation_data_size);
	const char *letter = cie->augmentation;

	frames->encoding = DW_EH_PE_absptr;
	frames->has_lengths = *letter == 'z';
	for (letter += frames->has_lengths; *letter && !data.failed; letter++)
		if (*letter == 'R')
			frames->encoding = byte_reader_u8(&data);
		else if (*letter == 'L')
			byte_reader_u8(&data);
		else if (*letter == 'P')
			read_number(&data, byte_reader_u8(&data), frames->word);
		else if (*letter != 'S' && *letter != 'B') /* arm64's keys */
			return frames->has_lengths && data.position > 0;
	return !data.failed;
}

static bool use_common(struct frames *frames, Dwarf_Off common)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (frames->is_common_known && frames->common == common)
		return true;
	frames->is_common_known = parse_entry(frames, common, &next, &entry) &&
				  dwarf_cfi_cie_p(&entry) &&
				  read_augmentation(frames, &entry.cie);
	frames->common = common;
	return frames->is_common_known;
}

/* Returns whether the instructions (DW_CFA_*) for the first address move the
 * frame or save a register: a function does so after its first instructions.
 */
static bool starts_with_frame(struct byte_reader *program)
{
	while (byte_reader_left(program)) {
		uint8_t operation = byte_reader_u8(program);

		switch (operation & 0xc0 ? operation & 0xc0 : operation) {
		case DW_CFA_nop:
			continue;
		case DW_CFA_offset:
		case DW_CFA_def_cfa:
		case DW_CFA_def_cfa_register:
		case DW_CFA_def_cfa_offset:
		case DW_CFA_def_cfa_expression:
			return true;
		default:
			return false;
		}
	}
	return false;
}

/* Reads @fde into @range. Returns false if it is damaged or empty: linkers
 * leave empty ones for code that they removed.
 */
static bool read_range(struct frames *frames, const Dwarf_FDE *fde,
		       struct unwind_range *range)
{
	struct byte_reader reader =
		byte_reader_of(fde->start, (size_t)(fde->end - fde->start));
	uint64_t here =
		frames->address + (uint64_t)(fde->start - frames->bytes);
	uint64_t size;

	if (!use_common(frames, fde->CIE_pointer))
		return false;
	range->start =
		read_address(&reader, here, frames->encoding, frames->word);
	size = read_number(&reader, frames->encoding, frames->word);
	if (frames->has_lengths)
		byte_reader_bytes(&reader, read_leb128(&reader));
	if (reader.failed || !range->start || !size ||
	    size > UINT64_MAX - range->start)
		return false;
	range->end = range->start + size;
	range->is_part = starts_with_frame(&reader);
	return true;
}

static int compare_start(const void *a, const void *b)
{
	const struct unwind_range *x = a;
	const struct unwind_range *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Sorts the ranges, and cuts each off at the start of the next. */
static void put_in_order(struct array *ranges)
{
	struct unwind_range *all = ranges->items;
	size_t kept = 0;

	array_sort(ranges, compare_start);
	for (size_t i = 0; i < ranges->count; i++) {
		if (kept && all[kept - 1].start == all[i].start)
			continue;
		if (kept && all[kept - 1].end > all[i].start)
			all[kept - 1].end = all[i].start;
		all[kept++] = all[i];
	}
	ranges->count = kept;
}

static int list_ranges(struct frames *frames, struct array *ranges)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	for (Dwarf_Off at = 0; parse_entry(frames, at, &next, &entry);
	     at = next) {
		struct unwind_range range;

		if (!dwarf_cfi_cie_p(&entry) &&
		    read_range(frames, &entry.fde, &range) &&
		    array_append(ranges, &range) < 0)
			return -ERROR_MEMORY;
		if (next <= at)
			break;
	}
	return 0;
}

int unwind_ranges_read(Elf *elf, struct array *ranges)
{
	const char *ident = elf_getident(elf, NULL);
	struct frames frames = { .ident = ident };
	int status = 0;

	if (!ident || ident[EI_DATA] != ELFDATA2LSB)
		return 0;
	frames.word = ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	frames.is_eh = find_eh_frame_by_header(elf, &frames) ||
		       find_section(elf, ".eh_frame", &frames);
	if (frames.is_eh)
		status = list_ranges(&frames, ranges);
	frames.is_eh = false;
	frames.is_common_known = false;
	if (!status && find_section(elf, ".debug_frame", &frames))
		status = list_ranges(&frames, ranges);
	put_in_order(ranges);
	return status;
}
