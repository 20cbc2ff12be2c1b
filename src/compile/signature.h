/*
** signature.h - parameter types of kernels, from the compiler itself.
**
** A template is appended to the source; the lowered (mangled) name of its instance for a kernel spells the
** kernel's resolved parameter types, and a list of numbers with the size and alignment of each.
*/
#ifndef DC_COMPILE_SIGNATURE_H
#define DC_COMPILE_SIGNATURE_H

#include "compile/compile.h"
#include "compile/scan.h"

/* The text to append. Its lines carry another file name, so they never show as lines of the source. */
extern const char dc_signature_prelude[];
#define DC_SIGNATURE_FILE "/dotcompute_signatures"
/* The name of such an instance in the image begins with it. */
#define DC_SIGNATURE_MARK "_Z7dc_sig_I"

/* The name expression that asks for kernel `name` ("ns::k", "scale<float>"), malloc'ed; NULL out of memory. */
char *dc_signature_query(const char *name);

/* Fills sig's types from the query's lowered name, or from a pointer to a kernel's function type alone ("PFvPfiE").
** What cannot be understood leaves sig->typed false and is DC_COMPILE. */
int dc_signature_types(const char *mangled, dc_signature *sig, dc_error *err);

/* Sets name, lowered, line and parameter names and the text for messages; `scanned` may be NULL. */
int dc_signature_finish(dc_signature *sig, const char *name, const char *lowered, const dc_scanned *scanned,
                        dc_error *err);

/* The same for a signature whose parameters have their names already: name (as lowered) and text. */
int dc_signature_name(dc_signature *sig, const char *lowered, dc_error *err);

/* "saxpy(int n, float a, const float *x, float *y)", malloc'ed; NULL out of memory. */
char *dc_signature_spell(const dc_signature *sig);

/* A signature from an entry's name alone: "_Z1kPfi" is "k(float *, int)", typed; a name that is not mangled, or
** not understood, stays as it is, untyped. */
int dc_signature_of_entry(dc_signature *sig, const char *lowered, dc_error *err);

/* What a class's name means: sets cls, dtype and lanes for CUDA's vectors, half types and the libraries' complex ones;
** DC_CT_STRUCT for all others. */
void dc_ctype_classify(const char *name, dc_ctype *t);

void dc_signature_free(dc_signature *sig);

#endif
