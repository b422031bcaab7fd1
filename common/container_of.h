/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_CONTAINER_OF_H
#define KT_COMMON_CONTAINER_OF_H

#include <stddef.h>

/* Returns the struct @type that contains @pointer as its field @member;
 * @pointer must not point to const. Callbacks use it to find the struct that
 * contains their argument.
 */
#define container_of(pointer, type, member) \
	((type *)((char *)(pointer)-offsetof(type, member)))

#endif
