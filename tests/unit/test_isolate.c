#include "conformance/isolate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Inside: loopback is the only interface, and we are one of the first processes. */
static int look_around(void)
{
    char line[256];
    unsigned others = 0;
    FILE *f = fopen("/proc/net/dev", "re");
    while (f && fgets(line, sizeof line, f))
        others += strchr(line, ':') && !strstr(line, "lo:");
    if (f)
        fclose(f);
    return f && others == 0 && getpid() < 10 ? 7 : 8;
}

static void inside_there_is_loopback_only(void **state)
{
    int code = 0;
    char err[128] = "";
    (void)state;
    int rc = isolate_enter(&code, err, sizeof err);
    if (rc == 0)
        _exit(look_around());
    if (rc < 0) {
        assert_true(err[0]);
        print_message("not here: %s\n", err);
        skip();
    }
    assert_int_equal(rc, 1);
    assert_int_equal(code, 7);
}

/* A daemon holds the pipe open for a minute; it has gone when the harness has. */
static void daemons_end_with_it(void **state)
{
    int code = 0, fds[2];
    char err[128], byte;
    (void)state;
    assert_int_equal(pipe(fds), 0);
    int rc = isolate_enter(&code, err, sizeof err);
    if (rc == 0) {
        if (fork() == 0) {
            setsid();
            if (fork() == 0)
                sleep(60);
            _exit(0);
        }
        _exit(3);
    }
    if (rc < 0)
        skip();
    close(fds[1]);
    assert_int_equal(code, 3);
    alarm(30);
    assert_int_equal(read(fds[0], &byte, 1), 0);
    close(fds[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inside_there_is_loopback_only),
        cmocka_unit_test(daemons_end_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
