/* picture: a field of numbers as a PNG file, without a library. */
#ifndef HEAT_PICTURE_H
#define HEAT_PICTURE_H

/* Writes width x height values, row by row, as colours from low (black) over purple and orange to high (pale
 * yellow). Returns 0, or the errno of what went wrong. */
int picture_write(const char *path, const double *value, int width, int height, double low, double high);

#endif
