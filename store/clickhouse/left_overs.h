/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_LEFT_OVERS_H
#define KT_STORE_LEFT_OVERS_H

struct clickhouse_http;
struct log;

/* Removes the rows of unfinished uploads (their process on this host is gone,
 * or they started more than a day ago) and duplicate rows of two simultaneous
 * uploads of one recording. Readers see none of these rows anyway. The server
 * removes them asynchronously and only those that exist now; rows of a request
 * that is still being processed are removed by the next call.
 *
 * Returns 0, even if the server refuses the removal, which is logged to @log;
 * or returns like the functions of clickhouse_ask.h.
 */
int left_overs_remove(struct clickhouse_http *http, const struct log *log);

#endif
