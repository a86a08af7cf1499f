#ifndef AGENT_MCP_CONTENT_H
#define AGENT_MCP_CONTENT_H

#include "agent/tool.h"

/* What a result of tools/call comes to, for model and client: texts, pictures, sounds, resources
 * and structured values. Of what is broken its JSON is shown. Fills *ret (tool_result_deinit it in
 * any case). 0 or E_NOMEM. */
int mcp_content_read(const cJSON *result, struct tool_result *ret);

#endif
