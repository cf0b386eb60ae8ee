/* category: groups of variables (MPI-5.0 section 16.3.9), the rows of metric_category_table. They never change. */
#ifndef TOOL_CATEGORY_H
#define TOOL_CATEGORY_H

int category_get_num(int *num_cat);
int category_get_info(int cat_index, char *name, int *name_len, char *desc, int *desc_len, int *num_cvars,
                      int *num_pvars, int *num_categories);
int category_get_num_events(int cat_index, int *num_events);
int category_get_index(const char *name, int *cat_index);
int category_get_cvars(int cat_index, int len, int indices[]);
int category_get_pvars(int cat_index, int len, int indices[]);
int category_get_events(int cat_index, int len, int indices[]);
int category_get_categories(int cat_index, int len, int indices[]);
int category_changed(int *update_number);

#endif
