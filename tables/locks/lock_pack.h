/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_LOCK_PACK_H
#define KT_TABLES_LOCK_PACK_H

#include <stdint.h>

struct lock_wait;
struct pack;

/* Writes @wait, or reads it. @functions: number of functions. */
void lock_pack(struct pack *pack, struct lock_wait *wait, uint32_t functions);

#endif
