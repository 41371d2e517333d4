// linux-only: agents are given `run_command`, which needs the process jail
import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import type { LoadedAgent } from '../../src/agent/agent-source.js';
import { parseAgent } from '../../src/agent/inspect.js';
import type { Word } from '../../src/event/trust.js';
import { createClock } from '../../src/lib/clock.js';
import type { Warning } from '../../src/lib/errors.js';
import type { ToolRequest } from '../../src/run/dependencies.js';
import { createToolOpener, type ToolSurroundings } from '../../src/run/tools.js';
import { createSecrets } from '../../src/safety/secrets.js';
import { reachesNetwork, type ToolEffect } from '../../src/tools/tool.js';
import { copyForJob } from '../../src/tools/workspace/artifact-folders.js';
import { Changes } from '../../src/tools/workspace/changes.js';
import { waysHere } from '../helpers/jail.js';
import { startLoopback } from '../helpers/loopback.js';
import { readingOf } from '../helpers/reading.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { untilGone } from '../tools/mcp/scene.js';

const FIXTURE = join(import.meta.dirname, '../fixtures/mcp/server.mjs');
const NOTES = `import { writeFileSync } from 'node:fs'; writeFileSync(process.argv[3], JSON.stringify({ pid: process.pid, env: process.env }));`;
const ALL = ['web_search', 'run_command', 'read_file', 'write_file', 'url_fetch', 'list_directory'];

/**
 * A server over stdio; where `noteFile` is given it writes there who it is and what environment it
 * has.
 */
function server(name: string, mode: string, noteFile = '/dev/null'): string {
  const args = [
    '--import',
    `data:text/javascript,${encodeURIComponent(NOTES)}`,
    FIXTURE,
    mode,
    noteFile,
  ];
  return `[[mcp_servers]]\nname = "${name}"\ntransport = "stdio"\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(args)}\n`;
}

/** Where a machine allows no process jail, the word `execute` allows no command. */
const inJail = waysHere().length > 0 ? it : it.skip;

/** Opens the tools of an agent in an empty folder. */
async function open(
  toml: string,
  surroundings: Partial<ToolSurroundings> = {},
  patch: Partial<ToolRequest> = {},
) {
  const { openTools, closeTools } = createToolOpener({
    // Commands see the folders of PATH, wherever the machine keeps this Node.
    env: { PATH: [dirname(process.execPath), process.env['PATH']].join(':') },
    cwd: surroundings.cwd ?? tempDir('tools'),
    fetch: () => Promise.reject(new Error('nobody may ask the network')),
    clock: createClock(),
    secrets: createSecrets({}),
    where: 'terminal',
    toolsAllowed: [],
    ownFolder: '/opt/axe-action',
    ...surroundings,
  });
  const warnings: Warning[] = [];
  const parsed = parseAgent(`name = "bot"\nmodel = "p/m"\n${toml}`, {
    name: 'bot',
    file: 'bot.toml',
  });
  const { signal } = new AbortController();
  const agent = { name: 'bot', source: 'bot.toml', ...parsed };
  const request: ToolRequest = {
    agent,
    workdir: '.',
    reading: readingOf('own'),
    hasChange: false,
    callerEffects: undefined,
    callable: async () => [],
    signal,
    warn: (warning) => void warnings.push(warning),
    ...patch,
  };
  const box = await openTools(request);
  return {
    ...box,
    closeTools: (warn: () => void = () => undefined) => closeTools(warn),
    /** Opens the tools of an agent that this one calls. */
    openMore: (more: LoadedAgent) =>
      openTools({
        ...request,
        agent: more,
        callerEffects: new Set<ToolEffect>(['read', 'execute']),
      }),
    names: box.tools.map(({ name }) => name),
    warnings,
    async call(name: string, input: unknown) {
      const tool = box.tools.find((one) => one.name === name);
      if (tool === undefined) throw new Error(`there is no tool ${name}`);
      return await tool.execute(input, signal);
    },
  };
}

function tools(names: readonly string[]): string {
  return `tools = ${JSON.stringify(names)}\n`;
}

describe('the tools of an agent in a terminal', () => {
  it.each<[string, boolean, readonly string[], readonly string[]]>([
    ['read the folder for a change', true, ['github_file'], []],
    ['read the folder for a change, next to its own', true, ['github_diff', 'read_file'], []],
    [
      'cannot replace a conversation',
      true,
      ['github_search', 'github_comments'],
      ['github_comments'],
    ],
    ['stay as they are without a change', false, ['github_file'], ['github_file']],
    ['stay as they are if it reads no code', true, ['github_checks'], ['github_checks']],
  ])('that read GitHub %s', async (_, hasChange, listed, missing) => {
    const { names, warnings } = await open(tools(listed), {}, { hasChange });
    const readsFolder = hasChange && missing.join() !== listed.join();
    expect(names).toEqual(readsFolder ? ['list_directory', 'read_file', 'search_files'] : []);
    expect(warnings.map(({ message }) => message)).toEqual(
      missing.map((name) => expect.stringContaining(`asks for \`${name}\` to read GitHub`)),
    );
    for (const { remedy } of warnings) expect(remedy).not.toContain('github-token');
  });

  it('are those it lists, each once, in a fixed order', async () => {
    const { names, warnings } = await open(tools([...ALL, 'read_file']));
    expect(names.join(' ')).toBe(
      'list_directory read_file write_file run_command url_fetch web_search',
    );
    expect(warnings).toEqual([]);
    expect((await open(tools(ALL.toReversed()))).names).toEqual(names);
  });

  it.each([
    ['read_fiel', 'Did you mean `read_file`?'],
    ['fly_to_the_moon', 'Remove it from `tools` of the agent.'],
  ])('that do not exist end the run: %s', async (name, remedy) => {
    await expect(open(tools([name, 'list_directory']))).rejects.toMatchObject({
      message: `failed to resolve tools: unknown tool "${name}"`,
      exitCode: 2,
      remedy,
    });
  });

  it('call no other host than `allowed_hosts`', async () => {
    const { call } = await open(`${tools(['url_fetch'])}allowed_hosts = ["example.com"]\n`);
    const { text, isError } = await call('url_fetch', { url: 'https://example.org/' });
    expect(isError).toBe(true);
    expect(text).toContain('host "example.org" is not in allowed_hosts (example.com)');
  });
});

describe('the tools of an agent in a workflow (D22)', () => {
  inJail.each<[readonly string[], readonly string[]]>([
    [['write_file'], ['read_file', 'write_file']],
    [['write'], ['read_file', 'write_file']],
    [
      ['execute', 'network'],
      ['read_file', 'run_command', 'web_search'],
    ],
    [
      ['write_file', 'run_command', 'web_search'],
      ['read_file', 'write_file', 'run_command', 'web_search'],
    ],
  ])('are those that `tools-allowed: %j` lets it have', async (toolsAllowed, expected) => {
    const asked = tools(['read_file', 'write_file', 'run_command', 'web_search']);
    const { names, warnings } = await open(asked, { where: 'workflow', toolsAllowed });
    expect(names).toEqual(expected);
    expect(warnings).toHaveLength(4 - expected.length);
  });

  inJail.each<[ToolSurroundings['where'], readonly string[], boolean]>([
    ['workflow', ['run_command'], false],
    ['workflow', ['execute', 'network'], false],
    ['workflow', ['run_command(home)'], false],
    ['workflow', ['run_command(network)'], true],
    ['workflow', ['execute', 'run_command(network)'], true],
    ['terminal', [], true],
  ])(
    'have commands that reach the network as the step says, in a %s with %j: %s',
    async (where, toolsAllowed, hasNetwork) => {
      const server = await startLoopback((_request, response) => void response.end('reached'));
      const { call } = await open(tools(['run_command']), { where, toolsAllowed });
      const { port } = new URL(server.url);
      const script = `fetch('http://127.0.0.1:${port}').then((r) => r.text()).then(console.log)`;
      const command = `'${process.execPath}' -e "${script}" || exit 7`;
      const { text, isError } = await call('run_command', { command });
      if (hasNetwork) expect(text).toBe('reached\n');
      else
        expect(text).toMatch(
          /^exit code 7\nCommands have no network here\. .*`run_command\(network\)`/,
        );
      expect(isError).toBe(!hasNetwork);
    },
  );

  inJail.each([
    [['run_command'], true],
    [['run_command(network)'], false],
  ])('have commands whose output is ours, with %j: %s', async (toolsAllowed, isOurs) => {
    const box = await open(tools(['run_command']), { where: 'workflow', toolsAllowed });
    expect(box.tools.map((tool) => !reachesNetwork(tool))).toEqual([isOurs]);
  });

  inJail(
    'have no commands in a run with private memory where these reach the network',
    async () => {
      const reading = readingOf('own');
      reading.openPrivateMemory();
      const bin = tempDir('bin');
      const script = 'case " $* " in *" --net "*) exit 1 ;; esac; exec /usr/bin/unshare "$@"';
      writeFiles(bin, { unshare: `#!/bin/sh\n${script}\n` });
      chmodSync(join(bin, 'unshare'), 0o755);
      const env = { PATH: `${bin}:${process.env['PATH']}` };
      const surroundings = { env, where: 'workflow', toolsAllowed: ['run_command'] } as const;
      const { names, warnings } = await open(tools(['run_command']), surroundings, { reading });
      expect(names).toEqual([]);
      expect(warnings.map(({ message }) => message)).toContainEqual(
        expect.stringContaining('this machine cannot take the network away from commands. Use'),
      );
    },
  );

  inJail.each([
    ['ip', 'exit 1', 'Commands have no network, and not even `localhost`'],
    [
      'unshare',
      'case " $* " in *" --net "*) exit 1 ;; esac; exec /usr/bin/unshare "$@"',
      '`run_command` counts as `run_command(network)`',
    ],
  ])('come with one warning if `%s` cannot do its part', async (program, script, message) => {
    const bin = tempDir('bin');
    writeFiles(bin, { [program]: `#!/bin/sh\n${script}\n` });
    chmodSync(join(bin, program), 0o755);
    const surroundings = {
      env: { PATH: `${bin}:${process.env['PATH']}` },
      where: 'workflow',
      toolsAllowed: ['run_command'],
    } as const;
    const { warnings, openMore } = await open(tools(['run_command']), surroundings);
    const parsed = parseAgent(`name = "a"\nmodel = "p/m"\n${tools(['run_command'])}`, {
      name: 'a',
      file: 'a.toml',
    });
    await openMore({ name: 'a', source: 'a.toml', ...parsed });
    expect(warnings).toEqual([
      { code: 'commands-network', message: expect.stringContaining(message) },
    ]);
  });

  inJail('have commands that write the home folder, with a warning', async () => {
    const surroundings = { where: 'workflow', toolsAllowed: ['run_command(home)'] } as const;
    const { names, warnings } = await open(tools(['run_command']), surroundings);
    expect(names).toEqual(['run_command']);
    expect(warnings).toEqual([
      { code: 'home-writable', message: expect.stringContaining('home folder') },
    ]);
  });
});

describe('the MCP servers of an agent', () => {
  it.each<[string, Partial<ToolSurroundings>, Partial<ToolRequest>]>([
    ['the workflow does not allow it', { where: 'workflow' }, {}],
    [
      'strangers have a part in the run',
      { where: 'workflow', toolsAllowed: ['execute', 'docs'] },
      { reading: readingOf('fork') },
    ],
    [
      'the caller cannot execute',
      { where: 'workflow', toolsAllowed: ['execute'] },
      { callerEffects: new Set<ToolEffect>(['read', 'network']) },
    ],
  ])('are not started if %s', async (_, surroundings, patch) => {
    const note = join(tempDir('mcp'), 'note');
    const box = await open(server('docs', 'plain', note), surroundings, patch);
    await box.close();
    expect(box.names).toEqual([]);
    expect(box.warnings).toHaveLength(1);
    expect(box.warnings[0]?.message).toContain('`docs` (execute) was withheld');
    expect(existsSync(note)).toBe(false);
  });

  it.each<[string, Parameters<typeof open>[1], RegExp]>([
    [
      'withheld',
      { where: 'workflow' },
      /^the MCP server `docs` is required and not available: The tool `docs` \(execute\) was withheld: /,
    ],
    ['unable to start', {}, /^the MCP server `docs` is required and not available: /],
  ])('end the run if they are required and %s', async (reason, surroundings, message) => {
    const mode = reason === 'withheld' ? 'plain' : 'no-list';
    const toml = `${server('docs', mode)}required = true\n`;
    const [error] = await Promise.allSettled([open(toml, surroundings)]);
    expect(error).toMatchObject({ reason: { message: expect.stringMatching(message) } });
  });

  it('are named as missing if they are not required', async () => {
    const toml = server('docs', 'plain') + server('tickets', 'no-list');
    const { missingServers } = await open(toml, { where: 'workflow', toolsAllowed: ['tickets'] });
    expect(missingServers).toEqual(['docs', 'tickets']);
    const { missingServers: none } = await open(server('docs', 'plain'));
    expect(none).toEqual([]);
  });

  it('reach the network over HTTP, which is allowed as `network`', async () => {
    const toml =
      '[[mcp_servers]]\nname = "docs"\nurl = "http://127.0.0.1:2/mcp"\ntransport = "streamable-http"\n';
    const { warnings } = await open(toml, { where: 'workflow', toolsAllowed: ['execute'] });
    expect(warnings).toMatchObject([
      { message: expect.stringContaining('`docs` (network) was withheld') },
    ]);
    const both = await open(`${tools(['write_file'])}${toml}`, { where: 'workflow' });
    const line = expect.stringContaining('Add `tools-allowed: write_file, docs`');
    expect(both.warnings).toMatchObject([{ message: line }, { message: line }]);
  });

  const writer = `${tools(['write_file'])}sub_agents = ["a"]\n`;
  const loaded = (name: string, toml: string): LoadedAgent => {
    const parsed = parseAgent(`name = "${name}"\nmodel = "p/m"\n${toml}`, { name, file: 'a.toml' });
    return { name, source: 'a.toml', ...parsed };
  };

  it('of an agent that is called after a tool wrote run since before, to the end of the run', async () => {
    const note = join(tempDir('mcp'), 'note');
    const below = loaded('a', server('docs', 'plain', note));
    const box = await open(writer, {}, { callable: async () => [below] });
    const { pid } = JSON.parse(readFileSync(note, 'utf8'));
    expect(await box.call('write_file', { path: 'x', content: 'x' })).toMatchObject({
      isError: false,
    });
    for (const _ of ['once', 'and once more']) {
      const called = await box.openMore(below);
      expect(called.tools.map(({ name }) => name)).toEqual(['work']);
      await called.close();
    }
    expect(JSON.parse(readFileSync(note, 'utf8')).pid).toBe(pid);
    await box.closeTools();
    await untilGone([pid]);
  });

  it('that did not run when a tool first wrote is not started', async () => {
    const note = join(tempDir('mcp'), 'note');
    const box = await open(writer);
    await box.call('write_file', { path: 'x', content: 'x' });
    const called = await box.openMore(loaded('a', server('docs', 'plain', note)));
    expect(called.tools).toEqual([]);
    expect(box.warnings).toEqual([
      {
        code: 'mcp-server',
        message: expect.stringContaining('was not running when a tool first wrote'),
      },
    ]);
    expect(existsSync(note)).toBe(false);
  });
});

describe('the folder of artifacts', () => {
  const ARTIFACTS = '[artifacts]\nenabled = true\n';

  inJail('is known to commands, and removed after the run', async () => {
    const box = await open(`${tools(['write_file', 'run_command'])}${ARTIFACTS}`);
    await box.call('write_file', { path: 'a.txt', content: 'alpha\n', artifact: true });
    const command = 'cat "$AXE_ARTIFACT_DIR/a.txt"; echo "$AXE_ARTIFACT_DIR"';
    const [content, folder = ''] = (await box.call('run_command', { command })).text
      .trim()
      .split('\n');
    expect([content, existsSync(folder)]).toEqual(['alpha', true]);
    await box.closeTools();
    expect(existsSync(folder)).toBe(false);
  });

  it('counts from the workdir where the agent names it, and stays', async () => {
    const cwd = tempDir('tools');
    const patch = { workdir: 'work' };
    const box = await open(`${tools(['write_file'])}${ARTIFACTS}dir = "out"\n`, { cwd }, patch);
    await box.call('write_file', { path: 'a.txt', content: 'alpha', artifact: true });
    await box.closeTools();
    expect(readFileSync(join(cwd, 'work/out/a.txt'), 'utf8')).toBe('alpha');
  });

  it.each(['../out', '/tmp/out', '~/../../out'])(
    'lies in the workspace in a workflow, not in %s',
    async (dir) => {
      const opened = open(`${tools(['read_file'])}${ARTIFACTS}dir = "${dir}"\n`, {
        where: 'workflow',
      });
      await expect(opened).rejects.toThrow(
        '`artifacts.dir` of the agent "bot" leads out of the workspace',
      );
    },
  );

  it.each<[Word, boolean]>([
    ['own', true],
    ['mixed', false],
  ])(
    'in a workflow, a run that begins as %s and may change files has one: %s',
    async (word, has) => {
      const cwd = tempDir('tools');
      const own = { memoryRoots: [], agentsDirs: [], instructionFiles: () => [], secrets: [] };
      const changes = {
        made: new Changes({ allowed: ['src/**'], ...own }),
        files: {
          list: async () => new Map(),
          read: async () => undefined,
          readAhead: async () => {},
        },
        isCheckedOut: false,
      };
      const reading = readingOf(word);
      const toml = `${tools(['write_file'])}${ARTIFACTS}dir = "out"\ndefault_write = true\n`;
      const { call, warnings } = await open(toml, { where: 'workflow', cwd, changes }, { reading });
      await call('write_file', { path: 'a.txt', content: 'alpha' });
      await call('write_file', { path: 'b.txt', content: 'beta', artifact: true });
      expect([existsSync(join(cwd, 'out/a.txt')), existsSync(join(cwd, 'out'))]).toEqual([
        has,
        has,
      ]);
      expect(warnings).toEqual([]);
    },
  );

  it('is copied for later steps without the links in it, and not at all if it is empty', async () => {
    const [folder, temp, elsewhere] = [tempDir('made'), tempDir('temp'), tempDir('elsewhere')];
    expect(await copyForJob(folder, temp)).toBeUndefined();
    writeFiles(elsewhere, { 'secret.txt': 'secret' });
    writeFiles(folder, { 'notes/a.txt': 'alpha' });
    symlinkSync(join(elsewhere, 'secret.txt'), join(folder, 'notes/b.txt'));
    symlinkSync(elsewhere, join(folder, 'c'));
    const kept = (await copyForJob(folder, temp)) ?? '';
    expect(dirname(kept)).toBe(temp);
    expect(readdirSync(kept, { recursive: true }).toSorted()).toEqual(['notes', 'notes/a.txt']);
  });

  it('that cannot be kept is a warning, and is removed', async () => {
    const warn = jest.fn();
    const full = async () => await Promise.reject(new Error('no space left'));
    const box = await open(`${tools(['write_file'])}${ARTIFACTS}`, { keepArtifacts: full });
    await box.call('write_file', { path: 'a.txt', content: 'alpha', artifact: true });
    const written = [{ path: 'a.txt', agent: 'bot', size: 5 }];
    expect(await box.closeTools(warn)).toEqual({ folder: undefined, written });
    const message = 'the folder of artifacts could not be kept: no space left';
    expect(warn.mock.calls).toEqual([[{ code: 'artifacts-lost', message }]]);
  });

  it('is not there for an agent without the table', async () => {
    const box = await open(tools(['write_file']));
    const { text } = await box.call('write_file', { path: 'a', content: '', artifact: true });
    expect(text).toContain('`artifact` is not an argument');
  });
});
