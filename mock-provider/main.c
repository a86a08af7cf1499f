#include "cli.h"

#include "uvio/loop.h"

int main(int argc, char **argv)
{
    struct cli cli;
    int code = cli_parse(argc, argv, &cli);
    if (code >= 0)
        return code;
    loop_setup_process();
    return cli_run(&cli);
}
