/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CURL_LIBRARY_H
#define KT_STORE_CURL_LIBRARY_H

#include <curl/curl.h>

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

/* Loads libcurl for the lifetime of the process.
 *
 * Returns 0; or -ERROR_NOT_FOUND and *@why, which is valid until the next
 * dlopen().
 */
int curl_library_load(struct curl_library *library, const char **why);

#endif
