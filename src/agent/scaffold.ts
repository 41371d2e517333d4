import { DEFAULT_MODEL } from '../lib/defaults.js';
import { ACTION_ADDRESS, agentSchemaUrl } from '../lib/product.js';

/** The model of a new agent file, as axe writes it. No provider has that name, so that no run starts with it. */
export const PLACEHOLDER_MODEL = 'provider/model-name';

/**
 * The text of a new agent file: the required keys, and every other one in comments. The first line names its form for
 * editors. axe's keys have axe's example values and are in axe's order.
 */
export function scaffoldAgent(name: string): string {
  return `#:schema ${agentSchemaUrl(ACTION_ADDRESS)}
name = ${tomlString(name)}
description = ""

# Fill in: provider and model, for example "${DEFAULT_MODEL}" or "ollama/llama3".
model = "${PLACEHOLDER_MODEL}"

# Everything below is optional. Remove the "# " in front of a key to set it, and in front of its [table] as well.

# Who the agent is and how it works.
# system_prompt = ""

# A SKILL.md with the steps of its task; \`--skill\` takes another one for a single run.
# skill = ""

# Files to send along: globs that count from workdir.
# files = []

# The folder that files count from; the current one if it is not set.
# workdir = ""

# Tools that the model may call, for example ["read_file", "search_files"]. allowed_hosts narrows url_fetch.
# tools = []
# allowed_hosts = []

# Whether AGENTS.md, CLAUDE.md and files like them are added to the system prompt.
# guidance = true

# Time limit in seconds.
# timeout = 120

# Accepted as in axe; answers are always received whole.
# stream = false

# Agents this one may ask for help.
# sub_agents = []

# [sub_agents_config]
# max_depth = 3
# parallel = true
# timeout = 120

# What it remembers from run to run. last_n = 0 gives it every entry; max_entries only warns.
# With notes = true it keeps notes of its own as well; the keys after it are about them.
# [memory]
# enabled = false
# path = ""
# last_n = 10
# max_entries = 100
# max_log_bytes = 262144
# provenance = "auto"
# notes = false
# tools = []
# scope = "project"
# project = ""
# dir = ""
# daily = "calendar"
# dedup = true
# max_inject_bytes = 32768
# max_write_bytes = 65536
# warn_file_bytes = 1048576

# Sent to the model. response_format can also be a table with type = "json_schema" and a schema.
# [params]
# temperature = 0.3
# max_tokens = 4096
# context_window = 32768
# response_format = "text"
# effort = "medium"
# api = "responses"
# price = { input = 1.0, output = 4.0, cache_read = 0.1, cache_write = 1.25 }
# anthropic = { inferenceGeo = "us" }
# openai = { serviceTier = "flex" }
# google = { mediaResolution = "MEDIA_RESOLUTION_LOW" }
# bedrock = { serviceTier = { type = "flex" } }
# compatible = { provider = { order = ["deepinfra"] } }

# How requests that fail for a passing reason are sent again.
# [retry]
# max_retries = 2
# backoff = "exponential"
# initial_delay_ms = 500
# max_delay_ms = 30000

# Maximum input and output tokens of a run, sub-agents included; 0 is no limit.
# [budget]
# max_tokens = 0

# A folder for files besides the working directory; without dir a new one.
# [artifacts]
# enabled = false
# dir = ""
# default_write = false

# How it reviews, where it has tools that post reviews. An empty verify_model is the agent's own.
# [review]
# depth = "standard"
# verify_model = ""
# verifier = ""
# min_severity = "minor"
# instructions = ""
# parts = 6
# part_tokens = 22000

# The severity of all findings of a category, whatever their effect and reach; name those that you want to set.
# [review.severity]
# correctness = "major"
# security = "critical"
# data = "major"
# concurrency = "major"
# resource = "minor"
# error-handling = "minor"
# interface = "minor"
# performance = "minor"
# test = "minor"
# docs = "nit"
# other = "nit"

# Tools of MCP servers: one table for each server, with a URL or with a program to start.
# [[mcp_servers]]
# name = "issues"
# transport = "streamable-http"
# url = "https://mcp.example.com/mcp"
# headers = { Authorization = "Bearer \${MCP_TOKEN}" }

# [[mcp_servers]]
# name = "files"
# transport = "stdio"
# command = "node"
# args = ["server.js"]
# env = { API_TOKEN = "\${API_TOKEN}" }
`;
}

/** A TOML basic string: JSON's escapes are TOML's too, but for DEL, which has to be escaped there. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
