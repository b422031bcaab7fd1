/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/clickhouse_http_internal.h"

#include "common/budget.h"
#include "common/error.h"
#include "common/log.h"
#include "store/answer/answer.h"
#include "store/clickhouse/clickhouse_query_internal.h"

#include <dlfcn.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The functions of libcurl (curl(3)). The library is loaded only before a
 * request to a server: with its dependencies it is about twenty libraries,
 * which would nearly double the start time of every other command.
 */
struct curl_library {
	__typeof__(curl_easy_init) *easy_init;
	__typeof__(curl_easy_reset) *easy_reset;
	__typeof__(curl_easy_setopt) *easy_setopt;
	__typeof__(curl_easy_perform) *easy_perform;
	__typeof__(curl_easy_getinfo) *easy_getinfo;
	__typeof__(curl_easy_escape) *easy_escape;
	__typeof__(curl_easy_strerror) *easy_strerror;
	__typeof__(curl_easy_cleanup) *easy_cleanup;
	__typeof__(curl_slist_append) *slist_append;
	__typeof__(curl_slist_free_all) *slist_free_all;
	__typeof__(curl_url) *url;
	__typeof__(curl_url_set) *url_set;
	__typeof__(curl_url_get) *url_get;
	__typeof__(curl_url_strerror) *url_strerror;
	__typeof__(curl_url_cleanup) *url_cleanup;
	__typeof__(curl_free) *free;
};

/* The parts of a server's address. The struct owns all texts. */
struct clickhouse_url {
	char *base; /* https://host:port/ */
	char *user;
	char *password;
	char *database;
	char *name; /* for messages, without the password */
};

#define FUNCTION(name) \
	{ \
		"curl_" #name, offsetof(struct curl_library, name) \
	}

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
	FUNCTION(easy_init),	 FUNCTION(easy_reset),
	FUNCTION(easy_setopt),	 FUNCTION(easy_perform),
	FUNCTION(easy_getinfo),	 FUNCTION(easy_escape),
	FUNCTION(easy_strerror), FUNCTION(easy_cleanup),
	FUNCTION(slist_append),	 FUNCTION(slist_free_all),
	FUNCTION(url),		 FUNCTION(url_set),
	FUNCTION(url_get),	 FUNCTION(url_strerror),
	FUNCTION(url_cleanup),	 FUNCTION(free),
};

/* Loads libcurl for the lifetime of the process.
 *
 * Returns 0; or -ERROR_NOT_FOUND and *@why, which is valid until the next
 * dlopen().
 */
static int curl_library_load(struct curl_library *library, const char **why)
{
	void *handle = dlopen("libcurl.so.4", RTLD_NOW);

	for (size_t i = 0; handle && i < sizeof(functions) / sizeof(*functions);
	     i++) {
		void *found = dlsym(handle, functions[i].name);

		if (!found)
			handle = NULL;
		memcpy((char *)library + functions[i].offset, &found,
		       sizeof(found));
	}
	if (!handle)
		*why = dlerror();
	return handle ? 0 : -ERROR_NOT_FOUND;
}

static const char PLAIN[] = "clickhouse://";
static const char SECURE[] = "clickhouses://";

bool clickhouse_url_is(const char *text)
{
	return !strncmp(text, PLAIN, strlen(PLAIN)) ||
	       !strncmp(text, SECURE, strlen(SECURE));
}

/* Returns a copy of @part, or of @fallback if the part is missing or empty. */
static char *part_of(const struct curl_library *curl, CURLU *parsed,
		     CURLUPart part, const char *fallback)
{
	char *text = NULL;
	char *copy;

	if (curl->url_get(parsed, part, &text, CURLU_URLDECODE) || !*text)
		copy = strdup(fallback);
	else
		copy = strdup(text);
	curl->free(text);
	return copy;
}

static char *base_of(const struct curl_library *curl, CURLU *parsed,
		     bool is_secure)
{
	char *host = part_of(curl, parsed, CURLUPART_HOST, "");
	char *port = part_of(curl, parsed, CURLUPART_PORT,
			     is_secure ? "8443" : "8123");
	char *base = NULL;

	if (!host || !port ||
	    asprintf(&base, "%s://%s:%s/", is_secure ? "https" : "http", host,
		     port) < 0)
		base = NULL;
	free(host);
	free(port);
	return base;
}

/* Returns the database of an address, which the caller frees: the path "/name"
 * selects "name".
 */
static char *database_of(const struct curl_library *curl, CURLU *parsed)
{
	char *path = part_of(curl, parsed, CURLUPART_PATH, "/");
	char *name = NULL;

	if (path)
		name = strdup(path[0] == '/' && path[1] ? path + 1 : "default");
	free(path);
	return name;
}

static int consume_parts(struct clickhouse_url *url,
			 const struct curl_library *curl, CURLU *parsed,
			 bool is_secure)
{
	const char *secret = getenv("CLICKHOUSE_PASSWORD");

	url->base = base_of(curl, parsed, is_secure);
	url->user = part_of(curl, parsed, CURLUPART_USER, "default");
	url->password =
		part_of(curl, parsed, CURLUPART_PASSWORD, secret ? secret : "");
	url->database = database_of(curl, parsed);
	if (!url->base || !url->user || !url->password || !url->database)
		return -ERROR_MEMORY;
	if (asprintf(&url->name, "clickhouse%s%s", url->base + strlen("http"),
		     url->database) >= 0)
		return 0;
	url->name = NULL;
	return -ERROR_MEMORY;
}

/* Parses @text (clickhouse_http_internal.h). Returns 0; -ERROR_FORMAT and a
 * static text in *@why; or -ERROR_MEMORY. Call clickhouse_url_free() in all
 * cases.
 */
static int clickhouse_url_read(struct clickhouse_url *url,
			       const struct curl_library *curl,
			       const char *text, const char **why)
{
	bool is_secure = !strncmp(text, SECURE, strlen(SECURE));
	CURLU *parsed = curl->url();
	int error = -ERROR_MEMORY;
	CURLUcode code;

	*url = (struct clickhouse_url){ 0 };
	*why = "out of memory";
	if (!parsed)
		return error;
	code = curl->url_set(parsed, CURLUPART_URL, text,
			     CURLU_NON_SUPPORT_SCHEME);
	if (code) {
		*why = curl->url_strerror(code);
		error = -ERROR_FORMAT;
	} else {
		error = consume_parts(url, curl, parsed, is_secure);
	}
	curl->url_cleanup(parsed);
	return error;
}

static void clickhouse_url_free(struct clickhouse_url *url)
{
	free(url->base);
	free(url->user);
	free(url->password);
	free(url->database);
	free(url->name);
	*url = (struct clickhouse_url){ 0 };
}

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

/* Settings of a request whose body has rows (struct packed_batch). Its query
 * follows them in the address.
 */
static const char packed[] =
	"&decompress=1"
	"&http_native_compression_disable_checksumming_on_decompress=1"
	"&query=";

struct clickhouse_http *clickhouse_http_new(const char *text,
					    const struct log *log)
{
	struct clickhouse_http *http = calloc(1, sizeof(*http));
	const char *why = "out of memory";

	if (!http) {
		log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET, "%s", why);
		return NULL;
	}
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

/* Returns the address of a request, which the caller frees with sqlite3_free().
 * @query is part of it if the body has rows; otherwise the query is the body,
 * and @query is NULL.
 */
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

/* Prepares a request. User and password are sent in headers, because servers
 * log addresses.
 */
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

/* Returns @query with an output format, which it appends on a new line, because
 * the query may end with a comment.
 */
static char *with_format(const char *query)
{
	size_t length = strlen(query);

	while (length && strchr("; \t\n", query[length - 1]))
		length--;
	return sqlite3_mprintf("%.*s\nFORMAT TabSeparatedWithNamesAndTypes",
			       (int)length, query);
}

int clickhouse_select(struct clickhouse_http *http, const struct log *log,
		      const char *query, struct answer *answer)
{
	char *whole = with_format(query);
	char *text = NULL;
	int error = whole ? clickhouse_http_send(http, whole, NULL, &text) :
			    -ERROR_MEMORY;

	sqlite3_free(whole);
	if (!error)
		error = tsv_answer_read(answer, text);
	if (error == -ERROR_FORMAT)
		log_message(log, LOG_ERROR, clickhouse_http_name(http),
			    LOG_NO_OFFSET,
			    "the answer cannot be read: is this ClickHouse's "
			    "HTTP interface?");
	free(text);
	return error;
}

int clickhouse_select_number(struct clickhouse_http *http,
			     const struct log *log, char *query,
			     int64_t *number)
{
	struct answer answer;
	int error = answer_open(&answer);

	*number = 0;
	if (!error)
		error = query ? clickhouse_select(http, log, query, &answer) :
				-ERROR_MEMORY;
	if (!error && answer_rows(&answer))
		*number = answer_number(&answer, 0, 0);
	answer_free(&answer);
	sqlite3_free(query);
	return error;
}

int clickhouse_do(struct clickhouse_http *http, char *statement)
{
	int error = statement ?
			    clickhouse_http_send(http, statement, NULL, NULL) :
			    -ERROR_MEMORY;

	sqlite3_free(statement);
	return error;
}
