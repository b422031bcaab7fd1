/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_URL_H
#define KT_STORE_CLICKHOUSE_URL_H

#include <stdbool.h>

struct curl_library;

/* The parts of a server's address, all owned. */
struct clickhouse_url {
	char *base; /* https://host:port/ */
	char *user;
	char *password;
	char *database;
	char *name; /* for messages: without the password */
};

/* Returns whether @text begins as such an address does. */
bool clickhouse_url_is(const char *text);

/* Reads @text (clickhouse_http.h) by @curl.  Returns 0; -ERROR_FORMAT and *@why, a text that
 * stays; -ERROR_MEMORY.  Free it either way.
 */
int clickhouse_url_read(struct clickhouse_url *url,
			const struct curl_library *curl, const char *text,
			const char **why);
void clickhouse_url_free(struct clickhouse_url *url);

#endif
