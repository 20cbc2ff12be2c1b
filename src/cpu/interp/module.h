/*
** module.h - PTX text to loaded code: its variables laid out and filled in, its functions listed.
*/
#ifndef DC_CPU_INTERP_MODULE_H
#define DC_CPU_INTERP_MODULE_H

#include "base/error.h"
#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"
#include "cpu/ptx/ptx.h"

int dc_code_load(dc_cpu_device *cpu, const char *text, size_t len, struct dc_code **out, dc_error *err);
void dc_code_unload(struct dc_code *code);

/* The function that lies at this address, or NULL. */
dc_cpu_function *dc_code_function_at(const struct dc_code *code, uint64_t address);
dc_cpu_function *dc_code_function_of(const struct dc_code *code, const ptx_func *f);

/* Where a variable is, in its space; global: the host address. */
int64_t dc_code_address(const struct dc_code *code, const ptx_sym *sym);

#endif
