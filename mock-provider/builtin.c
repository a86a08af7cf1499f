#include "script.h"

const char *script_builtin(void)
{
    return "[]";
}
