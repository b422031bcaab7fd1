/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_CHANNEL_FRAME_H
#define KT_MACHINE_CHANNEL_FRAME_H

#include <stddef.h>
#include <stdint.h>

/* The protocol between the host (attach/) and the guest's init (guest/init/)
 * over one virtio-serial port: frames of a type, a stream (0, 1, 2 for standard
 * input, output, error) and a payload. A single port preserves the order of all
 * frames.
 */
enum frame_type {
	/* host to guest */
	FRAME_SETTING = 1, /* "key=value", see guest/init/settings.h */
	FRAME_START,	   /* all settings have been sent */
	FRAME_WINDOW,	   /* u32 rows, u32 columns of the terminal */
	FRAME_SIGNAL,	   /* u32 signal number, for the command */
	/* guest to host */
	FRAME_READY,   /* waits for settings */
	FRAME_STARTED, /* the command runs */
	FRAME_EXIT,    /* u32 exit code; the last frame */
	FRAME_NOTE,    /* text for the user, lines, once the streams ended */
	FRAME_FAILED,  /* text: the guest failed */
	/* both ways, about a stream */
	FRAME_DATA,
	FRAME_END,    /* no more data */
	FRAME_CREDIT, /* u32: further bytes that may be sent */
	FRAME_BROKEN, /* this stream has no reader any more */
};

/* Room for the longest argument or environment string that Linux accepts,
 * MAX_ARG_STRLEN (include/uapi/linux/binfmts.h), and its key.
 */
#define FRAME_PAYLOAD_MAX (131072 + 64)

/* The initial credit, which needs no frame: the bytes of a stream that may be
 * in transit.
 */
#define FRAME_FIRST_CREDIT 262144

struct frame {
	enum frame_type type;
	unsigned int stream;
	uint32_t length;
	/* owned by the reader; valid until the next fill */
	const char *payload;
};

/* Returns number @index (u32) of the payload, 0 if the frame is too short. */
uint32_t frame_number(const struct frame *frame, unsigned int index);

/* Reads frames from a non-blocking file descriptor, which it borrows. */
struct frame_reader;

struct frame_reader *frame_reader_new(int fd);
void frame_reader_free(struct frame_reader *reader);

/* Reads the available input. Returns 1 if there was some (consume the frames
 * before the next fill), 0 at the end of the file, otherwise negative errno;
 * -EAGAIN if nothing is available.
 */
int frame_reader_fill(struct frame_reader *reader);

/* Returns 1 and a frame, 0 if more input is needed, or -EPROTO if the input is
 * not a frame.
 */
int frame_reader_next(struct frame_reader *reader, struct frame *frame);

/* Queues frames and writes them to a non-blocking file descriptor, which it
 * borrows.
 */
struct frame_writer;

struct frame_writer *frame_writer_new(int fd);
void frame_writer_free(struct frame_writer *writer);

/* Returns 0, or -ENOMEM. */
int frame_writer_put(struct frame_writer *writer, enum frame_type type,
		     unsigned int stream, const void *payload, size_t length);
int frame_writer_put_numbers(struct frame_writer *writer, enum frame_type type,
			     unsigned int stream, uint32_t first,
			     uint32_t second);

/* Writes as much as possible. Returns 0 if nothing is left or the rest must
 * wait, or negative errno if the other side is gone.
 */
int frame_writer_flush(struct frame_writer *writer);

/* Returns the number of bytes not yet written. */
size_t frame_writer_pending(const struct frame_writer *writer);

#endif
