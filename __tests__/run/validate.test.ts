import { describe, expect, it } from '@jest/globals';
import { ConfigError, NotFoundError } from '../../src/lib/errors.js';
import { compileGlob } from '../../src/lib/text/glob.js';
import {
  formatValidation,
  type ValidationDependencies,
  validateAgents,
} from '../../src/run/validate.js';

/** It asks no model, so it needs no instructions. */
const HEAD = 'name = "a"\nmodel = "offline/rules"\n';

type Agents = ValidationDependencies['agents'];
type Request = Parameters<typeof validateAgents>[0];

/** Agents with these files; `reads` are the names that were asked for. */
function agentsOf(files: Readonly<Record<string, string>>, reads: string[] = []): Agents {
  const places = Object.keys(files)
    .filter((file) => file.endsWith('.toml'))
    .map((file) => ({ name: file.slice(0, -'.toml'.length), file }));
  const loader: Pick<Agents, 'folders' | 'listFiles' | 'openAgent' | 'loadSkill' | 'countFiles'> = {
    async loadSkill(path) {
      if (files[path] === undefined) throw new NotFoundError('skill', path);
      return files[path];
    },
    folders: ['axe/agents'],
    listFiles: async () => places,
    async openAgent(name) {
      reads.push(name);
      const file = name.endsWith('.toml') ? name : `${name}.toml`;
      const text = files[file];
      if (text === undefined) throw new NotFoundError('agent', name, { remedy: 'See.' });
      if (text === 'unreadable') throw new ConfigError(`failed to read agent config "${name}": no`);
      return { name, file, source: file, text };
    },
    async countFiles(pattern, workdir) {
      const { matches } = compileGlob(pattern);
      if (workdir === 'gone') throw new ConfigError('failed to resolve workdir symlinks: gone');
      if (workdir === 'large') return undefined;
      return Object.keys(files).filter(matches).length;
    },
  };
  return loader as Agents;
}

function validate(
  files: Readonly<Record<string, string>>,
  request: Partial<Request> = {},
  deps: Partial<ValidationDependencies> = {},
) {
  return validateAgents(
    { names: [], outputSchema: '', isFolderNamed: false, ...request },
    { agents: agentsOf(files), where: 'here', modelProblem: () => undefined, ...deps },
  );
}

/** The report about one agent, without the remedies. */
async function faultsOf(
  more: string,
  files: Readonly<Record<string, string>> = {},
  deps: Partial<ValidationDependencies> = {},
) {
  const { agents } = await validate(
    { ...files, 'a.toml': `${HEAD}${more}` },
    { names: ['a'] },
    deps,
  );
  const faults = agents.find(({ name }) => name === 'a')?.faults ?? [];
  return faults.map(
    ({ severity, message, at }) => `${at.line}:${at.column} ${severity}: ${message}`,
  );
}

describe('an agent', () => {
  it.each([
    ['skill = "s.md"', ['3:1 error: skill not found: s.md']],
    [
      'files = ["a[", "*.txt"]',
      [
        '3:1 error: invalid glob pattern "a[": syntax error in pattern',
        '3:1 warning: "*.txt" in `files` matches no file',
      ],
    ],
    [
      'files = ["*.md", "*.txt"]\nworkdir = "gone"',
      ['3:1 error: failed to resolve workdir symlinks: gone'],
    ],
    ['files = ["*.txt"]\nworkdir = "large"', []],
    [
      'tools = ["red_file", "frobnicate"]',
      [
        '3:1 error: failed to resolve tools: unknown tool "red_file"',
        '3:1 error: failed to resolve tools: unknown tool "frobnicate"',
      ],
    ],
    [
      'tools = ["memory_write"]',
      [
        '3:1 warning: agent "a" asks for `memory_write`, and keeps no notes. Set `enabled = true` and `notes = true` in `[memory]` of the agent.',
      ],
    ],
    ['tools = ["memory_write"]\n[memory]\nenabled = true\nnotes = true', []],
    [
      '[memory]\nenabled = true\npath = "~/m.md"',
      [
        '5:1 warning: `memory.path` cannot be "~/m.md" in a workflow: it is outside of the memory store. `a.md` in the memory store is used instead. Set a relative path such as `team/log.md`, or remove `path`.',
      ],
    ],
    [
      '[review]\nverify_model = "m"',
      ['4:1 error: invalid model format "m": expected provider/model-name'],
    ],
    [
      '[review]\nverifier = "x"',
      ['4:1 error: failed to load agent "x": agent config not found: x'],
    ],
    ['sub_agents = ["x"]', ['3:1 error: failed to load agent "x": agent config not found: x']],
    [
      'skill = "s.md"\ntimeout = -1\nsub_agents = 7\n',
      [
        '5:1 error: failed to parse agent config "a": sub_agents must be a list of strings, but is an integer',
      ],
    ],
    [
      'skill = "s.md"\ntimeout = -1\n',
      ['3:1 error: skill not found: s.md', '4:1 error: timeout must be non-negative'],
    ],
  ])('with %j is reported at its line', async (more, expected) => {
    expect(await faultsOf(more)).toEqual(expected);
  });

  it('whose name differs from another in case alone is reported, both of them (D5)', async () => {
    const { agents } = await validate({ 'bot.toml': HEAD, 'Bot.toml': HEAD, 'bots.toml': HEAD });
    expect(
      agents.map(({ file, faults }) => [
        file,
        faults.filter(({ severity }) => severity !== 'note').map(({ message }) => message),
      ]),
    ).toEqual([
      ['Bot.toml', ['agents "Bot" and "bot" in . differ only in case']],
      ['bot.toml', ['agents "bot" and "Bot" in . differ only in case']],
      ['bots.toml', []],
    ]);
  });

  it('is reported in short words, however long the names in it are', async () => {
    const [fault] = await faultsOf(`skill = "${'😀'.repeat(5000)}"`);
    expect(fault).toBe(`3:1 error: skill not found: ${'😀'.repeat(982)}…`);
  });

  it('that cannot be read is reported at its file, and not at its callers', async () => {
    const { agents } = await validate({
      'a.toml': `${HEAD}sub_agents = ["b"]\n`,
      'b.toml': 'unreadable',
    });
    expect(agents).toMatchObject([
      { name: 'a', faults: [] },
      { name: 'b', config: undefined, faults: [{ severity: 'error', at: { file: 'b.toml' } }] },
    ]);
  });
});

const files = {
  'a.toml': `${HEAD}sub_agents = ["b"]\n`,
  'b.toml': `${HEAD}sub_agents = ["c"]\n`,
  'c.toml': `${HEAD}sub_agents = ["b"]\n`,
  'd.toml': 'name = \n',
};

it('the validation of agents ends with an error if there is nothing to check, or an agent is not found', async () => {
  await expect(validate({})).rejects.toMatchObject({
    exitCode: 2,
    message: 'there are no agents in `axe/agents` of here',
  });
  await expect(validate(files, { names: ['e'] })).rejects.toMatchObject({
    message: 'agent config not found: e',
    remedy: 'See.',
  });
  await expect(validate(files, { outputSchema: '{' })).rejects.toThrow(
    '`output-schema` is not JSON',
  );
});

it('the validation of agents ends with an error if the named folder has no agents', async () => {
  const loader = { ...agentsOf({ 'axe/agents/a.toml': HEAD }), folders: ['mien', 'axe/agents'] };
  const request = { isFolderNamed: true };
  await expect(validate({}, request, { agents: loader })).rejects.toMatchObject({
    message: 'there are no agents in `mien` of here',
    remedy: expect.stringContaining('`agents-dir`'),
  });
  const found = { ...loader, folders: ['axe/agents'] };
  expect((await validate({}, request, { agents: found })).agents).toHaveLength(1);
});

it.each(['sub_agents', 'files'])(
  'the validation of agents ends before a hostile list of `%s` becomes as many requests',
  async (key) => {
    const asked: string[] = [];
    const all = Array.from({ length: 1000 }, (_, index) => `"x${index}"`).join(', ');
    const hostile = { 'a.toml': `${HEAD}${key} = [${all}]\n` };
    const loader = agentsOf(hostile, asked);
    const agents: Agents = {
      ...loader,
      countFiles: async (pattern, workdir) => {
        asked.push(pattern);
        return await loader.countFiles(pattern, workdir);
      },
    };
    await expect(validate(hostile, {}, { agents })).rejects.toThrow(
      'there are more than 300 agents and files that they refer to',
    );
    expect(asked.filter((one) => one !== 'a')).toHaveLength(299);
  },
);

it('the output of validation names a file with control characters in quotes', async () => {
  const odd = 'x\n::error::hi.toml';
  const lines = formatValidation(
    await validate({ [odd]: HEAD, 'b\r.toml': `${HEAD}timeout = -1\n` }),
  );
  expect(lines.filter((line) => line.includes('.toml'))).toEqual([
    '"x\\n::error::hi.toml": valid',
    '"b\\r.toml":1:1: note: `name` is "a", and the agent is started as "b\\r", after its file',
    '"b\\r.toml":3:1: error: timeout must be non-negative',
    '"x\\n::error::hi.toml":1:1: note: `name` is "a", and the agent is started as "x\\n::error::hi", after its file',
  ]);
});

it('the output of validation is cut after 200 faults and counts the rest', async () => {
  const tools = Array.from({ length: 500 }, (_, index) => `"x${index}x"`).join(', ');
  const lines = formatValidation(await validate({ 'a.toml': `${HEAD}tools = [${tools}]\n` }));
  expect(lines).toHaveLength(403);
  expect(lines.slice(-3)).toEqual(['and 300 more', '', '1 agent: 500 errors']);
});
