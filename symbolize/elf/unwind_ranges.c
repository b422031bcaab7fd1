/* SPDX-License-Identifier: MIT */
#include "symbolize/elf/unwind_ranges_internal.h"

#include "common/array.h"
#include "common/bytes.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <string.h>

/* The functions of a stripped file are the ranges of its frame descriptions
 * (FDE). They are read from .eh_frame, by its sorted table .eh_frame_hdr or one
 * after the other, and from .debug_frame.
 *
 * A range whose description (DW_CFA_*) has a stack frame at the first
 * instruction is a part that a compiler moved away (.cold), and belongs to
 * another function. Files are untrusted: damaged or empty entries are skipped,
 * and at most COMMONS different common descriptions (CIE) are used.
 */

/* The part of a common description (CIE) that its FDEs need. */
struct common {
	Dwarf_Off offset;
	bool is_known;
	uint8_t encoding; /* of addresses, DW_EH_PE_* */
	bool has_lengths; /* augmentation data of FDEs starts with its length */
};

/* The maximum number of common descriptions; FDEs of further ones are ignored.
 * Files need few: C++ has one with and one without a personality routine, and
 * so on, and linkers merge equal ones.
 */
enum { COMMONS = 64 };

/* The frame descriptions of a file. */
struct frames {
	const char *ident; /* the start of the file */
	const uint8_t *bytes;
	size_t size;
	uint64_t address; /* of @bytes */
	bool is_eh;	  /* .eh_frame; else .debug_frame */
	uint8_t word;	  /* bytes of an address */
	struct common commons[COMMONS];
	size_t common_count;
	size_t last_common; /* index of the one used last */
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

/* Reads an address that is stored at address @here. Only absolute addresses and
 * addresses relative to @here are supported.
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

/* Sets @frames to the bytes of .eh_frame_hdr. Returns false if there is none.
 */
static bool find_header(Elf *elf, struct frames *frames)
{
	size_t count = 0;

	if (elf_getphdrnum(elf, &count) < 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (gelf_getphdr(elf, (int)i, &segment) &&
		    segment.p_type == PT_GNU_EH_FRAME)
			return find_bytes(elf, segment.p_vaddr, frames);
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

/* Parses the entry at @offset into *@entry. Sets *@next to the offset of the
 * next one. Returns false at the end.
 */
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

/* Reads the format of the FDEs of @cie into @common. Returns false if @cie has
 * unknown parts.
 */
static bool read_augmentation(const struct frames *frames, const Dwarf_CIE *cie,
			      struct common *common)
{
	struct byte_reader data = byte_reader_of(cie->augmentation_data,
						 cie->augmentation_data_size);
	const char *letter = cie->augmentation;

	common->encoding = DW_EH_PE_absptr;
	common->has_lengths = *letter == 'z';
	for (letter += common->has_lengths; *letter && !data.failed; letter++)
		if (*letter == 'R')
			common->encoding = byte_reader_u8(&data);
		else if (*letter == 'L')
			byte_reader_u8(&data);
		else if (*letter == 'P')
			read_number(&data, byte_reader_u8(&data), frames->word);
		/* S: signal frame; B: arm64's key B */
		else if (*letter != 'S' && *letter != 'B')
			return false;
	return !data.failed;
}

/* Parses the common description at @offset. */
static struct common parse_common(const struct frames *frames, Dwarf_Off offset)
{
	struct common common = { .offset = offset };
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	common.is_known = parse_entry(frames, offset, &next, &entry) &&
			  dwarf_cfi_cie_p(&entry) &&
			  read_augmentation(frames, &entry.cie, &common);
	return common;
}

/* Returns the index of the common description at @offset, adding it if it is
 * new; COMMONS if there are too many.
 */
static size_t find_common(struct frames *frames, Dwarf_Off offset)
{
	size_t at = 0;

	while (at < frames->common_count &&
	       frames->commons[at].offset != offset)
		at++;
	if (at == frames->common_count && at < COMMONS) {
		frames->commons[at] = parse_common(frames, offset);
		frames->common_count++;
	}
	return at;
}

/* Returns the common description at @offset, or NULL. */
static const struct common *common_at(struct frames *frames, Dwarf_Off offset)
{
	const struct common *common = &frames->commons[frames->last_common];

	if (!frames->common_count || common->offset != offset) {
		size_t at = find_common(frames, offset);

		if (at == COMMONS)
			return NULL;
		frames->last_common = at;
		common = &frames->commons[at];
	}
	return common->is_known ? common : NULL;
}

/* Returns whether the description's instructions (DW_CFA_*) that apply to the
 * range's first address move the frame or save a register. In a function, that
 * happens only after some instructions of code.
 */
static bool starts_with_frame(struct byte_reader *program)
{
	enum { MOST_NOPS = 64 };

	for (int i = 0; i < MOST_NOPS && byte_reader_left(program); i++) {
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
	const struct common *common = common_at(frames, fde->CIE_pointer);
	struct byte_reader reader =
		byte_reader_of(fde->start, (size_t)(fde->end - fde->start));
	uint64_t here =
		frames->address + (uint64_t)(fde->start - frames->bytes);
	uint64_t size;

	if (!common)
		return false;
	range->start =
		read_address(&reader, here, common->encoding, frames->word);
	size = read_number(&reader, common->encoding, frames->word);
	if (common->has_lengths)
		byte_reader_bytes(&reader, read_leb128(&reader));
	if (reader.failed || !range->start || !size ||
	    size > UINT64_MAX - range->start)
		return false;
	range->end = range->start + size;
	range->is_part = starts_with_frame(&reader);
	return true;
}

static bool is_sorted(const struct array *ranges)
{
	const struct unwind_range *all = ranges->items;

	for (size_t i = 1; i < ranges->count; i++)
		if (all[i].start < all[i - 1].start)
			return false;
	return true;
}

/* Sorts the ranges, and cuts each off at the start of the next. */
static void put_in_order(struct array *ranges)
{
	struct unwind_range *all = ranges->items;
	size_t kept = 0;

	if (!is_sorted(ranges))
		array_sort_by(ranges, KEYS(RISING(struct unwind_range, start)));
	for (size_t i = 0; i < ranges->count; i++) {
		if (kept && all[kept - 1].start == all[i].start)
			continue;
		if (kept && all[kept - 1].end > all[i].start)
			all[kept - 1].end = all[i].start;
		all[kept++] = all[i];
	}
	ranges->count = kept;
}

static int add_range(struct frames *frames, const Dwarf_FDE *fde,
		     struct array *ranges)
{
	struct unwind_range range;

	return read_range(frames, fde, &range) ? array_append(ranges, &range) :
						 0;
}

/* Adds all FDEs of .eh_frame or .debug_frame, one after the other. */
static int list_all(struct frames *frames, struct array *ranges)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;
	int status = 0;

	for (Dwarf_Off at = 0;
	     !status && parse_entry(frames, at, &next, &entry); at = next) {
		if (!dwarf_cfi_cie_p(&entry))
			status = add_range(frames, &entry.fde, ranges);
		if (next <= at)
			break;
	}
	return status;
}

/* Parses the head of the FDE at @offset of .eh_frame: its length, and the
 * distance back to its CIE.
 */
static bool parse_fde(const struct frames *frames, uint64_t offset,
		      Dwarf_FDE *fde)
{
	struct byte_reader reader = byte_reader_of(frames->bytes, frames->size);
	uint32_t size;
	uint32_t distance;

	byte_reader_bytes(&reader, offset);
	size = byte_reader_u32(&reader);
	distance = byte_reader_u32(&reader);
	if (reader.failed || size < sizeof(distance) ||
	    size - sizeof(distance) > byte_reader_left(&reader) || !distance ||
	    distance > offset + sizeof(size))
		return false;
	fde->CIE_pointer = offset + sizeof(size) - distance;
	fde->start = frames->bytes + reader.position;
	fde->end = fde->start + size - sizeof(distance);
	return true;
}

/* The table of .eh_frame_hdr: for each FDE the address of its code, and its own
 * address. Both are relative to the header. The table is in order of the code's
 * addresses.
 */
struct fde_table {
	uint64_t address; /* of the header */
	uint32_t count;
	struct byte_reader entries;
};

static int list_table(struct frames *frames, struct fde_table *table,
		      struct array *ranges)
{
	int status = array_reserve(ranges, table->count);

	for (uint32_t i = 0; i < table->count && !status; i++) {
		Dwarf_FDE fde;
		uint64_t at;

		byte_reader_u32(&table->entries);
		at = table->address +
		     (uint64_t)(int64_t)(int32_t)byte_reader_u32(
			     &table->entries) -
		     frames->address;
		if (table->entries.failed)
			break;
		if (at < frames->size && parse_fde(frames, at, &fde))
			status = add_range(frames, &fde, ranges);
	}
	return status;
}

/* Sets @frames to .eh_frame, found by .eh_frame_hdr, and @table to the table
 * there. The table's count is 0 if its format is not the one that linkers
 * write. Returns false if the header is missing or damaged.
 */
static bool find_by_header(Elf *elf, struct frames *frames,
			   struct fde_table *table)
{
	struct byte_reader reader;
	uint8_t encodings[3];
	uint64_t address;

	if (!find_header(elf, frames))
		return false;
	table->address = frames->address;
	reader = byte_reader_of(frames->bytes, frames->size);
	if (byte_reader_u8(&reader) != 1)
		return false;
	for (int i = 0; i < 3; i++)
		encodings[i] = byte_reader_u8(&reader);
	address = read_address(&reader, frames->address + reader.position,
			       encodings[0], frames->word);
	if (encodings[1] == DW_EH_PE_udata4 &&
	    encodings[2] == (DW_EH_PE_datarel | DW_EH_PE_sdata4))
		table->count = byte_reader_u32(&reader);
	table->entries = reader;
	if (table->count > byte_reader_left(&reader) / 8)
		table->count = 0;
	return !reader.failed && find_bytes(elf, address, frames);
}

static int list_eh_frame(Elf *elf, struct frames *frames, struct array *ranges)
{
	struct fde_table table = { .count = 0 };

	frames->is_eh = true;
	if (!find_by_header(elf, frames, &table) &&
	    !find_section(elf, ".eh_frame", frames))
		return 0;
	return table.count ? list_table(frames, &table, ranges) :
			     list_all(frames, ranges);
}

static int list_debug_frame(Elf *elf, struct frames *frames,
			    struct array *ranges)
{
	frames->is_eh = false;
	frames->common_count = 0;
	frames->last_common = 0;
	return find_section(elf, ".debug_frame", frames) ?
		       list_all(frames, ranges) :
		       0;
}

int unwind_ranges_read(Elf *elf, struct array *ranges)
{
	const char *ident = elf_getident(elf, NULL);
	struct frames frames = { .ident = ident };
	int status;

	if (!ident || ident[EI_DATA] != ELFDATA2LSB)
		return 0;
	frames.word = ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	status = list_eh_frame(elf, &frames, ranges);
	if (!status)
		status = list_debug_frame(elf, &frames, ranges);
	put_in_order(ranges);
	return status;
}
