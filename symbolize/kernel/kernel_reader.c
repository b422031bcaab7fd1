/* SPDX-License-Identifier: MIT */
#include "symbolize/kernel/kernel_reader.h"

#include "common/error.h"
#include "common/log.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "symbolize/kernel/kernel_symbols.h"
#include "symbolize/kernel/text_file.h"

#include <pthread.h>
#include <stdlib.h>

struct kernel_reader {
	struct kernel_symbols kernel;
	const struct recording *recording;
	const struct log *log;
	struct log_buffer *kept; /* NULL: no thread reads */
	pthread_t thread;
	int status; /* result of the thread */
};

/* trace-cmd stores it in the recording itself. */
static int read_kept_kallsyms(const struct kernel_symbols *kernel,
			      const struct recording *recording,
			      const struct log *log)
{
	struct text_part text = recording_kallsyms(recording);
	int status =
		kernel_symbols_add_kallsyms(kernel, text.text, text.size_bytes);

	if (!status && !kernel_symbols_usable(kernel))
		log_message(log, LOG_WARNING, recording_path(recording),
			    LOG_NO_OFFSET,
			    "its kallsyms has no addresses: it was recorded "
			    "without the right to see them "
			    "(kernel.kptr_restrict)");
	return status;
}

static int read_kallsyms(const struct kernel_symbols *kernel,
			 const struct recording *recording,
			 const struct log *log)
{
	const char *path = recording_kallsyms_path(recording);
	struct text_file file;
	int status;

	if (!path && recording_kallsyms(recording).text)
		return read_kept_kallsyms(kernel, recording, log);
	if (!path) {
		log_message(log, LOG_WARNING, recording_path(recording),
			    LOG_NO_OFFSET,
			    "holds no copy of kallsyms: kernel functions have "
			    "no names; record with ktrace-hw record or perf "
			    "record --kcore, or put the traced kernel's "
			    "/proc/kallsyms beside a snapshot.ini");
		return 0;
	}
	status = text_file_read(path, log, &file);
	if (status < 0)
		return status;
	status =
		kernel_symbols_add_kallsyms(kernel, file.text, file.size_bytes);
	if (!status && !kernel_symbols_usable(kernel))
		log_message(log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "has no addresses: it was copied without the right "
			    "to see them (kernel.kptr_restrict)");
	text_file_free(&file);
	return status;
}

static int read_modules(const struct kernel_symbols *kernel,
			const struct recording *recording,
			const struct log *log)
{
	const char *path = recording_modules_path(recording);
	struct text_file file;
	int status;

	if (!path)
		return 0;
	status = text_file_read(path, log, &file);
	if (status < 0)
		return status;
	status = kernel_symbols_add_modules(kernel, file.text, file.size_bytes);
	text_file_free(&file);
	return status;
}

static int read_ksymbols(const struct kernel_symbols *kernel,
			 const struct recording *recording)
{
	struct sideband *sideband =
		sideband_open(recording, SIDEBAND_BIT(SIDEBAND_KSYMBOL));
	struct sideband_record record;
	int status = -ERROR_MEMORY;

	if (!sideband)
		return status;
	while ((status = sideband_next(sideband, &record)) > 0) {
		if (record.ksymbol.unregister)
			continue;
		status = kernel_symbols_add_named(kernel,
						  record.ksymbol.address,
						  record.ksymbol.size_bytes,
						  record.ksymbol.name);
		if (status < 0)
			break;
	}
	sideband_close(sideband);
	return status;
}

int kernel_symbols_add_all(const struct kernel_symbols *kernel,
			   const struct recording *recording,
			   const struct log *log)
{
	int status = read_kallsyms(kernel, recording, log);

	if (!status)
		status = read_modules(kernel, recording, log);
	if (!status)
		status = read_ksymbols(kernel, recording);
	return status ? status : kernel_symbols_finish(kernel);
}

static void *read_apart(void *ctx)
{
	struct kernel_reader *reader = ctx;

	reader->status = kernel_symbols_add_all(&reader->kernel,
						reader->recording,
						log_buffer_log(reader->kept));
	return NULL;
}

/* Without a thread the symbols are read by kernel_reader_end(). */
static void start(struct kernel_reader *reader)
{
	reader->kept = log_buffer_new();
	if (!reader->kept ||
	    !pthread_create(&reader->thread, NULL, read_apart, reader))
		return;
	log_buffer_free(reader->kept);
	reader->kept = NULL;
}

struct kernel_reader *kernel_reader_begin(const struct kernel_symbols *kernel,
					  const struct recording *recording,
					  const struct log *log, bool is_apart)
{
	struct kernel_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->kernel = *kernel;
	reader->recording = recording;
	reader->log = log;
	if (is_apart)
		start(reader);
	return reader;
}

static int await(struct kernel_reader *reader)
{
	pthread_join(reader->thread, NULL);
	log_buffer_pass_on(reader->kept, reader->log);
	log_buffer_free(reader->kept);
	return reader->status;
}

int kernel_reader_end(struct kernel_reader *reader)
{
	int status;

	if (!reader)
		return -ERROR_MEMORY;
	status = reader->kept ?
			 await(reader) :
			 kernel_symbols_add_all(&reader->kernel,
						reader->recording, reader->log);
	free(reader);
	return status;
}
