/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/clickhouse_url.h"

#include "common/error.h"
#include "store/clickhouse/curl_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The path "/name" selects database "name". */
static char *database_of(const struct curl_library *curl, CURLU *parsed)
{
	char *path = part_of(curl, parsed, CURLUPART_PATH, "/");
	char *name = NULL;

	if (path)
		name = strdup(path[0] == '/' && path[1] ? path + 1 : "default");
	free(path);
	return name;
}

static int take_parts(struct clickhouse_url *url,
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

int clickhouse_url_read(struct clickhouse_url *url,
			const struct curl_library *curl, const char *text,
			const char **why)
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
		error = take_parts(url, curl, parsed, is_secure);
	}
	curl->url_cleanup(parsed);
	return error;
}

void clickhouse_url_free(struct clickhouse_url *url)
{
	free(url->base);
	free(url->user);
	free(url->password);
	free(url->database);
	free(url->name);
	*url = (struct clickhouse_url){ 0 };
}
