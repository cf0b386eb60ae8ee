/* A PNG file is a signature and chunks: IHDR (the shape), IDAT (the pixels, as a zlib stream), IEND. zlib
 * allows blocks that are stored as they are, so that no compressor is needed. */
#include "picture.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 65535 /* most bytes of a stored block */
};

static void put32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint32_t crc32(const uint8_t *byte, size_t size)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < size; i++) {
        crc ^= byte[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static uint32_t adler32(const uint8_t *byte, size_t size)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + byte[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/* Writes a chunk whose 8 bytes of length and type lie before its data, and 4 for the checksum behind it. */
static void chunk_write(FILE *file, const char *type, uint8_t *chunk, size_t size)
{
    put32(chunk, (uint32_t)size);
    memcpy(chunk + 4, type, 4);
    put32(chunk + 8 + size, crc32(chunk + 4, 4 + size));
    fwrite(chunk, 1, size + 12, file);
}

/* The zlib stream of these bytes, in stored blocks; returns its size. */
static size_t stream_fill(uint8_t *stream, const uint8_t *byte, size_t size)
{
    uint8_t *at = stream;
    *at++ = 0x78;
    *at++ = 0x01;
    for (size_t done = 0; done < size;) {
        size_t part = size - done < BLOCK ? size - done : BLOCK;
        uint8_t head[5] = {done + part == size, part & 255, (uint8_t)(part >> 8), ~part & 255,
                           (uint8_t)(~part >> 8)};
        memcpy(at, head, sizeof head);
        memcpy(at + sizeof head, byte + done, part);
        at += sizeof head + part;
        done += part;
    }
    put32(at, adler32(byte, size));
    return (size_t)(at + 4 - stream);
}

/* Colour of a value in [0, 1]. */
static void colour_fill(uint8_t rgb[3], double value)
{
    static const double map[][3] = {{0, 0, 4},      {31, 12, 72},   {85, 15, 109},
                                    {136, 34, 106}, {186, 54, 85},  {227, 89, 51},
                                    {249, 140, 10}, {249, 201, 50}, {252, 255, 164}};
    const int last = sizeof map / sizeof map[0] - 1;
    double x = (value < 0 ? 0 : value > 1 ? 1 : value) * last;
    int i = x < last ? (int)x : last - 1;
    for (int c = 0; c < 3; c++)
        rgb[c] = (uint8_t)(map[i][c] + (x - i) * (map[i + 1][c] - map[i][c]) + 0.5);
}

static int file_write(const char *path, uint8_t *header, uint8_t *data, size_t size)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    uint8_t end[12];
    FILE *file = fopen(path, "wb");
    if (!file)
        return errno;
    fwrite(signature, 1, sizeof signature, file);
    chunk_write(file, "IHDR", header, 13);
    chunk_write(file, "IDAT", data, size);
    chunk_write(file, "IEND", end, 0);
    int failed = ferror(file);
    return fclose(file) || failed ? EIO : 0;
}

int picture_write(const char *path, const double *value, int width, int height, double low, double high)
{
    size_t line = 1 + 3 * (size_t)width, size = line * (size_t)height;
    uint8_t header[25] = {0};
    uint8_t *pixel = calloc(size, 1); /* each line starts with its filter: 0, none */
    uint8_t *data = malloc(8 + 2 + size + 5 * (size / BLOCK + 1) + 4 + 4);
    int error = ENOMEM;
    if (pixel && data) {
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                colour_fill(pixel + (size_t)y * line + 1 + 3 * (size_t)x,
                            (value[(size_t)y * (size_t)width + (size_t)x] - low) / (high - low));
        put32(header + 8, (uint32_t)width);
        put32(header + 12, (uint32_t)height);
        header[16] = 8; /* bits per colour */
        header[17] = 2; /* red, green, blue */
        error = file_write(path, header, data, stream_fill(data + 8, pixel, size));
    }
    free(data);
    free(pixel);
    return error;
}
