/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SERVERS_H
#define KT_TABLES_SERVERS_H

struct attribution_input;
struct kept_file_writer;
struct pack;
struct server_accounts;

/* Charges servers' time to their clients: sums over their requests
 * (attribution/requests/requests.h).
 */
struct servers;

/* Borrows @input.  Returns NULL when out of memory. */
struct servers *servers_new(const struct attribution_input *input);
void servers_free(struct servers *servers);

/* servers_keep() writes all later requests and thread times to @writer;
 * servers_read() reads one such record, for a window
 * (tables/requests/server_record.h).
 */
void servers_keep(struct servers *servers, struct kept_file_writer *writer);
void servers_read(struct servers *servers, struct pack *pack);

/* Writes or reads which clients each server has, so that windows show the same.
 */
void servers_pack_clients(struct servers *servers, struct pack *pack);

/* Ends the accounts. Must be called once, after the last call event. Servers'
 * time for unknown clients is charged to client -1. Returns 0 or -ERROR_MEMORY.
 */
int servers_end(struct servers *servers);

/* Owner: the servers. */
const struct server_accounts *servers_accounts(const struct servers *servers);

#endif
