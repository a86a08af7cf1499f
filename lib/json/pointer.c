#include "json/pointer.h"

#include "base/err.h"
#include "json/json.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* One reference token, "/a~1b" -> "a/b". */
struct token {
    const char *p;
    size_t n;
};

/* Moves *pointer, which stands at a '/', behind its token. */
static struct token token_next(const char **pointer)
{
    struct token t = {*pointer + 1, strcspn(*pointer + 1, "/")};
    *pointer = t.p + t.n;
    return t;
}

static bool token_equals(struct token t, const char *name)
{
    size_t i = 0;
    for (; i < t.n; i++, name++) {
        char c = t.p[i];
        if (c == '~')
            c = t.p[++i] == '1' ? '/' : '~';
        if (!*name || c != *name)
            return false;
    }
    return !*name;
}

/* The owned text of a token; NULL: out of memory. */
static char *token_text(struct token t)
{
    char *text = malloc(t.n + 1);
    size_t len = 0;
    if (!text)
        return NULL;
    for (size_t i = 0; i < t.n; i++, len++)
        text[len] = t.p[i] != '~' ? t.p[i] : t.p[++i] == '1' ? '/' : '~';
    text[len] = '\0';
    return text;
}

/* RFC 6901: digits without leading zeros. -1 if the token is no index. */
static int token_index(struct token t)
{
    int v = 0;
    if (t.n == 0 || (t.n > 1 && t.p[0] == '0'))
        return -1;
    for (size_t i = 0; i < t.n; i++) {
        if (t.p[i] < '0' || t.p[i] > '9' || v > (INT_MAX - 9) / 10)
            return -1;
        v = v * 10 + (t.p[i] - '0');
    }
    return v;
}

static cJSON *child_of(const cJSON *parent, struct token t)
{
    cJSON *found = NULL;
    if (cJSON_IsArray(parent))
        return token_index(t) < 0 ? NULL : cJSON_GetArrayItem(parent, token_index(t));
    if (!cJSON_IsObject(parent))
        return NULL;
    for (cJSON *child = parent->child; child; child = child->next)
        if (child->string && token_equals(t, child->string))
            found = child;
    return found;
}

bool json_pointer_valid(const char *pointer)
{
    if (*pointer && *pointer != '/')
        return false;
    for (const char *tilde = strchr(pointer, '~'); tilde; tilde = strchr(tilde + 1, '~'))
        if (tilde[1] != '0' && tilde[1] != '1')
            return false;
    return true;
}

cJSON *json_pointer(cJSON *root, const char *pointer)
{
    if (!json_pointer_valid(pointer))
        return NULL;
    while (root && *pointer)
        root = child_of(root, token_next(&pointer));
    return root;
}

/* The parent of what the pointer names, and the last token. NULL: leads nowhere. */
static cJSON *parent_of(cJSON *root, const char *pointer, struct token *ret_last)
{
    struct token t = token_next(&pointer);
    while (root && *pointer) {
        root = child_of(root, t);
        t = token_next(&pointer);
    }
    *ret_last = t;
    return root;
}

/* The item keeps its place and its name, and becomes what value was. */
static void item_become(cJSON *item, cJSON *value)
{
    cJSON old = *item;
    *item = *value;
    *value = old;
    value->next = item->next;
    value->prev = item->prev;
    item->next = old.next;
    item->prev = old.prev;
    char *name = value->string;
    value->string = item->string;
    item->string = name;
    int constant = cJSON_StringIsConst;
    int item_flag = item->type & constant;
    item->type = (item->type & ~constant) | (old.type & constant);
    value->type = (value->type & ~constant) | item_flag;
    cJSON_Delete(value);
}

static int object_set(cJSON *parent, struct token t, cJSON *value)
{
    char *name = token_text(t);
    int rc = name && cJSON_AddItemToObject(parent, name, value) ? 0 : E_NOMEM;
    free(name);
    return rc;
}

/* By hand: Debian 12's cJSON refuses every cJSON_InsertItemInArray that is not at an end. */
static void insert_before(cJSON *array, cJSON *at, cJSON *item)
{
    item->next = at;
    item->prev = at->prev; /* the first one's prev is the last, and stays so */
    at->prev = item;
    if (array->child == at)
        array->child = item;
    else
        item->prev->next = item;
}

static int array_set(cJSON *array, struct token t, cJSON *value)
{
    int size = cJSON_GetArraySize(array);
    int at = t.n == 1 && t.p[0] == '-' ? size : token_index(t);
    if (at < 0 || at > size)
        return E_NOTFOUND;
    if (at < size)
        insert_before(array, cJSON_GetArrayItem(array, at), value);
    else
        cJSON_AddItemToArray(array, value);
    return 0;
}

static int place(cJSON *root, const char *pointer, cJSON *value, bool insert)
{
    struct token last = {"", 0};
    if (!json_pointer_valid(pointer))
        return E_INVALID;
    cJSON *there = json_pointer(root, pointer), *parent = NULL;
    if (*pointer)
        parent = parent_of(root, pointer, &last);
    if (there && !(insert && cJSON_IsArray(parent))) {
        item_become(there, value);
        return 0;
    }
    int rc = E_NOTFOUND;
    if (cJSON_IsObject(parent))
        rc = object_set(parent, last, value);
    else if (parent && cJSON_IsArray(parent))
        rc = array_set(parent, last, value);
    return rc;
}

static int place_or_delete(cJSON *root, const char *pointer, cJSON *value, bool insert)
{
    if (!value)
        return E_NOMEM; /* so that cJSON_Create...() can stand right in the call */
    int rc = place(root, pointer, value, insert);
    if (rc < 0)
        cJSON_Delete(value);
    return rc;
}

int json_pointer_set(cJSON *root, const char *pointer, cJSON *value)
{
    return place_or_delete(root, pointer, value, false);
}

int json_pointer_add(cJSON *root, const char *pointer, cJSON *value)
{
    return place_or_delete(root, pointer, value, true);
}

int json_pointer_remove(cJSON *root, const char *pointer)
{
    struct token last = {"", 0};
    if (!*pointer || !json_pointer_valid(pointer))
        return E_INVALID;
    cJSON *item = json_pointer(root, pointer);
    if (!item)
        return E_NOTFOUND;
    cJSON_Delete(cJSON_DetachItemViaPointer(parent_of(root, pointer, &last), item));
    return 0;
}
