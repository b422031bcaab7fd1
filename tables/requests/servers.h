/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SERVERS_H
#define KT_TABLES_SERVERS_H

struct attribution_input;
struct server_accounts;

/* Charges servers' time to their clients: the sum of their requests
 * (attribution/requests/requests.h).
 */
struct servers;

/* Borrows @input.  Returns NULL when out of memory. */
struct servers *servers_new(const struct attribution_input *input);
void servers_free(struct servers *servers);

/* Ends the accounts, once, after the last step: what servers did for nobody
 * known is on one for client -1.  Returns 0 or -ERROR_MEMORY.
 */
int servers_end(struct servers *servers);

/* Owner: the servers. */
const struct server_accounts *servers_accounts(const struct servers *servers);

#endif
