import { expect, it } from '@jest/globals';
import { formatAgent, formatFloat } from '../../src/agent/format-agent.js';
import { parseAgent } from '../../src/agent/inspect.js';

it('formatAgent shows the keys of newer versions after axe’s', () => {
  const text = `name = "v"
model = "a/m"
sub_agents = ["x"]
tools = ["read_file", "url_fetch"]
allowed_hosts = ["example.com"]
timeout = 60
[[mcp_servers]]
name = "web"
url = "https://example.com/mcp"
transport = "sse"
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
  const { config } = parseAgent(text, { name: 'v', file: 'v.toml' });
  expect(formatAgent(config)).toBe(`Name:           v
Model:          a/m
Sub-Agents:     x
Max Depth:      0
Parallel:       true
Timeout:        0
Temperature:    1e-05
Tools:          read_file, url_fetch
Allowed Hosts:  example.com
MCP Servers:    web
Response Format:json_object
Max Retries:    0
Budget:         5000 tokens
Artifacts:      true
Run Timeout:    60s
`);
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
])('%p is printed as Go does: %s', (value, text) => {
  expect(formatFloat(value)).toBe(text);
});
