import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseDocument } from 'yaml';
import { BUILT_IN_AGENTS } from '../../src/agent/built-in.js';
import type { AgentConfig } from '../../src/agent/config.js';
import { parseAgent } from '../../src/agent/inspect.js';
import { main } from '../../src/cli/main.js';
import { checkWorkflows } from '../../src/runner/workflow/check-workflows.js';
import { GUIDES, readDocument, snippetsOf } from '../helpers/documents.js';
import { tempDir } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';
import { expectValidUse, workflowErrors, workflowInSnippet } from '../helpers/workflow-files.js';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = [...GUIDES, 'SECURITY.md', 'CONTRIBUTING.md', 'RELEASING.md'];
const SNIPPETS = snippetsOf(PAGES);

/** Commands whose second word is a command too. */
const GROUPS = new Set(['agents', 'memory', 'config']);
const PROGRAM_HELP = await helpOf('help');
const written = (language: string) => SNIPPETS.filter((one) => one.language === language);

describe.each(written('yaml'))('the YAML at $place', ({ place, code }) => {
  const { name, content, workflow } = workflowInSnippet(place, code);

  it('is a workflow, or a part of one, that GitHub’s parser accepts', async () => {
    const { errors, warnings } = parseDocument(code);
    expect([...errors, ...warnings]).toEqual([]);
    expect(await workflowErrors({ name, content })).toEqual([]);
  });

  it('has valid inputs, and reads existing outputs', () => expectValidUse({ content, workflow }));
});

const WHOLE = written('yaml').filter(({ code }) => /^on:/m.test(code) && /^jobs:/m.test(code));

it.each(WHOLE)('`doctor` finds no mistake in the workflow at $place', async ({ place, code }) => {
  const text = code.replaceAll(/(?<=- uses: )[^/\s]+(?=\/axe-action@)/g, 'acme');
  const names = BUILT_IN_AGENTS.map(({ name }) => name);
  const lines = await checkWorkflows([{ path: 'axe.yml', text }], async (name) =>
    // An agent of the reader's own is there.
    names.includes(name) ? { config: builtIn(name) } : { config: builtIn('builtin/ask') },
  );
  const wrong = lines.filter(({ level }) => level !== 'note');
  expect(wrong.map(({ line, message }) => `${place}, line ${line}: ${message}`)).toEqual([]);
});

it.each(written('toml'))('the TOML at $place is an agent without problems', ({ code }) => {
  expect(parseAgent(code, { name: 'a', file: 'a.toml' }).warnings).toEqual([]);
});

describe('a command', () => {
  const lines = written('sh').flatMap(({ place, code }) =>
    code.split('\n').flatMap((line) => {
      const [, words] =
        /(?:^|\| )(?:axe-action|node dist\/cli\/index\.js) ([^#|]*)/.exec(line) ?? [];
      return words === undefined ? [] : [{ place, words: words.trim() }];
    }),
  );
  const inText = PAGES.flatMap((place) =>
    [...readDocument(place).matchAll(/`axe-action ([a-z][^`]*)`/g)].map(([, words = '']) => ({
      place,
      words,
    })),
  );
  const commands = [...lines, ...inText].filter(({ words }) => !/ --help|^</.test(words));

  it.each(commands)('$words, in $place, exists with its flags', async ({ words }) => {
    const help = await helpOf(words);
    for (const [, flag = ''] of words.matchAll(/ (--[a-z-]+)/g)) expect(help).toContain(`${flag} `);
  });

  const alone = lines.filter(({ words }) =>
    /^(?:memory show|agents list)(?!.* --(?:repo|dir)\b)/.test(words),
  );

  it.each(alone)('$words, in $place, runs in an empty folder without a key', async ({ words }) => {
    const cwd = tempDir('empty');
    const terminal = createFakeTerminal({ cwd, env: { HOME: cwd } });
    expect([await main(words.split(/\s+/), terminal), terminal.output()]).toEqual([
      0,
      expect.stringMatching(/\S/),
    ]);
  });

  it('runs an agent that exists in an empty repository, or that the folder which it names has', () => {
    const agents = lines.flatMap(({ place, words }) => {
      const [, agent] = /^run ([\w/-]+)/.exec(words) ?? [];
      const [, folder] = / --agents-dir ([\w/-]+)/.exec(words) ?? [];
      return agent === undefined ? [] : [{ place, file: `${folder ?? ''}/${agent}.toml`, agent }];
    });
    expect(agents.length).toBeGreaterThan(3);
    const builtIn = BUILT_IN_AGENTS.map(({ name }) => name);
    expect(
      agents.filter(({ agent, file }) => !builtIn.includes(agent) && !existsSync(join(ROOT, file))),
    ).toEqual([]);
  });

  it('is found in pages', () => {
    expect(lines.length).toBeGreaterThan(10);
    expect(inText.length).toBeGreaterThan(5);
  });

  it('in the table in docs/command-line.md is one of the program', () => {
    const listed = [...PROGRAM_HELP.matchAll(/^ {2}(\w+)\b.* {3}/gm)].map(([, name]) => name);
    const [, table = ''] =
      /^## Commands\n\n([\s\S]*?)\n\n/m.exec(readDocument('docs/command-line.md')) ?? [];
    const shown = [...table.matchAll(/^\| `(\w+)[^|]*/gm)].flatMap(([cell]) =>
      [...cell.matchAll(/`(\w+)(?: [^`]*)?`/g)].map(([, name]) => name),
    );
    expect(listed.length).toBeGreaterThan(5);
    expect(listed.filter((name) => !shown.includes(name))).toEqual([]);
  });

  it.each([...GROUPS])('of `%s` is in the table, and the table has no other', async (group) => {
    const listed = [...(await helpOf(`${group} -`)).matchAll(/^ {2}(\w+)\b.* {3}/gm)].map(
      ([, name]) => name,
    );
    const shown = rowOf(group).matchAll(new RegExp(`\`(?:${group} )?(\\w+)\``, 'g'));
    expect([...new Set([...shown].map(([, name]) => name))].toSorted()).toEqual(listed.toSorted());
  });

  it.each(['init', 'doctor', 'run', 'gc'])(
    '`%s` has the flags in the table, and no others',
    async (name) => {
      const [flags, shown] = [await helpOf(name), `--help ${rowOf(name)}`].map(
        (text) => new Set(text.match(/--[a-z-]+/g)),
      );
      expect(shown).toEqual(flags);
    },
  );
});

function builtIn(name: string): AgentConfig {
  const toml = BUILT_IN_AGENTS.find((agent) => agent.name === name)?.toml ?? '';
  return parseAgent(toml, { name, file: `${name}.toml` }).config;
}

/** The row of a command in docs/command-line.md. */
function rowOf(name: string): string {
  const rows = readDocument('docs/command-line.md').split('\n');
  return rows.find((row) => new RegExp(`^\\| \`${name}\\b`).test(row)) ?? '';
}

/** The help of the command that a line begins with. */
async function helpOf(line: string): Promise<string> {
  const [group = '', command = ''] = line.split(' ');
  const words = GROUPS.has(group) && /^[a-z]/.test(command) ? [group, command] : [group];
  const terminal = createFakeTerminal();
  const status = await main([...words, ...(group === 'help' ? [] : ['--help'])], terminal);
  expect([status, terminal.talk()]).toEqual([0, '']);
  return terminal.output();
}
