/* Runs a fuzz target over every file of the folders given: the seeds, without libFuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads the whole file into memory of exactly its size, so that reading past its end is caught. */
static uint8_t *read_whole(FILE *f, size_t *ret_size)
{
    uint8_t *data = NULL;
    long size;
    if (fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0)
        return NULL;
    rewind(f);
    data = malloc(size > 0 ? (size_t)size : 1);
    if (data && fread(data, 1, (size_t)size, f) != (size_t)size) {
        free(data);
        return NULL;
    }
    *ret_size = (size_t)size;
    return data;
}

static int replay_file(const char *path)
{
    size_t size = 0;
    FILE *f = fopen(path, "rb");
    uint8_t *data = f ? read_whole(f, &size) : NULL;
    if (f)
        fclose(f);
    if (!data) {
        perror(path);
        return -1;
    }
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 0;
}

/* How many files were replayed, -1 if one could not be read. */
static int replay_folder(const char *folder)
{
    int done = 0;
    DIR *dir = opendir(folder);
    if (!dir) {
        perror(folder);
        return -1;
    }
    for (struct dirent *e; done >= 0 && (e = readdir(dir)) != NULL;) {
        char path[4096];
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        done = replay_file(path) < 0 ? -1 : done + 1;
    }
    closedir(dir);
    return done;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int done = replay_folder(argv[i]);
        if (done <= 0) {
            fprintf(stderr, "replay: no seeds replayed from %s\n", argv[i]);
            return 1;
        }
        printf("%s: %d seeds\n", argv[i], done);
    }
    return argc > 1 ? 0 : 2;
}
