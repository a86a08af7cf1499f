#ifndef CONFORMANCE_WIRE_INTERNAL_H
#define CONFORMANCE_WIRE_INTERNAL_H

#include "conformance/wire.h"

/* What wire.c (bytes and messages) and wire_state.c (calls and sessions) share. */

/* Brings calls and sessions up to the message and fills its call and session. */
void wire_note(struct wire *w, struct wire_msg *m);

#endif
