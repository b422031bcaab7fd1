/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_LEFT_OVERS_H
#define KT_STORE_LEFT_OVERS_H

struct clickhouse_http;
struct log;

/* Removes what uploads left that did not end: their processes, on this host, are
 * gone, or they began more than a day ago; and what two uploads of one recording at
 * the same time have put there twice.  Readers see none of it in any case.  The
 * server removes it later, from what is there now; rows that come after this, of a
 * request that was under way, are removed the next time.
 *
 * Returns 0, also if the server refuses to remove, which @log is told; or as
 * clickhouse_ask.h.
 */
int left_overs_remove(struct clickhouse_http *http, const struct log *log);

#endif
