/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_SITE_PACK_H
#define KT_TABLES_CALL_SITE_PACK_H

#include <stdint.h>

struct call_site;
struct pack;

/* Writes @site, that of one entry, or reads it into a zeroed one; its process is not
 * in it.  There are @functions functions.
 */
void call_site_pack(struct pack *pack, struct call_site *site,
		    uint32_t functions);

#endif
