/*
** matrix.h - the opcodes of tensor cores, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", as data: PTX ISA 9.7.14.
**
** A product is D = A B + C; A has m rows and k columns, B k rows and n columns, C and D m rows and n columns.
*/
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum ptx_element {
  PTX_E_NONE, PTX_E_F16, PTX_E_BF16, PTX_E_TF32, PTX_E_E4M3, PTX_E_E5M2, PTX_E_F32, PTX_E_F64,
  PTX_E_S8, PTX_E_U8, PTX_E_S4, PTX_E_U4, PTX_E_B1, PTX_E_S32
} ptx_element;

typedef enum ptx_matrix_action {
  PTX_M_MULTIPLY,  /* mma, wmma.mma */
  PTX_M_LOAD,      /* wmma.load: a fragment of a matrix in memory with a stride */
  PTX_M_STORE,     /* wmma.store */
  PTX_M_LOAD_ROWS, /* ldmatrix: 8 x 8 matrices of 16-bit elements, each row at the address that a lane gives */
  PTX_M_STORE_ROWS,/* stmatrix */
  PTX_M_TRANSPOSE  /* movmatrix */
} ptx_matrix_action;

enum { PTX_D, PTX_A, PTX_B, PTX_C, PTX_NFRAGMENTS }; /* in the order of operands */

typedef struct ptx_matrix {
  uint8_t action;   /* ptx_matrix_action */
  bool wmma, sparse, satfinite;
  bool both;        /* b1: bits of A and B are combined by and, else by xor, then counted */
  bool column[2];   /* A and B are column-major; of load and store [0]: the matrix is */
  uint8_t fragment; /* load, store: PTX_A … */
  uint8_t m, n;
  uint16_t k;
  uint8_t count;    /* ldmatrix, stmatrix: 1, 2, 4 matrices */
  bool transposed;  /* ldmatrix, stmatrix: .trans */
  uint8_t space;    /* ptx_space */
  uint8_t element[PTX_NFRAGMENTS]; /* ptx_element */
  uint8_t nregs[PTX_NFRAGMENTS];   /* registers of each fragment; 32 bits each, of f64 64; 0: no operand */
} ptx_matrix;

/* Bits of an element in memory and registers. */
int ptx_element_bits(int element);

/* Reads an opcode's text.  False: there is no instruction of that shape and these types. */
bool ptx_matrix_read(const char *text, ptx_matrix *m);

/* Whether it has an address, as its first source. */
static inline bool ptx_matrix_in_memory(const ptx_matrix *m) {
  return m->action >= PTX_M_LOAD && m->action <= PTX_M_STORE_ROWS;
}

/* A product by blocks of 8 rows and columns (simd/matrix.h): C and D have down x across of them, A has down x along
** registers, numbered down first, B along x across, numbered along k first; a register has `parts` words. */
typedef struct ptx_blocks {
  uint8_t down, across, along, parts;
} ptx_blocks;

/* False: a product of f64 or b1, or f16 of shape m8n8k4. */
bool ptx_matrix_blocks(const ptx_matrix *m, ptx_blocks *b);
