// linux-only: an example runs a command in the process jail
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parseAgent } from '../../src/agent/inspect.js';
import { GITHUB_TOKEN, startGitHubServer } from '../helpers/github-server.js';
import { startLoopback } from '../helpers/loopback.js';
import { startMcpHttp } from '../helpers/mcp-http.js';
import {
  type ModelReply,
  type ModelScript,
  promptOf,
  startModelServer,
  text,
  toolCall,
} from '../helpers/model-server.js';
import { startProxy } from '../helpers/proxy-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { loadWebhook, payloadField } from '../helpers/webhooks.js';

const ROOT = join(import.meta.dirname, '../..');
const AGENTS = join(ROOT, 'examples/agents');
const NAMES = readdirSync(AGENTS).map((file) => file.replace(/\.toml$/, ''));

const OLD = 'new Date(text)';
const SOURCE = `export function parseDate(text: string): Date {\n  return ${OLD};\n}\n`;

interface Scene {
  readonly script: ModelScript;
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly agents?: string;
}

/** Runs an example on the built command line, in a folder with these files. */
async function run(agent: string, scene: Scene) {
  const { script, files = {}, args = [], cwd = tempDir('example'), agents = AGENTS } = scene;
  const model = await startModelServer(script);
  writeFiles(cwd, files);
  const homes = { XDG_CONFIG_HOME: join(cwd, '.config'), XDG_DATA_HOME: join(cwd, '.data') };
  const env = { ...model.env, ...homes, ...scene.env };
  const result = await runCli(['run', agent, '--agents-dir', agents, ...args], {
    cwd,
    stdin: 'Do it.',
    env,
  });
  return { ...result, cwd, prompts: model.prompts() };
}

/** What the model learned from a tool in its n-th request. */
function told({ prompts }: Pick<Awaited<ReturnType<typeof run>>, 'prompts'>, n: number) {
  return prompts[n]?.messages.filter((message) => message.startsWith('tool: ')).join('\n') ?? '';
}

const DONE = { exitCode: 0, stdout: 'Done.', stderr: '' };
const END = text('Done.');
const SEARCH = toolCall('search_files', { text: 'parseDate' });

it.each(NAMES)('every example %s is an agent without a warning, named like its file', (name) => {
  const toml = readFileSync(join(AGENTS, `${name}.toml`), 'utf8');
  const { config, warnings } = parseAgent(toml, { name, file: `${name}.toml` });
  expect(warnings).toEqual([]);
  expect(config.name).toBe(name);
  expect(config.description).not.toBe('');
  expect(toml).toMatch(/^# /);
});

it('every example is listed on the command line', async () => {
  const { stdout } = await runCli(['agents', 'list', '--agents-dir', AGENTS]);
  expect(stdout.split('\n').map((line) => line.split(/\s/)[0])).toEqual(
    expect.arrayContaining(NAMES),
  );
});

it('explorer searches and reads', async () => {
  const end = await run('explorer', {
    files: { 'src/dates.ts': SOURCE },
    script: [SEARCH, toolCall('read_file', { path: 'src/dates.ts' }), END],
  });
  expect(end).toMatchObject(DONE);
  expect(end.prompts[0]?.tools).toEqual(['list_directory', 'read_file', 'search_files']);
  expect(told(end, 1)).toContain('src/dates.ts:1: export function parseDate');
  expect(told(end, 2)).toContain('2:   return new Date(text);');
});

it('editor changes a file', async () => {
  const end = await run('editor', {
    files: { 'src/dates.ts': SOURCE },
    script: [
      toolCall('edit_file', { path: 'src/dates.ts', old_string: OLD, new_string: 'parse(text)' }),
      END,
    ],
  });
  expect(end).toMatchObject(DONE);
  const changed = readFileSync(join(end.cwd, 'src/dates.ts'), 'utf8');
  expect(changed).toBe(SOURCE.replace(OLD, 'parse(text)'));
});

it('test-doctor runs a command, which receives no key', async () => {
  const end = await run('test-doctor', {
    files: { 'check.sh': 'echo "1 failed"; env; exit 1\n' },
    env: { DEPLOY_TOKEN: 'canary-7f3a9c' },
    script: [toolCall('run_command', { command: 'sh check.sh' }), END],
  });
  expect(end).toMatchObject(DONE);
  expect(told(end, 1)).toContain('1 failed');
  expect(told(end, 1)).not.toMatch(/canary-7f3a9c|sk-ant|ANTHROPIC/);
});

it('link-checker fetches from the hosts it names and no others', async () => {
  const pages = await startLoopback((_request, response) => {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>');
  });
  const proxy = await startProxy(pages.url);
  const end = await run('link-checker', {
    env: { HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1' },
    script: [
      toolCall('url_fetch', { url: 'http://nodejs.org/gone' }),
      toolCall('url_fetch', { url: 'http://example.com/' }),
      END,
    ],
  });
  expect(end).toMatchObject(DONE);
  expect(told(end, 1)).toMatch(/HTTP 404: <third-party-text[\s\S]*Not here/);
  expect(told(end, 2)).toMatch(/example\.com.*allowed/);
  expect(proxy.asked).toEqual(['GET http://nodejs.org/gone']);
});

it('researcher searches the web', async () => {
  const tavily = await startLoopback((_request, response) => {
    const results = [{ title: 'A page', url: 'https://example.com/', content: 'What it says.' }];
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ results }));
  });
  const end = await run('researcher', {
    env: { TAVILY_API_KEY: 'tvly-canary', AXE_WEB_SEARCH_BASE_URL: tavily.url },
    script: [toolCall('web_search', { query: 'a question' }), END],
  });
  expect(end).toMatchObject(DONE);
  expect(tavily.requests()[0]?.body).toMatchObject({ query: 'a question' });
  expect(told(end, 1)).toContain(
    'Title: A page\nURL: https://example.com/\nSnippet: What it says.',
  );
  expect(told(end, 1)).not.toContain('tvly-canary');
});

it('check-explainer reads on GitHub what failed, and the line that caused it', async () => {
  const payload = loadWebhook('pull_request', 'opened');
  const github = await startGitHubServer();
  const repo = github.seed(payload, { base: { 'src/dates.ts': SOURCE } });
  repo.roles.set('Codertocat', 'write');
  const headSha = String(payloadField(payload, 'pull_request.head.sha'));
  const diff = `diff --git a/src/dates.ts b/src/dates.ts\n--- a/src/dates.ts\n+++ b/src/dates.ts\n@@ -2 +2 @@\n-  return new Date(text);\n+  return text;\n`;
  repo.comparisons.set(`${payloadField(payload, 'pull_request.base.sha')}...${headSha}`, diff);
  const check = {
    externalId: '',
    title: null,
    summary: null,
    annotations: [],
    app: 'github-actions',
  };
  const failed = { status: 'completed', conclusion: 'failure', name: 'types', job: 9 } as const;
  repo.talk.checkRuns.push({ id: 1, headSha, ...failed, ...check });
  repo.talk.jobLogs.set(9, '##[error]src/dates.ts:2: string is no Date\n');
  const end = await run('check-explainer', {
    files: { 'event.json': JSON.stringify(payload) },
    args: ['--event', 'event.json'],
    env: { ...github.env, GITHUB_TOKEN },
    script: [toolCall('github_checks', {}), toolCall('github_diff', { path: 'src/dates.ts' }), END],
  });
  expect(end).toMatchObject({ exitCode: 0, stdout: 'Done.' });
  expect(told(end, 1)).toContain('##[error]src/dates.ts:2: string is no Date');
  expect(told(end, 2)).toContain('+2:   return text;');
});

it('delegator calls two agents, one of which remembers', async () => {
  const end = await run('delegator', {
    script(request) {
      const { system, messages } = promptOf(request);
      if (system.startsWith('You answer a question')) return text('Found it.');
      if (system.startsWith('Say in at most five lines')) return text('Short.');
      return messages.length === 1 ? BOTH : END;
    },
  });
  expect(end).toMatchObject(DONE);
  expect(told(end, 3)).toBe('tool: Found it.\ntool: Short.');
  const memory = readFileSync(join(end.cwd, '.data/axe/memory/summarizer.md'), 'utf8');
  expect(memory).toContain('**Result:** Short.');
});

const BOTH: ModelReply = {
  kind: 'tools',
  calls: [
    { name: 'call_agent', input: { agent: 'explorer', task: 'Where are dates parsed?' } },
    { name: 'call_agent', input: { agent: 'summarizer', task: 'Shorten the guide.' } },
  ],
};

it('summarizer knows its last summary', async () => {
  const first = await run('summarizer', { script: [text('Version 1.2 is out.')] });
  const second = await run('summarizer', { cwd: first.cwd, script: [END] });
  expect(second).toMatchObject(DONE);
  expect(second.prompts[0]?.system).toContain('**Result:** Version 1.2 is out.');
  expect(first.prompts[0]?.system).not.toContain('## Memory');
});

it('mcp-files uses a local MCP server', async () => {
  const cwd = tempDir('example');
  symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
  const end = await run('mcp-files', {
    cwd,
    files: { 'docs/guide.md': '# Guide\n' },
    script: [toolCall('list_directory', { path: '.' }), END],
  });
  expect(end).toMatchObject(DONE);
  expect(told(end, 1)).toBe('tool: [FILE] guide.md');
});

it('mcp-tickets uses a remote MCP server, with its token', async () => {
  const server = await startMcpHttp();
  const agents = join(tempDir('example'), 'agents');
  mkdirSync(agents, { recursive: true });
  const toml = readFileSync(join(AGENTS, 'mcp-tickets.toml'), 'utf8');
  writeFiles(agents, { 'mcp-tickets.toml': toml.replace('https://mcp.example.com', server.url) });
  const end = await run('mcp-tickets', {
    agents,
    env: { TICKETS_TOKEN: 'canary-of-the-tickets' },
    script: [toolCall('echo', { text: 'hello' }), END],
  });
  expect(end).toMatchObject(DONE);
  expect(server.requests()[0]?.headers.authorization).toBe('Bearer canary-of-the-tickets');
  expect(told(end, 1)).toContain('hello');
});

it('json-labeler answers in the format of its schema', async () => {
  const answer = { kind: 'bug', urgent: false, reason: 'It crashes.' };
  const end = await run('json-labeler', {
    script: [text(`\`\`\`json\n${JSON.stringify(answer)}\n\`\`\``)],
  });
  expect(end).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(end.stdout)).toEqual(answer);
});

it('release-notes receives its skill and its files', async () => {
  const end = await run('release-notes', {
    files: { 'CHANGELOG.md': '# Changes\n', 'docs/a/b.md': '# Deep\n', 'other.md': '# Other\n' },
    script: [END],
  });
  expect(end).toMatchObject(DONE);
  const { system = '' } = end.prompts[0] ?? {};
  expect(system).toContain('\n\n---\n\n## Skill\n\n');
  expect(system).toContain('Leave out what users cannot see.');
  expect(system).toContain('### CHANGELOG.md\n```md\n# Changes\n');
  expect(system).toContain('### docs/a/b.md');
  expect(system).not.toContain('# Other');
});

it('reporter retries, counts its usage and remembers', async () => {
  const error = { type: 'overloaded_error', message: 'Overloaded' };
  const overloaded: ModelReply = { kind: 'raw', status: 529, body: { type: 'error', error } };
  const usage = { inputTokens: 900, outputTokens: 100 };
  const end = await run('reporter', {
    args: ['--json'],
    script: [overloaded, text('Two new.', usage)],
  });
  expect(end).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(end.stdout)).toMatchObject({
    content: 'Two new.',
    retry_attempts: 1,
    budget_used_tokens: 1000,
    budget_max_tokens: 150_000,
    budget_exceeded: false,
  });
  expect(readFileSync(join(end.cwd, '.data/axe/memory/reporter.md'), 'utf8')).toContain('Two new.');
});

it('notes keeps what it learns, and finds it again', async () => {
  const learned = '`parseDate` is in src/dates.ts, since three tools share it.';
  const first = await run('notes', {
    files: { 'src/dates.ts': SOURCE },
    script: [
      SEARCH,
      toolCall('memory_write', { target: 'long_term', content: learned }),
      toolCall('memory_write', { target: 'scratchpad', content: '- [ ] Ask about time zones' }),
      END,
    ],
  });
  expect(first).toMatchObject(DONE);
  const tools = ['read_file', 'search_files', 'memory_write', 'memory_read', 'memory_search'];
  expect(first.prompts[0]?.tools).toEqual(tools);
  expect(readFileSync(join(first.cwd, '.data/axe/memory/MEMORY.md'), 'utf8')).toBe(`${learned}\n`);

  const second = await run('notes', {
    cwd: first.cwd,
    script: [toolCall('memory_search', { query: 'parsedate' }), END],
  });
  expect(second).toMatchObject(DONE);
  const { system = '' } = second.prompts[0] ?? {};
  expect(system).toContain(`## Long-term memory (MEMORY.md)\n${learned}\n`);
  expect(system).toContain('## Scratchpad (open items)\n- [ ] Ask about time zones\n');
  expect(told(second, 1)).toContain(learned);
});
