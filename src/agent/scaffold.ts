import { DEFAULT_MODEL } from '../lib/defaults.js';
import { ACTION_ADDRESS, agentSchemaUrl } from '../lib/product.js';

/**
 * The model of a new agent file, as in axe. No provider has this name, so no run starts with it.
 */
export const PLACEHOLDER_MODEL = 'provider/model-name';

/**
 * The text of a new agent file: the required keys, and other common ones in comments. The first
 * line names the schema for editors. axe's keys have axe's example values and order.
 */
export function scaffoldAgent(name: string): string {
  return `#:schema ${agentSchemaUrl(ACTION_ADDRESS)}
name = ${tomlString(name)}
description = ""

# Fill in: provider and model, for example "${DEFAULT_MODEL}" or "ollama/llama3".
model = "${PLACEHOLDER_MODEL}"

# Everything below is optional. Remove the "# " in front of a key to set it, and in front of its [table] as well.
# These are the usual keys; an editor that reads the schema in the first line offers the others.

# Who the agent is and how it works.
# system_prompt = ""

# A SKILL.md with the steps of its task; \`--skill\` takes another one for a single run.
# skill = ""

# Files to send along: globs that count from workdir.
# files = []

# The folder that files count from; the current one if it is not set.
# workdir = ""

# Tools that the model may call, for example ["read_file", "search_files"].
# tools = []

# Agents this one may ask for help.
# sub_agents = []

# [sub_agents_config]
# max_depth = 3
# parallel = true
# timeout = 120

# What it remembers from run to run. Without last_n it gets the newest entries and those about the same files; max_entries only warns.
# With notes = true it keeps notes of its own as well.
# [memory]
# enabled = false
# path = ""
# last_n = 10
# max_entries = 100
# notes = false

# Sent to the model.
# [params]
# temperature = 0.3
# max_tokens = 4096
# effort = "medium"

# Maximum input and output tokens of a run, sub-agents included; 0 is no limit.
# [budget]
# max_tokens = 0

# Tools of MCP servers: one table for each server.
# [[mcp_servers]]
# name = "issues"
# transport = "streamable-http"
# url = "https://mcp.example.com/mcp"
# headers = { Authorization = "Bearer \${MCP_TOKEN}" }
`;
}

/** A TOML basic string. TOML has JSON's escapes, but DEL must be escaped too. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
