#include "acp/schema.h"

#include "base/err.h"

#include "acp/schema_v1.inc"

_Static_assert(V1_COVER <= SCHEMA_MAX_COVER, "raise SCHEMA_MAX_COVER");

const struct schema schema_v1 = {
    .defs = v1_defs,
    .texts = v1_texts,
    .lists = v1_lists,
    .props = v1_props,
    .nodes = v1_nodes,
    .methods = v1_methods,
    .def_n = ARRAY_LEN(v1_defs),
    .node_n = ARRAY_LEN(v1_nodes),
    .method_n = ARRAY_LEN(v1_methods),
};
