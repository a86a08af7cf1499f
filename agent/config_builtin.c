#include "agent/config.h"
#include "agent/media.h"

/* Names of models age: any other name works as well. */
const struct config_builtin config_builtins[CONFIG_BUILTINS] = {
    {
        .id = "openai",
        .key_env = "OPENAI_API_KEY",
        .base_env = "OPENAI_BASE_URL",
        .base = "https://api.openai.com/v1",

        .model = "gpt-5",
        .max_tokens_name = "max_completion_tokens",
        .models = {{"gpt-5", "minimal low medium high", MEDIA_IMAGE},
                   {"gpt-5-mini", "minimal low medium high", MEDIA_IMAGE},
                   {"gpt-5-nano", "minimal low medium high", MEDIA_IMAGE},
                   {"gpt-4.1", "", MEDIA_IMAGE}},
    },
    {
        .id = "anthropic",
        .key_env = "ANTHROPIC_API_KEY",
        .base_env = "ANTHROPIC_BASE_URL",
        .base = "https://api.anthropic.com",
        .dialect = "anthropic",
        .model = "claude-sonnet-4-5",
        .models = {{"claude-sonnet-4-5", "", MEDIA_IMAGE},
                   {"claude-haiku-4-5", "", MEDIA_IMAGE},
                   {"claude-opus-4-1", "", MEDIA_IMAGE}},
    },
    {
        .id = "gemini",
        .key_env = "GEMINI_API_KEY",
        .base_env = "GOOGLE_GEMINI_BASE_URL",
        .base = "https://generativelanguage.googleapis.com",
        .dialect = "gemini",
        .model = "gemini-2.5-flash",
        .models = {{"gemini-2.5-flash", "", MEDIA_IMAGE | MEDIA_AUDIO},
                   {"gemini-2.5-pro", "", MEDIA_IMAGE | MEDIA_AUDIO}},
    },
    {
        .id = "deepseek",
        .key_env = "DEEPSEEK_API_KEY",
        .base_env = "DEEPSEEK_BASE_URL",
        .base = "https://api.deepseek.com",

        .model = "deepseek-chat",
        .max_tokens_name = "max_tokens",
        .echo_thought = true,
        .models = {{"deepseek-chat", "", 0}, {"deepseek-reasoner", "", 0}},
    },
    {
        .id = "openrouter",
        .key_env = "OPENROUTER_API_KEY",
        .base_env = "OPENROUTER_BASE_URL",
        .base = "https://openrouter.ai/api/v1",

        .model = "openrouter/auto",
        .max_tokens_name = "max_tokens",
        .models = {{"openrouter/auto", "", 0}},
    },
    {
        .id = "ollama",
        .base_env = "OLLAMA_HOST",
        .base = "http://127.0.0.1:11434/v1",

        .max_tokens_name = "max_tokens",
    },
    {
        .id = "lm-studio",
        .base = "http://127.0.0.1:1234/v1",

        .max_tokens_name = "max_tokens",
    },
    {
        .id = "vllm",
        .base = "http://127.0.0.1:8000/v1",

        .max_tokens_name = "max_tokens",
    },
};
