/*
** emit_matrix.h - tensor cores by blocks (simd/matrix.h): products, where their sums stay, decoded factors; loads.
**
** Registers of C and D are not C variables but memory behind the values that a suspension saves: products change them
** in place, and nothing is saved at barriers.  C and D of a product share it wherever liveness allows, and so do the
** registers of a loop's copies.  A factor is decoded to an array of its own where it is first used; the next products
** of straight-line code use the array until one of its registers changes.  Products that follow each other and have a
** factor in common are one call.
*/
#pragma once

#include "cpu/codegen/emitter.h"

/* Fills e->sum_at.  -1: out of memory. */
int dc_emit_place_sums(emitter *e);

/* True: the operation is written, a product by blocks, ldmatrix, or wmma.load of 8 rows or columns of 16 bytes each. */
bool dc_emit_matrix(emitter *e, const ptx_ins *ins, int32_t index, const char *mask);

/* Whether it is a product by blocks.  Such products wait for more of them, in straight-line code; dc_emit_end_products
** writes them, before anything else. */
bool dc_emit_is_product(const dc_uop *o);
void dc_emit_end_products(emitter *e);

/* Whether it copies a sum to its own place. */
bool dc_emit_is_in_place(const emitter *e, const ptx_ins *ins);

/* The operation changes its results: factors made of them are decoded again. */
void dc_emit_forget_factors(emitter *e, const ptx_ins *ins);

/* Declarations: before the function, and in it. */
void dc_emit_matrix_head(emitter *e);
void dc_emit_matrix_variables(emitter *e);
