/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_SITE_PACK_H
#define KT_TABLES_CALL_SITE_PACK_H

#include <stdint.h>

struct call_site;
struct kept_file_writer;
struct pack;
struct task;

/* Writes @site, the site of one entry, without its process, or reads it into a
 * zeroed one. @functions: number of functions.
 */
void call_site_pack(struct pack *pack, struct call_site *site,
		    uint32_t functions);

/* Writes or reads a whole entry, which @task began at @begin_ns. */
void call_site_pack_entry(struct pack *pack, struct task *task,
			  uint64_t *begin_ns, struct call_site *site,
			  uint32_t functions);

/* Appends a finished entry to the records file. */
void call_site_keep(struct kept_file_writer *writer, const struct task *task,
		    uint64_t begin_ns, const struct call_site *site,
		    uint32_t functions);

#endif
