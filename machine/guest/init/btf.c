/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/btf.h"

#include <linux/btf.h>
#include <stdint.h>
#include <string.h>

struct btf {
	const char *types;
	size_t types_size;
	const char *names;
	size_t names_size;
};

static int btf_open(struct btf *btf, const void *data, size_t size)
{
	struct btf_header header;
	size_t types, names;

	if (size < sizeof(header))
		return -1;
	memcpy(&header, data, sizeof(header));
	types = (size_t)header.hdr_len + header.type_off;
	names = (size_t)header.hdr_len + header.str_off;
	if (header.magic != BTF_MAGIC || types + header.type_len > size ||
	    names + header.str_len > size || !header.str_len)
		return -1;
	btf->types = (const char *)data + types;
	btf->types_size = header.type_len;
	btf->names = (const char *)data + names;
	btf->names_size = header.str_len;
	/* The zero byte of the last string terminates every string. */
	return btf->names[btf->names_size - 1] ? -1 : 0;
}

static int has_name(const struct btf *btf, uint32_t offset, const char *name)
{
	return offset < btf->names_size && !strcmp(btf->names + offset, name);
}

/* Returns the number of bytes that follow a type of this kind; -1 for an
 * unknown kind.
 */
static long tail_size(const struct btf_type *type)
{
	long count = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return count * (long)sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return count * (long)sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return count * (long)sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return count * (long)sizeof(struct btf_var_secinfo);
	case BTF_KIND_ENUM64:
		return count * (long)sizeof(struct btf_enum64);
	default:
		return BTF_INFO_KIND(type->info) <= BTF_KIND_ENUM64 ? 0 : -1;
	}
}

static long find_member(const struct btf *btf, const struct btf_type *type,
			const char *members, const char *name)
{
	struct btf_member member;
	uint32_t i;

	for (i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		memcpy(&member, members + i * sizeof(member), sizeof(member));
		if (!has_name(btf, member.name_off, name))
			continue;
		if (BTF_INFO_KFLAG(type->info))
			return BTF_MEMBER_BIT_OFFSET(member.offset) / 8;
		return member.offset / 8;
	}
	return -1;
}

long btf_member_offset(const void *data, size_t size, const char *structure,
		       const char *member)
{
	struct btf_type type;
	struct btf btf;
	size_t at = 0;

	if (btf_open(&btf, data, size))
		return -1;
	while (at + sizeof(type) <= btf.types_size) {
		long tail;

		memcpy(&type, btf.types + at, sizeof(type));
		at += sizeof(type);
		tail = tail_size(&type);
		if (tail < 0 || at + (size_t)tail > btf.types_size)
			return -1;
		if (BTF_INFO_KIND(type.info) == BTF_KIND_STRUCT &&
		    BTF_INFO_VLEN(type.info) &&
		    has_name(&btf, type.name_off, structure))
			return find_member(&btf, &type, btf.types + at, member);
		at += (size_t)tail;
	}
	return -1;
}
