import { describe, expect, it } from '@jest/globals';
import { parseAgent } from '../../src/agent/inspect.js';
import { ConfigError } from '../../src/lib/errors.js';

const HEAD = 'name = "v"\nmodel = "anthropic/m"\n';

function parse(text: string) {
  return parseAgent(text, { name: 'v', file: 'axe/agents/v.toml' });
}

/** What parsing throws; fails the test if it throws nothing, or anything but a ConfigError. */
function errorOf(text: string): ConfigError {
  try {
    parse(text);
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown;
    throw thrown;
  }
  throw new Error('expected a ConfigError');
}

describe('a complete agent', () => {
  it('has every key of axe and of ours', () => {
    const { config, warnings } = parse(`${HEAD}
description = "d"
system_prompt = """  keep

this """
skill = "skills/s/SKILL.md"
files = ["a.md", "src/**"]
workdir = "w"
tools = ["read_file", "no_such_tool"]
allowed_hosts = ["example.com"]
sub_agents = ["x", "y"]
timeout = 90
stream = true
[sub_agents_config]
max_depth = 5
parallel = false
timeout = 30
[[mcp_servers]]
name = "web"
url = " https://mcp.example.com/sse "
transport = "sse"
headers = { Authorization = "Bearer \${TOKEN}", x-Case = "kept" }
[[mcp_servers]]
Name = "local"
transport = "stdio"
command = "npx"
args = ["-y", "server"]
env = { API_KEY = "\${KEY}", lower_case = "kept" }
required = true
[memory]
enabled = true
path = "m.md"
last_n = 5
max_entries = 50
provenance = "off"
notes = true
tools = ["write_memory", "memory_search", "memory_write", "memory_search"]
dir = "notes-here"
scope = "shared"
max_inject_bytes = 1000
max_write_bytes = 2000
max_log_bytes = 3000
[params]
temperature = 0
max_tokens = 2048
response_format = { type = "json_schema", schema = { type = "object", minProperties = 1 } }
[retry]
max_retries = 3
backoff = "linear"
initial_delay_ms = 100
max_delay_ms = 1000
[artifacts]
enabled = true
dir = "out"
default_write = true
[budget]
max_tokens = 10_000
[review]
Depth = "quick"
verify_model = "openai/x"
verifier = "skeptic"
parts = 4
part_tokens = 9000
min_severity = "nit"
instructions = "REVIEW.md"
[review.severity]
test = "nit"
error-handling = "major"
`);
    expect(warnings).toEqual([]);
    expect(config).toEqual({
      name: 'v',
      description: 'd',
      model: 'anthropic/m',
      systemPrompt: '  keep\n\nthis ',
      skill: 'skills/s/SKILL.md',
      files: ['a.md', 'src/**'],
      workdir: 'w',
      tools: ['read_file', 'no_such_tool'],
      allowedHosts: ['example.com'],
      subAgents: ['x', 'y'],
      subAgentsConfig: { maxDepth: 5, parallel: false, timeoutSeconds: 30 },
      mcpServers: [
        {
          name: 'web',
          transport: 'sse',
          url: 'https://mcp.example.com/sse',
          headers: { Authorization: 'Bearer ${TOKEN}', 'x-Case': 'kept' },
          command: '',
          args: [],
          env: {},
          required: false,
        },
        {
          name: 'local',
          transport: 'stdio',
          url: '',
          headers: {},
          command: 'npx',
          args: ['-y', 'server'],
          env: { API_KEY: '${KEY}', lower_case: 'kept' },
          required: true,
        },
      ],
      memory: {
        enabled: true,
        path: 'm.md',
        lastN: 5,
        hasLastN: true,
        maxEntries: 50,
        provenance: 'off',
        notes: true,
        tools: ['memory_write', 'memory_search', 'write_memory'],
        dir: 'notes-here',
        scope: 'shared',
        maxInjectBytes: 1000,
        maxWriteBytes: 2000,
        maxLogBytes: 3000,
      },
      params: {
        temperature: 0,
        maxTokens: 2048,
        responseFormat: { type: 'json_schema', schema: { type: 'object', minProperties: 1 } },
      },
      retry: { maxRetries: 3, backoff: 'linear', initialDelayMs: 100, maxDelayMs: 1000 },
      budget: { maxTokens: 10_000 },
      artifacts: { enabled: true, dir: 'out', defaultWrite: true },
      review: {
        depth: 'quick',
        verifyModel: 'openai/x',
        verifier: 'skeptic',
        parts: 4,
        partTokens: 9000,
        minSeverity: 'nit',
        instructions: 'REVIEW.md',
        severity: { test: 'nit', 'error-handling': 'major' },
      },
      timeoutSeconds: 90,
      stream: true,
    });
  });

  it('has axe’s defaults for missing keys', () => {
    const { memory, subAgentsConfig, ...config } = parse(HEAD).config;
    const off = {
      enabled: false,
      path: '',
      lastN: 0,
      hasLastN: false,
      maxEntries: 0,
      notes: false,
    };
    const sizes = {
      maxInjectBytes: 32_768,
      maxWriteBytes: 65_536,
      maxLogBytes: 0,
    };
    const kept = { provenance: 'auto', scope: 'project' };
    expect(memory).toEqual({ ...off, ...sizes, ...kept, tools: [], dir: '' });
    expect(subAgentsConfig).toEqual({ maxDepth: 0, parallel: undefined, timeoutSeconds: 0 });
    expect(config).toMatchObject({
      params: { temperature: undefined, maxTokens: 0, responseFormat: undefined },
      retry: { backoff: 'exponential', initialDelayMs: 500, maxDelayMs: 30_000 },
      budget: { maxTokens: 0 },
      artifacts: { enabled: false, dir: '', defaultWrite: false },
      review: {
        depth: undefined,
        parts: 6,
        partTokens: 22_000,
        minSeverity: undefined,
        severity: {},
      },
      timeoutSeconds: 0,
      stream: false,
    });
  });

  it('keeps a configured first delay that is larger than a default maximum', () => {
    const { retry } = parse(`${HEAD}[retry]\ninitial_delay_ms = 60000\n`).config;
    expect(retry).toMatchObject({ initialDelayMs: 60_000, maxDelayMs: 60_000 });
  });

  it.each(['text', 'json_object', 'json_schema'])(
    'accepts the response format %s as a word',
    (type) => {
      const { params } = parse(`${HEAD}[params]\nresponse_format = "${type}"\n`).config;
      expect(params.responseFormat).toEqual({ type, schema: undefined });
    },
  );

  it('keeps the case of keys that the user chooses', () => {
    const table = '[params.Response_Format.SCHEMA.properties.userId]\ntype = "string"\n';
    const lines = `[params.Response_Format]\nTYPE = "json_schema"\n${table}`;
    const schema = { properties: { userId: { type: 'string' } } };
    expect(parse(HEAD + lines).config.params.responseFormat).toEqual({
      type: 'json_schema',
      schema,
    });
  });
});

describe('wrong values', () => {
  const server = (...lines: readonly string[]) =>
    `[[mcp_servers]]\nname = "a"\n${lines.join('\n')}\n`;
  const URL_LINE = 'url = "https://example.com/mcp"';
  const ok = [URL_LINE, 'transport = "sse"'];
  const stdio = 'transport = "stdio"';
  const notes = 'enabled = true\nnotes = true';
  const transports = 'mcp_servers[0].transport must be one of: sse, streamable-http, stdio';
  const scheme = 'mcp_servers[0].url must use http or https scheme, got "ftp"';
  const delays = 'retry.max_delay_ms must be >= retry.initial_delay_ms';
  const forms = 'must be one of: text, json_object, json_schema';
  const memoryTools =
    'memory.tools must be one of: memory_write, memory_read, memory_search, write_memory';

  it.each([
    ['timeout = -1', 'timeout must be non-negative', 3],
    ['[sub_agents_config]\nmax_depth = 6', 'sub_agents_config.max_depth cannot exceed 5', 4],
    ['[[mcp_servers]]\ntransport = "sse"', 'mcp_servers[0].name is required', 3],
    [server('transport = "sse"'), 'mcp_servers[0].url is required', 3],
    [server(stdio), 'mcp_servers[0].command is required', 3],
    [server('url = "not a url"', 'transport = "sse"'), 'mcp_servers[0].url is invalid', 5],
    [server('url = "ftp://a"', 'transport = "sse"'), scheme, 5],
    [server(URL_LINE, 'transport = "SSE"'), transports, 6],
    [server(URL_LINE), transports, 3],
    [server(...ok, 'env = { A = "1" }'), 'mcp_servers[0].env is for `transport = "stdio"` only', 7],
    [server(...ok) + server(...ok), 'mcp_servers names must be unique: "a"', 8],
    ['[retry]\nmax_retries = -1', 'retry.max_retries must be non-negative', 4],
    ['[retry]\nbackoff = "random"', 'retry.backoff must be one of: exponential, linear, fixed', 4],
    ['[retry]\ninitial_delay_ms = 10\nmax_delay_ms = 9', delays, 5],
    ['[budget]\nmax_tokens = -1', 'budget.max_tokens must be non-negative', 4],
    ['[params]\ntemperature = nan', 'params.temperature must be a finite number, but is nan', 4],
    ['[params]\ntemperature = -inf', 'params.temperature must be a finite number, but is -inf', 4],
    ['[params]\neffort = "huge"', 'params.effort must be one of: low, medium, high, xhigh, max', 4],
    ['[params.price]\ninput = 1', 'params.price.output must be a price, 0 or more', 3],
    ['[params.price]\ninput = -1\noutput = 2', 'params.price.input must be a price, 0 or more', 4],
    ['[params]\nresponse_format = "xml"', `params.response_format ${forms}`, 4],
    ['[params]\nresponse_format = { type = "xml" }', `params.response_format.type ${forms}`, 4],
    ['[memory]\nprovenance = "yes"', 'memory.provenance must be one of: auto, on, off', 4],
    ['[memory]\ntools = ["memory_read", "memory_serach"]', memoryTools, 4],
    ['[memory]\nmax_inject_bytes = -1', 'memory.max_inject_bytes must be non-negative', 4],
    [
      `[memory]\n${notes}\npath = "MEMORY.md"`,
      'memory.path cannot be "MEMORY.md": notes are kept there',
      6,
    ],
  ])('%j is refused', (lines, message, line) => {
    const error = errorOf(`${HEAD}${lines}\n`);
    expect(error.message).toBe(message);
    expect(error.at).toMatchObject({ file: 'axe/agents/v.toml', line });
    expect(error.remedy).toBeTruthy();
  });

  it('a run log can have the name of a note if there are no notes', () => {
    const { memory } = parse(`${HEAD}[memory]\nenabled = true\npath = "MEMORY.md"\n`).config;
    expect(memory.path).toBe('MEMORY.md');
  });

  it('notes without memory are a warning at their line, since they have no effect', () => {
    const { warnings } = parse(`${HEAD}[memory]\nnotes = true\n`);
    expect(warnings).toMatchObject([{ code: 'agent-unused-key', at: { line: 4 } }]);
    expect(parse(`${HEAD}[memory]\nenabled = true\nnotes = true\n`).warnings).toEqual([]);
  });

  it('the first problem in axe’s order is reported, whatever the order in the file', () => {
    const text = `${HEAD}[budget]\nmax_tokens = -1\n[retry]\nmax_retries = -1\n[memory]\nlast_n = -1\n`;
    expect(errorOf(text).message).toBe('memory.last_n must be non-negative');
  });
});

describe('wrong types', () => {
  const form = 'must be a string or a table, but is an integer';
  const strings = 'must be a table of strings, but is a list';
  const integer = 'must be a string, but is an integer';

  it.each([
    ['memory = []', 'memory must be a table, but is a list', '`[memory]` on a line of its own'],
    [
      'memory = 1979-05-27',
      'memory must be a table, but is a date or time',
      '`enabled = true` below it',
    ],
    ['name2 = 1\ntimeout = "30"', 'timeout must be an integer, but is a string', '10'],
    ['[budget]\nmax_tokens = 1e3', 'budget.max_tokens must be an integer, but is a float', '10'],
    ['params.temperature = "0.5"', 'params.temperature must be a number, but is a string', '0.5'],
    ['memory.enabled = "TRUE"', 'memory.enabled must be true or false, but is a string', 'true'],
    [
      '[mcp_servers]\na = 1',
      'mcp_servers must be a list of tables, but is a table',
      '`[[mcp_servers]]`',
    ],
    ['mcp_servers = [1]', 'mcp_servers[0] must be a table, but is an integer', '[{ }]'],
    ['params.response_format = 1', `params.response_format ${form}`, '"json_object"'],
    [
      'mcp_servers = [{ headers = ["a"] }]',
      `mcp_servers[0].headers ${strings}`,
      '{ Authorization = "Bearer …" }',
    ],
    ['mcp_servers = [{ env = { A = 1 } }]', `mcp_servers[0].env.A ${integer}`, '"text"'],
    ['skill = true', 'skill must be a string, but is a boolean', '"text"'],
  ])('%j names the key, the types and the right form', (lines, message, example) => {
    const error = errorOf(`${HEAD}${lines}\n`);
    expect(error.message).toBe(`failed to parse agent config "v": ${message}`);
    expect(error.remedy).toMatch(/^Write .+\.$/);
    expect(error.remedy).toContain(example);
    expect(error.at?.line).toBeGreaterThan(2);
  });

  it('a duplicate key in different case is refused', () => {
    const error = errorOf(`${HEAD}[memory]\nlast_n = 1\nLast_N = 2\n`);
    expect(error.message).toBe(
      `failed to parse agent config "v": Key 'memory.Last_N' has already been defined, as 'memory.last_n'`,
    );
    expect(error.at).toMatchObject({ line: 5, column: 1 });
  });
});

it.each([
  ['[memory]\nlastn = 1', 'memory.last_n', 4],
  ['[memory]\nMaxEntries = 1', 'memory.max_entries', 4],
  ['[paramz]\ntemperature = 1', 'params', 3],
  ['sub_agent = []', 'sub_agents', 3],
])('the unknown key %j is a warning that suggests the nearest key', (lines, suggestion, line) => {
  const { warnings } = parse(`${HEAD}${lines}\n`);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatchObject({ code: 'agent-unknown-key', at: { line } });
  expect(warnings[0]?.message).toContain(`Did you mean \`${suggestion}\`?`);
});

it('a key that was written below the wrong table is reported with its right place', () => {
  const { warnings } = parse(`${HEAD}[memory]\nenabled = true\n\nskill = "s"\n`);
  expect(warnings[0]?.message).toContain('belongs above the first `[table]`');
  expect(warnings[0]?.at).toMatchObject({ line: 6 });
});

it('the first fifty unknown keys are reported when a file has very many', () => {
  const keys = Array.from({ length: 5000 }, (_, index) => `zz${index} = 1`).join('\n');
  const { warnings } = parse(`${HEAD}${keys}\n`);
  expect(warnings).toHaveLength(50);
});

describe('corpus C1', () => {
  it.each([
    ['name = ', 1, 8],
    ['name = "v"\nmodel = "s3cr3t', 2, 9],
    ['name = "v"\nmodel = s3cr3t', 2, 9],
    ['name', 1, 1],
    ['files = ["s3cr3t"\nname = "v"', 2, 1],
    ['name = "v\ns3cr3t"', 1, 10],
    ['name = "\\q"', 1, 10],
  ])(
    'C1 1: a syntax error in %j is reported with file, line and column, and without the text',
    (text, line, column) => {
      const error = errorOf(text);
      expect(error.message).toMatch(/^failed to parse agent config "v": [^\n]+$/);
      expect(`${error.message}${error.remedy}`).not.toContain('s3cr3t');
      expect(error.at).toEqual({ file: 'axe/agents/v.toml', line, column });
      expect(error.remedy).toBeTruthy();
    },
  );

  it.each([
    '\uFEFFname = "v"\r\nmodel = "anthropic/m"\r\n',
    '\uFEFFname = "v"\nmodel = "anthropic/m"',
  ])('C1 2: a byte order mark and CRLF are accepted, and not counted: %j', (text) => {
    expect(parse(text).config.name).toBe('v');
    expect(errorOf(text.replace('"v"', '')).at).toMatchObject({ line: 1, column: 8 });
  });

  it('C1 2: an empty file is reported with what is missing', () => {
    expect(errorOf('').message).toBe('agent config missing required field: name');
  });

  it.each([
    ['-1', 'must be non-negative'],
    ['1.5', 'must be an integer, but is a float'],
    ['9007199254740992', 'is out of range'],
    ['99999999999999999999', 'is out of range'],
  ])('C1 4: last_n = %s is refused with the key and the expected value', (value, what) => {
    const error = errorOf(`${HEAD}[memory]\nlast_n = ${value}\n`);
    expect(error.message).toContain('memory.last_n');
    expect(error.message).toContain(what);
    expect(error.at).toMatchObject({ line: 4 });
  });

  it.each([
    '__proto__.polluted = true',
    '["__proto__"]\npolluted = true',
    'x = { __proto__ = { polluted = true } }',
    'x = [{ __proto__.polluted = true }]',
    '[params.response_format.schema.__proto__]\npolluted = true',
    '[[mcp_servers]]\nheaders = { __proto__ = "x" }',
  ])('C1 5: %j is refused and pollutes nothing', (lines) => {
    expect(errorOf(`${HEAD}${lines}\n`).message).toBe(
      'failed to parse agent config "v": `__proto__` is not a key',
    );
    expect('polluted' in {}).toBe(false);
  });

  it.each(['[constructor.prototype]\npolluted = true', 'toString = 1'])(
    'C1 5: %j is an unknown key',
    (lines) => {
      const { config, warnings } = parse(`${HEAD}${lines}\n`);
      expect(warnings).toMatchObject([{ code: 'agent-unknown-key', at: { line: 3 } }]);
      expect('polluted' in {}).toBe(false);
      expect(config).toEqual(parse(HEAD).config);
    },
  );

  it.each([
    ['10k closed nested lists', `a = ${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['10k nested inline tables', `a = ${'{a='.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['a table name of 10k parts', `[${'a.'.repeat(10_000)}b]`],
    ['a dotted key of 100k parts', `${'a.'.repeat(100_000)}b = 1`],
    ['a deep JSON schema', `[params.response_format.schema.${'a.'.repeat(5000)}b]\nc = 1`],
  ])('C1 6: %s are refused as nested too deeply', (_what, lines) => {
    const error = errorOf(`${HEAD}${lines}\n`);
    expect(error.message).toContain('nested');
    expect(error.at?.file).toBe('axe/agents/v.toml');
  });

  it('C1 6: a key of 200 kB is a warning of one short line', () => {
    const { warnings } = parse(`${HEAD}${'k'.repeat(200_000)} = 1\n`);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.message.length).toBeLessThan(300);
  });

  it('C1 7: a key with a line break and a workflow command stays on one line', () => {
    const { warnings } = parse(`${HEAD}"x\\n::error::y" = 1\n`);
    expect(warnings[0]?.message).toContain('"x\\n::error::y"');
    expect(warnings[0]?.message).not.toContain('\n');
  });
});

describe('the raw options for a provider', () => {
  it('are kept under their own names, with numbers as numbers', () => {
    const { params } = parse(
      `${HEAD}[params]\neffort = "low"\n[params.Anthropic]\ninferenceGeo = "us"\nthinking = { type = "adaptive" }\n[params.compatible.provider]\norder = ["a"]\nmax_price = { prompt = 1 }\n[params.price]\ninput = 1\noutput = 4.5\n`,
    ).config;
    expect(params).toEqual({
      temperature: undefined,
      maxTokens: 0,
      responseFormat: undefined,
      effort: 'low',
      price: { input: 1, output: 4.5, cacheRead: 1, cacheWrite: 1 },
      tables: {
        anthropic: { inferenceGeo: 'us', thinking: { type: 'adaptive' } },
        compatible: { provider: { order: ['a'], max_price: { prompt: 1 } } },
      },
    });
  });

  it.each([
    ['anthropic', 'mcpServers = [{ type = "url" }]'],
    ['anthropic', 'container = "c_1"'],
    ['anthropic', 'fallbacks = [{ model = "x" }]'],
    ['openai', 'store = true'],
    ['openai', 'additionalTools = []'],
    ['openai', 'apiKey = "x"'],
    ['google', 'cachedContent = "c"'],
    [
      'bedrock',
      'additionalModelRequestFields = { tools = [] }',
      'additionalModelRequestFields.tools',
    ],
    ['bedrock', 'extra = [{ tools = [] }]', 'extra.0.tools'],
    ['compatible', 'plugins = [{ id = "web" }]'],
    ['compatible', 'models = ["a/b"]'],
    ['compatible', 'web_search_options = {}'],
  ])(
    'of %s that give tools, storage, other models or keys are refused: %s',
    (provider, line, key = line) => {
      const error = errorOf(`${HEAD}[params.${provider}]\n${line}\n`);
      expect(error.message).toBe(`params.${provider}.${key.replace(/ = .*/, '')} is not allowed`);
      expect(error.at).toMatchObject({ line: 4 });
    },
  );

  it.each(['https://example.com/v1', `sk-ant-${'a'.repeat(24)}`])(
    'hold neither a key nor an address',
    (value) => {
      const { message } = errorOf(`${HEAD}[params.openai]\nuser = "${value}"\n`);
      expect(message).toBe('params.openai.user looks like a key or an address');
    },
  );

  it.each([
    'promptCacheKey = "k"',
    'parallelToolCalls = false',
    'thinking = { budgetTokens = 5000 }',
  ])(
    'that only sound alike are taken: %s',
    (line) => void parse(`${HEAD}[params.openai]\n${line}\n`),
  );
});
