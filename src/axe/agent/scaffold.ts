/** The text of a new agent file: the two required keys, and axe's others in comments with the same example values. */
export function scaffoldAgent(name: string): string {
  return `name = ${tomlString(name)}
description = ""

# Provider and model, for example "anthropic/claude-sonnet-4-5" or "ollama/llama3".
model = "provider/model-name"

# Everything below is optional.

# Who the agent is and how it works.
# system_prompt = ""

# A SKILL.md with the steps of its task; \`--skill\` takes another one for a single run.
# skill = ""

# Files to send along: globs that count from workdir.
# files = []

# The folder that files count from; the current one if it is not set.
# workdir = ""

# Agents this one may ask for help.
# sub_agents = []

# [sub_agents_config]
# max_depth = 3
# parallel = true
# timeout = 120

# What it remembers from run to run. last_n = 0 gives it every entry; max_entries only warns.
# With notes = true it keeps notes of its own beside that.
# [memory]
# enabled = false
# path = ""
# last_n = 10
# max_entries = 100

# Sent to the model.
# [params]
# temperature = 0.3
# max_tokens = 4096
`;
}

/** A TOML basic string: JSON's escapes are TOML's too, but for DEL, which has to be escaped there. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
