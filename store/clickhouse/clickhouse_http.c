/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/clickhouse_http.h"

#include "common/budget.h"
#include "common/error.h"
#include "common/log.h"
#include "store/clickhouse/clickhouse_url.h"
#include "store/clickhouse/curl_library.h"

#include <sqlite3.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A server that is silent for SILENT_S has failed. */
enum { CONNECT_S = 10, SILENT_S = 300, MESSAGE_CHARS = 300 };

struct clickhouse_http {
	struct clickhouse_url url;
	const struct log *log;
	struct curl_library library;
	CURL *curl;
	char error[CURL_ERROR_SIZE];
};

/* The server's answer. */
struct received {
	char *text;
	size_t size;
	bool is_too_large;
};

/* Settings that all tried servers accept: a join without ANY or ALL returns all
 * pairs, as in standard SQL; rows exist when an INSERT ends; a client that
 * wrote to a replica reads from the same replica; the HTTP status is that of
 * the whole query.
 */
static const char settings[] = "join_default_strictness=ALL"
			       "&distributed_product_mode=global"
			       "&insert_distributed_sync=1"
			       "&load_balancing=in_order"
			       "&wait_end_of_query=1";

/* Settings for rows after a query: packed_batch.h. */
static const char packed[] =
	"&decompress=1"
	"&http_native_compression_disable_checksumming_on_decompress=1"
	"&query=";

struct clickhouse_http *clickhouse_http_new(const char *text,
					    const struct log *log)
{
	struct clickhouse_http *http = calloc(1, sizeof(*http));
	const char *why = "out of memory";

	if (!http)
		return NULL;
	http->log = log;
	if (curl_library_load(&http->library, &why)) {
		log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "stores of ClickHouse need libcurl: %s", why);
		free(http);
		return NULL;
	}
	if (!clickhouse_url_read(&http->url, &http->library, text, &why)) {
		http->curl = http->library.easy_init();
		why = "out of memory";
	}
	if (http->curl)
		return http;
	log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "the store's address is not "
		    "clickhouse://USER:PASSWORD@HOST:PORT/DATABASE: %s",
		    why);
	clickhouse_http_free(http);
	return NULL;
}

void clickhouse_http_free(struct clickhouse_http *http)
{
	if (!http)
		return;
	http->library.easy_cleanup(http->curl);
	clickhouse_url_free(&http->url);
	free(http);
}

const char *clickhouse_http_name(const struct clickhouse_http *http)
{
	return http->url.name;
}

const char *clickhouse_http_database(const struct clickhouse_http *http)
{
	return http->url.database;
}

static size_t receive(char *bytes, size_t one, size_t count, void *ctx)
{
	struct received *received = ctx;
	size_t size = one * count;
	char *text;

	received->is_too_large = received->size + size > BUDGET_ANSWER_BYTES;
	text = received->is_too_large ?
		       NULL :
		       realloc(received->text, received->size + size + 1);
	if (!text)
		return 0;
	received->text = text;
	memcpy(text + received->size, bytes, size);
	received->size += size;
	text[received->size] = '\0';
	return size;
}

/* If rows follow, the query is part of the address. */
static char *address_of(const struct clickhouse_http *http, const char *query)
{
	const struct curl_library *curl = &http->library;
	char *database = curl->easy_escape(http->curl, http->url.database, 0);
	char *escaped = query ? curl->easy_escape(http->curl, query, 0) : NULL;
	char *address = NULL;

	if (database && (escaped || !query))
		address = sqlite3_mprintf("%s?database=%s&%s%s%s",
					  http->url.base, database, settings,
					  query ? packed : "",
					  query ? escaped : "");
	curl->free(database);
	curl->free(escaped);
	return address;
}

static void set_body(const struct clickhouse_http *http, const char *query,
		     const struct clickhouse_body *body)
{
	__typeof__(curl_easy_setopt) *set = http->library.easy_setopt;
	size_t size = body ? body->size : strlen(query);

	set(http->curl, CURLOPT_POST, 1L);
	set(http->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
	set(http->curl, CURLOPT_POSTFIELDS,
	    body ? (const char *)body->bytes : query);
}

/* User and password are sent in headers, because servers log addresses. */
static void set_up(struct clickhouse_http *http, struct received *received)
{
	__typeof__(curl_easy_setopt) *set = http->library.easy_setopt;
	CURL *curl = http->curl;

	http->library.easy_reset(curl);
	http->error[0] = '\0';
	set(curl, CURLOPT_ERRORBUFFER, http->error);
	set(curl, CURLOPT_NOSIGNAL, 1L);
	set(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	set(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	set(curl, CURLOPT_LOW_SPEED_TIME, (long)SILENT_S);
	set(curl, CURLOPT_USERNAME, http->url.user);
	set(curl, CURLOPT_PASSWORD, http->url.password);
	set(curl, CURLOPT_WRITEFUNCTION, receive);
	set(curl, CURLOPT_WRITEDATA, received);
}

/* Meanings of servers' error codes (src/Common/ErrorCodes.cpp). */
static const struct {
	int code;
	const char *meaning;
} meanings[] = {
	{ 81, "the database does not exist: CREATE DATABASE creates it" },
	{ 192, "user or password are wrong" },
	{ 193, "user or password are wrong" },
	{ 194, "user or password are wrong" },
	{ 243, "the server's disk is full" },
	{ 516, "user or password are wrong" },
};

static const char *meaning_of(const char *text)
{
	int code = 0;

	if (strstr(text, "No space left on device"))
		return "the server's disk is full";
	if (sscanf(text, "Code: %d", &code) == 1)
		for (size_t i = 0; i < sizeof(meanings) / sizeof(*meanings);
		     i++)
			if (meanings[i].code == code)
				return meanings[i].meaning;
	return "the server refused the request";
}

/* Logs only the first line: the others are the server's stack trace. */
static int say_refusal(const struct clickhouse_http *http, long status,
		       const char *text)
{
	int length = (int)strcspn(text, "\n");

	log_message(http->log, LOG_ERROR, http->url.name, LOG_NO_OFFSET,
		    "%s (HTTP %ld): %.*s", meaning_of(text), status,
		    length > MESSAGE_CHARS ? MESSAGE_CHARS : length, text);
	return -ERROR_UNSUPPORTED;
}

static int judge(const struct clickhouse_http *http, CURLcode status,
		 const struct received *received)
{
	long code = 0;

	http->library.easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &code);
	if (received->is_too_large) {
		log_message(http->log, LOG_ERROR, http->url.name, LOG_NO_OFFSET,
			    "the answer has more than %llu MB: select less",
			    BUDGET_ANSWER_BYTES >> 20);
		return -ERROR_MEMORY;
	}
	if (status) {
		log_message(http->log, LOG_ERROR, http->url.name, LOG_NO_OFFSET,
			    "no answer: %s",
			    *http->error ? http->error :
					   http->library.easy_strerror(status));
		return -ERROR_SYSTEM;
	}
	return code == 200 ? 0 :
			     say_refusal(http, code,
					 received->text ? received->text : "");
}

int clickhouse_http_send(struct clickhouse_http *http, const char *query,
			 const struct clickhouse_body *body, char **answer)
{
	const struct curl_library *curl = &http->library;
	struct received received = { 0 };
	struct curl_slist *headers = curl->slist_append(NULL, "Expect:");
	char *address = address_of(http, body ? query : NULL);
	int error = -ERROR_MEMORY;

	if (address && headers) {
		set_up(http, &received);
		set_body(http, query, body);
		curl->easy_setopt(http->curl, CURLOPT_HTTPHEADER, headers);
		curl->easy_setopt(http->curl, CURLOPT_URL, address);
		error = judge(http, curl->easy_perform(http->curl), &received);
	}
	curl->slist_free_all(headers);
	sqlite3_free(address);
	if (answer && !error) {
		*answer = received.text ? received.text : calloc(1, 1);
		return *answer ? 0 : -ERROR_MEMORY;
	}
	free(received.text);
	return error;
}
