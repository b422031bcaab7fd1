/* SPDX-License-Identifier: MIT */
#include "report/deflate/deflate_block.h"

#include "report/deflate/bit_writer.h"
#include "report/deflate/match_finder.h"
#include "report/deflate/prefix_code.h"

/* RFC 1951, 3.2.5 to 3.2.7: how many symbols each code has. */
enum {
	END_OF_BLOCK = 256,
	LENGTHS_FROM = 257,
	LENGTH_OF_258 = 285,
	LITERALS = 286,
	DISTANCES = 30,
	CODE_LENGTHS = 19,
};
enum { CODE_LENGTH_LONGEST = 7 };
enum { IS_LAST = 1, DYNAMIC = 2 };

/* A length or a distance: its symbol, and bits that follow it. */
struct symbol {
	uint32_t number;
	uint32_t extra;
	uint32_t extra_bits;
};

/* Bits ready to be written. */
struct ready {
	uint32_t bits;
	uint32_t count;
};

struct block {
	uint32_t literal_counts[LITERALS];
	uint32_t distance_counts[DISTANCES];
	struct prefix_code literals;
	struct prefix_code distances;
	struct ready lengths[MATCH_LONGEST + 1];
};

static uint32_t top_bit(uint32_t number)
{
	return 31 - (uint32_t)__builtin_clz(number);
}

/* Of @number, all bits but the first @kept are extra ones. */
static struct symbol split(uint32_t number, uint32_t kept)
{
	uint32_t extra_bits = number >> kept ? top_bit(number) + 1 - kept : 0;

	return (struct symbol){
		.number = (extra_bits << (kept - 1)) + (number >> extra_bits),
		.extra = number & ((1u << extra_bits) - 1),
		.extra_bits = extra_bits,
	};
}

static struct symbol length_symbol(uint32_t length)
{
	struct symbol symbol = split(length - 3, 3);

	symbol.number += LENGTHS_FROM;
	return length == MATCH_LONGEST ?
		       (struct symbol){ .number = LENGTH_OF_258 } :
		       symbol;
}

static struct symbol distance_symbol(uint32_t distance)
{
	return split(distance - 1, 2);
}

static void count_symbols(struct block *block, const uint8_t *bytes,
			  const struct match *matches, size_t count)
{
	for (const struct match *match = matches; match < matches + count;
	     match++) {
		for (uint32_t i = 0; i < match->literals; i++)
			block->literal_counts[*bytes++]++;
		if (!match->length)
			continue;
		block->literal_counts[length_symbol(match->length).number]++;
		block->distance_counts[distance_symbol(match->distance).number]++;
		bytes += match->length;
	}
	block->literal_counts[END_OF_BLOCK]++;
}

static struct ready with_extra(const struct prefix_code *code,
			       struct symbol symbol)
{
	uint32_t length = code->lengths[symbol.number];

	return (struct ready){
		.bits = code->bits[symbol.number] | symbol.extra << length,
		.count = length + symbol.extra_bits,
	};
}

static void make_codes(struct block *block)
{
	block->literals = prefix_code_of(block->literal_counts, LITERALS,
					 PREFIX_CODE_LONGEST);
	block->distances = prefix_code_of(block->distance_counts, DISTANCES,
					  PREFIX_CODE_LONGEST);
	for (uint32_t i = 3; i <= MATCH_LONGEST; i++)
		block->lengths[i] =
			with_extra(&block->literals, length_symbol(i));
}

static void put_symbol(struct bit_writer *writer,
		       const struct prefix_code *code, uint32_t symbol)
{
	bit_writer_put(writer, code->bits[symbol], code->lengths[symbol]);
}

/* The lengths of both codes, which are written in a third one. */
static void write_codes(struct bit_writer *writer, const struct block *block)
{
	static const uint8_t order[CODE_LENGTHS] = { 16, 17, 18, 0,  8, 7,  9,
						     6,	 10, 5,	 11, 4, 12, 3,
						     13, 2,  14, 1,  15 };
	uint32_t counts[CODE_LENGTHS] = { 0 };
	struct prefix_code code;

	for (uint32_t i = 0; i < LITERALS; i++)
		counts[block->literals.lengths[i]]++;
	for (uint32_t i = 0; i < DISTANCES; i++)
		counts[block->distances.lengths[i]]++;
	code = prefix_code_of(counts, CODE_LENGTHS, CODE_LENGTH_LONGEST);
	bit_writer_put(writer, LITERALS - 257, 5);
	bit_writer_put(writer, DISTANCES - 1, 5);
	bit_writer_put(writer, CODE_LENGTHS - 4, 4);
	for (uint32_t i = 0; i < CODE_LENGTHS; i++)
		bit_writer_put(writer, code.lengths[order[i]], 3);
	for (uint32_t i = 0; i < LITERALS; i++)
		put_symbol(writer, &code, block->literals.lengths[i]);
	for (uint32_t i = 0; i < DISTANCES; i++)
		put_symbol(writer, &code, block->distances.lengths[i]);
}

static void write_match(struct bit_writer *writer, const struct block *block,
			const struct match *match)
{
	struct ready length = block->lengths[match->length];
	struct ready distance =
		with_extra(&block->distances, distance_symbol(match->distance));

	bit_writer_put(writer,
		       length.bits | (uint64_t)distance.bits << length.count,
		       length.count + distance.count);
}

void deflate_block_write(struct bit_writer *writer, const uint8_t *bytes,
			 const struct match *matches, size_t count)
{
	struct block block = { .literal_counts = { 0 } };
	struct bit_writer local = *writer;

	count_symbols(&block, bytes, matches, count);
	make_codes(&block);
	bit_writer_put(&local, IS_LAST | DYNAMIC << 1, 3);
	write_codes(&local, &block);
	for (const struct match *match = matches; match < matches + count;
	     match++) {
		for (uint32_t i = 0; i < match->literals; i++)
			put_symbol(&local, &block.literals, *bytes++);
		if (match->length)
			write_match(&local, &block, match);
		bytes += match->length;
	}
	put_symbol(&local, &block.literals, END_OF_BLOCK);
	*writer = local;
}
