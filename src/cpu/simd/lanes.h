/*
** lanes.h - what natively compiled kernels include: values of W lanes and what PTX instructions do to them.
**
** interp/op_names.c says which function does an instruction: v_NAME on V32, V64 and P, s_NAME on uniform values.
** Results are bit for bit those of tier 0 (ops/), NaN payloads apart.
*/
#pragma once

#include "half.h"
