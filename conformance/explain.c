#include "conformance/explain.h"

#include "base/buf.h"
#include "base/err.h"
#include "conformance/mutant.h"
#include "conformance/style.h"
#include "json/json.h"

static int add_value(struct buf *out, const cJSON *json, size_t max)
{
    int rc = style_add_json(out, json, max);
    return rc < 0 ? rc : buf_addc(out, '\n');
}

static int add_fact(struct buf *out, const char *name, const cJSON *json, size_t max)
{
    int rc = json ? buf_addf(out, "  %s ", name) : 0;
    return rc < 0 || !json ? rc : add_value(out, json, max);
}

static int add_list(struct buf *out, const char *title, const cJSON *list, size_t max)
{
    const cJSON *item;
    int i = 0;
    int rc = cJSON_GetArraySize(list) > 0 ? buf_addf(out, "\n  %s\n", title) : 0;
    cJSON_ArrayForEach(item, list)
    {
        rc = rc < 0 ? rc : buf_addf(out, "    %2d  ", i++);
        rc = rc < 0 ? rc : add_value(out, item, max);
    }
    return rc;
}

static int add_mutant(struct buf *out, const cJSON *mutant, size_t max)
{
    struct buf text = {0};
    int rc = mutant_describe(mutant, &text);
    rc = rc < 0 ? rc : buf_adds(out, "    ");
    rc = rc < 0 ? rc : style_add_line(out, text.p, text.n, max);
    rc = rc < 0 ? rc : buf_addc(out, '\n');
    buf_deinit(&text);
    rc = rc < 0 ? rc : buf_adds(out, "      fails ");
    return rc < 0 ? rc : add_value(out, json_get(mutant, "fails"), max);
}

static int add_mutants(struct buf *out, const cJSON *mutants, size_t max)
{
    const cJSON *mutant;
    int rc = cJSON_GetArraySize(mutants) > 0 ? buf_adds(out, "\n  shown to fail by\n") : 0;
    cJSON_ArrayForEach(mutant, mutants) rc = rc < 0 ? rc : add_mutant(out, mutant, max);
    return rc;
}

int explain_play(const cJSON *json, size_t max, struct buf *out)
{
    static const char *const facts[] = {"needs", "tags", "handshake", "client", "files", "env"};
    const cJSON *model = json_get(json, "model");
    const cJSON *turns = cJSON_IsArray(model) ? model : json_get(model, "turns");
    int rc = buf_addc(out, '\n');
    for (size_t i = 0; i < ARRAY_LEN(facts) && rc == 0; i++)
        rc = add_fact(out, facts[i], json_get(json, facts[i]), max);
    rc = rc < 0 ? rc : add_list(out, "the model's turns", turns, max);
    rc = rc < 0 ? rc : add_list(out, "steps", json_get(json, "steps"), max);
    return rc < 0 ? rc : add_mutants(out, json_get(json, "mutants"), max);
}
