/* SPDX-License-Identifier: MIT */
#include "symbolize/unwind_index.h"

#include "common/error.h"

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>
#include <string.h>

/* Encodings of pointers (LSB, "DWARF Exception Header Encoding"). */
enum {
	FORM = 0x0f,
	FORM_ADDRESS = 0x00,
	FORM_UDATA4 = 0x03,
	FORM_UDATA8 = 0x04,
	FORM_SDATA4 = 0x0b,
	FORM_SDATA8 = 0x0c,
	RELATION = 0x70,
	RELATION_NONE = 0x00,
	RELATION_PLACE = 0x10,
	ENCODING_UNKNOWN = 0xff,
};

static size_t form_bytes(uint8_t encoding)
{
	switch (encoding & FORM) {
	case FORM_UDATA4:
	case FORM_SDATA4:
		return 4;
	case FORM_ADDRESS:
	case FORM_UDATA8:
	case FORM_SDATA8:
		return 8;
	default:
		return 0;
	}
}

/* Returns how the descriptions below @cie write addresses of code: the letter
 * R of its augmentation; what stands before it is stepped over.
 */
static uint8_t encoding_of(const Dwarf_CIE *cie)
{
	const uint8_t *data = cie->augmentation_data;
	const uint8_t *end = data + cie->augmentation_data_size;
	const char *letter = cie->augmentation;

	if (*letter++ != 'z')
		return *cie->augmentation ? ENCODING_UNKNOWN : FORM_ADDRESS;
	for (; *letter && data < end; letter++) {
		if (*letter == 'R')
			return *data;
		if (*letter == 'L')
			data++;
		else if (*letter == 'P' && form_bytes(*data))
			data += 1 + form_bytes(*data);
		else if (*letter != 'S' && *letter != 'B')
			return ENCODING_UNKNOWN;
	}
	return *letter ? ENCODING_UNKNOWN : FORM_ADDRESS;
}

static bool read_start(const struct unwind_section *section,
		       const Dwarf_FDE *description, uint8_t encoding,
		       int64_t *start)
{
	const uint8_t *at = description->start;
	size_t size = form_bytes(encoding);
	uint64_t value = 0;

	if (!size || (size_t)(description->end - at) < size)
		return false;
	memcpy(&value, at, size);
	if (size == 4 && (encoding & FORM) == FORM_SDATA4)
		value = (uint64_t)(int64_t)(int32_t)value;
	switch (encoding & RELATION) {
	case RELATION_NONE:
		*start = (int64_t)(value - section->address);
		return true;
	case RELATION_PLACE:
		*start = (int64_t)(value + (uint64_t)(at - section->bytes));
		return true;
	default:
		return false;
	}
}

static int add(struct array *entries, int64_t start, uint64_t description)
{
	struct unwind_index_entry *entry;

	if (start != (int32_t)start || description > INT32_MAX)
		return 0;
	entry = array_add(entries);
	if (!entry)
		return -ERROR_MEMORY;
	entry->start = (int32_t)start;
	entry->description = (int32_t)description;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct unwind_index_entry *left = a;
	const struct unwind_index_entry *right = b;

	return (left->start > right->start) - (left->start < right->start);
}

/* libdw reads what precedes the section's items; it wants to know only the
 * program's class and byte order.
 */
static const unsigned char program_class[EI_NIDENT] = {
	[EI_CLASS] = ELFCLASS64,
	[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB :
								ELFDATA2MSB,
	[EI_VERSION] = EV_CURRENT,
};

static int add_description(const struct unwind_section *section, Elf_Data *data,
			   const Dwarf_FDE *description, uint64_t offset,
			   struct array *entries)
{
	Dwarf_CFI_Entry common;
	Dwarf_Off next;
	int64_t start;

	if (dwarf_next_cfi(program_class, data, true, description->CIE_pointer,
			   &next, &common) ||
	    !dwarf_cfi_cie_p(&common) ||
	    !read_start(section, description, encoding_of(&common.cie), &start))
		return 0;
	return add(entries, start, offset);
}

int unwind_index_make(const struct unwind_section *section,
		      struct array *entries)
{
	/* It does not write there. */
	Elf_Data data = {
		.d_buf = (void *)(uintptr_t)section->bytes,
		.d_type = ELF_T_BYTE,
		.d_size = section->size,
		.d_version = EV_CURRENT,
	};
	Dwarf_CFI_Entry entry;
	Dwarf_Off next = 0;
	int status = 0;

	for (Dwarf_Off at = 0; !status; at = next) {
		int found = dwarf_next_cfi(program_class, &data, true, at,
					   &next, &entry);

		/* Behind an entry that is damaged @next may have moved on. */
		if (found > 0 || next <= at)
			break;
		if (!found && !dwarf_cfi_cie_p(&entry))
			status = add_description(section, &data, &entry.fde,
						 at, entries);
	}
	array_sort(entries, compare);
	return status;
}
