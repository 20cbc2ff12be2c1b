/* Members of dc_any (host_any.h): those that the source uses, once errors have shown them. */
