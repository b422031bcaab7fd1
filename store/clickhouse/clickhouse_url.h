/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_URL_H
#define KT_STORE_CLICKHOUSE_URL_H

#include <stdbool.h>

struct curl_library;

/* The parts of a server's address. The struct owns all texts. */
struct clickhouse_url {
	char *base; /* https://host:port/ */
	char *user;
	char *password;
	char *database;
	char *name; /* for messages, without the password */
};

/* Returns whether @text has the scheme of a server's address. */
bool clickhouse_url_is(const char *text);

/* Parses @text (clickhouse_http.h) with @curl. Returns 0; -ERROR_FORMAT and a
 * static text in *@why; or -ERROR_MEMORY. Call clickhouse_url_free() in all
 * cases.
 */
int clickhouse_url_read(struct clickhouse_url *url,
			const struct curl_library *curl, const char *text,
			const char **why);
void clickhouse_url_free(struct clickhouse_url *url);

#endif
