/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/curl_library.h"

#include "common/error.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

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

int curl_library_load(struct curl_library *library, const char **why)
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
