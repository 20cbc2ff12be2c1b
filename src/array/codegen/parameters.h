/*
** parameters.h - the parameters of a generated kernel, in their order.  Their declarations (operands.c) and the values
** of a launch (run.c) are made from one walk.
*/
#pragma once

#include <stdint.h>

#include "array/codegen/ir.h"
#include "array/codegen/program.h"

typedef enum dc_parameter_kind {
  DC_PARAMETER_ADDRESS, /* of `operand` */
  DC_PARAMETER_INDEX,   /* `value`, called `name` */
  DC_PARAMETER_WORD,    /* the same, of 64 bits */
  DC_PARAMETER_STRIDE,  /* `value`, of `operand` along axis `number` */
  DC_PARAMETER_EXTENT,  /* `value`, along axis `number` or `name`; and what divides by it: see dc_schedule_multiplies */
  DC_PARAMETER_NUMBER   /* the IR's number `number` */
} dc_parameter_kind;

/* Which INDEX or WORD differs from one launch of a program to the next, or with the number of elements alone. */
typedef enum dc_argument { DC_NO_ARGUMENT, DC_ARGUMENT_COUNT, DC_ARGUMENT_MAILBOX, DC_ARGUMENT_SEQUENCE } dc_argument;

typedef struct dc_parameter {
  dc_parameter_kind kind;
  dc_argument argument;
  int number;
  const char *name;
  const dc_operand *operand;
  uint64_t value;
} dc_parameter;

typedef void dc_parameter_see(void *ud, const dc_parameter *parameter);

/* `turn`: the value of that parameter, which the program does not have. */
void dc_parameters_each(const dc_program *p, uint64_t turn, dc_parameter_see *see, void *ud);
