import { describe, expect, it } from '@jest/globals';
import { formatAgent, formatFloat } from '../../src/agent/format-agent.js';
import { parseAgent } from '../../src/agent/inspect.js';

function parse(text: string) {
  return parseAgent(text, { name: 'v', file: 'v.toml' }).config;
}

describe('formatAgent', () => {
  it('TestAgentsShow_MemoryAllFields: shows all memory fields', () => {
    const text =
      'name = "v"\nmodel = "a/m"\n[memory]\nenabled = true\npath = "p"\nlast_n = 5\nmax_entries = 50\n';
    const shown = formatAgent(parse(text));
    expect(shown).toContain(
      'Memory Enabled: true\nMemory Path:    p\nMemory LastN:   5\nMemory MaxEntries:50\n',
    );
  });

  it('shows that sub-agents run in parallel unless that is turned off', () => {
    expect(formatAgent(parse('name = "v"\nmodel = "a/m"\nsub_agents = ["x"]\n'))).toContain(
      'Sub-Agents:     x\nMax Depth:      0\nParallel:       true\nTimeout:        0\n',
    );
  });

  it('shows the keys of newer versions after axe’s', () => {
    const text = `name = "v"
model = "a/m"
tools = ["read_file", "url_fetch"]
allowed_hosts = ["example.com"]
timeout = 60
[[mcp_servers]]
name = "web"
url = "https://example.com/mcp"
transport = "sse"
[memory]
provenance = "on"
[params]
temperature = 0.00001
response_format = "json_object"
[retry]
max_retries = 0
[budget]
max_tokens = 5000
[artifacts]
enabled = true
`;
    expect(formatAgent(parse(text))).toBe(`Name:           v
Model:          a/m
Temperature:    1e-05
Tools:          read_file, url_fetch
Allowed Hosts:  example.com
MCP Servers:    web
Provenance:     on
Response Format:json_object
Max Retries:    0
Budget:         5000 tokens
Artifacts:      true
Run Timeout:    60s
`);
  });
});

describe('the shown notes keys', () => {
  const HEAD = 'name = "v"\nmodel = "a/m"\n[memory]\n';

  it('are those that differ from a missing line, as axe would show keys of its own', () => {
    const text = `${HEAD}enabled = true
notes = true
tools = ["memory_read", "write_memory"]
dir = "d"
scope = "shared"
project = "octo-org/hello"
daily = "recent"
dedup = false
max_inject_bytes = 1000
max_write_bytes = 2000
max_log_bytes = 3000
warn_file_bytes = 4000
`;
    expect(formatAgent(parse(text))).toBe(`Name:           v
Model:          a/m
Memory Enabled: true
Memory Notes:   true
Memory Tools:   memory_read, write_memory
Memory Dir:     d
Memory Scope:   shared
Memory Project: octo-org/hello
Memory Daily:   recent
Memory Dedup:   false
Memory MaxInjectBytes:1000
Memory MaxWriteBytes:2000
Memory MaxLogBytes:3000
Memory WarnFileBytes:4000
`);
  });

  it('are empty if every key has its default', () => {
    const text = `${HEAD}tools = []\nscope = "project"\ndaily = "calendar"\ndedup = true\nmax_inject_bytes = 32768\nmax_write_bytes = 65536\nwarn_file_bytes = 1048576\nmax_log_bytes = 0\n`;
    expect(formatAgent(parse(text))).toBe('Name:           v\nModel:          a/m\n');
  });
});

it.each([
  [0, '0'],
  [0.3, '0.3'],
  [-3.5, '-3.5'],
  [100_000, '100000'],
  [1_234_567, '1.234567e+06'],
  [0.0001, '0.0001'],
  [1e-7, '1e-07'],
  [1e100, '1e+100'],
  [Number.NaN, 'NaN'],
  [Number.NEGATIVE_INFINITY, '-Inf'],
])('%p is printed as Go does: %s', (value, text) => {
  expect(formatFloat(value)).toBe(text);
});
