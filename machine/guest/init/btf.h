/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_BTF_H
#define KT_MACHINE_GUEST_BTF_H

#include <stddef.h>

/* Returns the byte offset of a direct member of a structure, from the kernel's
 * type information (Documentation/bpf/btf.rst) in the form of
 * /sys/kernel/btf/vmlinux. Returns -1 if the structure or member does not
 * exist, or the data is not BTF.
 */
long btf_member_offset(const void *data, size_t size, const char *structure,
		       const char *member);

#endif
